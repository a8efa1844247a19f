"""What a GPU's compiler makes of the kernels with every entry of the tile table; needs no GPU.

One line for each: registers and stack of a thread, shared memory of a block in bytes, the
instructions that multiply tiles (with the columns of each product), and what a thread does for a
tile without a mask, in the loop that takes the time: instructions by kind, and all of the machine's
own; the bytes that a block copies; and how much of what was begun may still be under way behind
each wait in turn ("cp.async 2" waits for all copies but the last two groups, "wgmma 0" for all
products). What does not fit into the registers is spilled to the stack, in the large, slow memory.
An entry fails that has a stack, or does not fit into the shared memory of a GPU that may run it, or
exceeds its budget of products and bytes, or waits for all copies before it multiplies (with two
stages it must, which can be measured to be faster all the same: two blocks share a multiprocessor),
or for each product ("wgmma each").
``results/flash-compiled.txt`` keeps all of them, but for float16, whose instructions are those of
bfloat16. One takes 1 to 5 seconds of processor time.
"""

import argparse
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice, product
from math import inf
from pathlib import Path

import triton
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource

from transformer_lesson.flash import configs, kernels

CAPABILITIES = (80, 90, 100, 120)
DTYPES = {"bfloat16": "bf16", "float32": "fp32"}
ENTRIES: tuple[configs.Entry, ...] = ("forward", "decode", "backward_keys", "backward_queries")
PRODUCTS = {"tcgen05": r"tcgen05\.mma", "wgmma": r"wgmma\.mma_async", "mma": r"\bmma\.sync"}
COLUMNS = r"wgmma\.mma_async\S*\.m64(n\d+)"
COPY = r"cp\.async\.c\w\.\S+ \[.*?\], \[.*?\], (\w+)"  # of so many bytes, by each thread
# Counted in a loop: products of numbers, alone and fused with a sum; exponentials; products of
# addresses.
KINDS = {"mul": r"mul\.f32", "fma": r"fma\.rn\.f32", "ex2": r"ex2\.", "mul64": r"mul\.lo\.s64"}
WAIT = r"(wgmma|cp\.async)\.wait_group\S*\s+(\d+)"
ALIGNED = [["tt.divisibility", 16]]  # where tensors begin; the strides of heads of 16, 32, … 256
TOOLS = Path(triton.__file__).parent / "backends" / "nvidia" / "bin"
# Of a block, in bytes, where a kernel of this compute capability may run (CUDA C++ Programming
# Guide, technical specifications): 8.6 and 8.9, which run what is compiled for 8.0, have the least.
LEAST_SHARED = {80: 99 * 1024, 90: 227 * 1024, 100: 227 * 1024, 120: 99 * 1024}


@dataclass(frozen=True)
class Case:
    """A kernel, and all that is fixed when it is compiled; decoding has four heads in a group."""

    capability: int
    dtype: str
    width: int
    entry: configs.Entry
    causal: bool
    padding: bool

    @property
    def tiles(self) -> configs.Tiles:
        half = self.dtype != "float32"
        capability = self.capability // 10
        return configs.tiles(self.entry, self.width, half=half, capability=capability)

    def __str__(self) -> str:
        kind = ("causal" if self.causal else "full") + (" padded" if self.padding else "")
        return (
            f"sm_{self.capability:<3} {self.dtype:8} {self.width:3} {self.entry:16} "
            f"{kind:13} {self.tiles!s:12}"
        )


@dataclass(frozen=True)
class Resources:
    """What a compiled kernel takes of a multiprocessor."""

    registers: int
    stack: int
    shared: int
    products: str
    loop: dict[str, int]
    waits: str

    def __str__(self) -> str:
        counts = " ".join(f"{number} {kind}" for kind, number in self.loop.items())
        return (
            f"{self.registers:3} registers {self.stack:4} stack {self.shared:6} shared  "
            f"{self.products}, loop: {counts}, waits: {self.waits}"
        )


def cases() -> Iterator[Case]:
    """All kinds of kernel."""
    for capability, dtype in product(CAPABILITIES, DTYPES):
        widths = configs.widths(half=dtype != "float32")
        for kind in product(widths, ENTRIES, (False, True), (False, True)):
            yield Case(capability, dtype, *kind)


def compiled(case: Case) -> triton.compiler.CompiledKernel:
    """Compile for a GPU that need not be here. No Triton interpreter in this process."""
    name = "forward" if case.entry == "decode" else case.entry
    function, tiles = getattr(kernels, name), case.tiles
    constants: dict[str, object] = {
        "HEADS": 8,
        "GROUP": 4 if case.entry == "decode" else 1,
        "CAUSAL": case.causal,
        "PADDING": case.padding,
        "WIDTH": case.width,
        "BLOCKS": tiles.blocks(case.width),
        "TILE_QUERIES": tiles.queries,
        "TILE_KEYS": tiles.keys,
        **({"AHEAD": tiles.ahead} if case.entry == "backward_queries" else {}),
    }
    types = {name: _type(name, DTYPES[case.dtype], constants) for name in function.arg_names}
    aligned: dict[tuple[int, ...], object] = {}
    for place, kind in enumerate(types.values()):
        if isinstance(kind, tuple):
            aligned |= {(place, axis): ALIGNED for axis in range(len(kind))}
        elif kind[0] == "*":
            aligned[(place,)] = ALIGNED
    fixed = {(function.arg_names.index(name),): value for name, value in constants.items()}
    return triton.compile(
        ASTSource(function, types, fixed, aligned),
        target=GPUTarget("cuda", case.capability, 32),
        options={"num_warps": tiles.warps, "num_stages": tiles.stages},
    )


def resources(kernel: triton.compiler.CompiledKernel) -> Resources:
    """What NVIDIA's own tools say of a compiled kernel."""
    with tempfile.NamedTemporaryFile(suffix=".cubin") as binary:
        binary.write(kernel.asm["cubin"])
        binary.flush()
        report, machine = (
            subprocess.run(
                [TOOLS / tool, option, binary.name], capture_output=True, text=True, check=True
            ).stdout
            for tool, option in (("cuobjdump", "-res-usage"), ("nvdisasm", "-c"))
        )
    found = {name: int(number) for name, number in re.findall(r"(REG|STACK):(\d+)", report)}
    text = kernel.asm["ptx"]
    products = [name for name, word in PRODUCTS.items() if re.search(word, text)] or ["fma"]
    loop = of_whole_tiles(text)
    products += sorted(set(re.findall(COLUMNS, "\n".join(loop))))
    counts = {
        name: sum(bool(re.match(word, line)) for line in loop) for name, word in KINDS.items()
    }
    counts["instructions"] = sum(line.endswith(";") for line in of_whole_tiles(machine))
    copies = (int(copy[1], 0) for line in loop if (copy := re.match(COPY, line)))
    counts["bytes"] = 32 * kernel.metadata.num_warps * sum(copies)
    waits = [" ".join(wait.groups()) for line in loop if (wait := re.match(WAIT, line))]
    if machine.count("WARPGROUP.DEPBAR") > text.count("wgmma.wait_group"):
        waits.append("wgmma each")  # ptxas lets none run beside another, whatever the PTX says
    return Resources(
        found["REG"],
        found["STACK"],
        kernel.metadata.shared,
        " ".join(products),
        counts,
        ", ".join(waits),
    )


def of_whole_tiles(text: str) -> list[str]:
    """The loop over tiles without a mask, the shortest with exponentials: PTX, or machine code."""
    lines = [re.sub(r"^\s*(/\*\w+\*/\s+)?(@%?!?\w+\s+)?", "", line) for line in text.splitlines()]
    loops, places = [], dict[str, int]()
    for place, line in enumerate(lines):
        if label := re.match(r"([$.]L\w+):", line):
            places[label[1]] = place
        elif (jump := re.match(r"bra.*?([$.]L\w+)", line, re.I)) and jump[1] in places:
            loops.append(lines[places[jump[1]] : place])  # back to a label that was met before
    return min((loop for loop in loops if re.search(r"ex2\.|MUFU.EX2", "\n".join(loop))), key=len)


def budget(case: Case) -> float:
    """Products of numbers, fused or not, that a thread may make of a tile without a mask.

    Each score is scaled within one fused multiply-add. Forward, the output that was gathered is
    rescaled; backward, each weight meets its gradient. Rows have a few of their own, forward for
    their maxima and sums. Decoding waits for memory, not for these.
    """
    tiles, forward = case.tiles, case.entry == "forward"
    scores = tiles.queries * tiles.keys
    others = tiles.queries * sum(tiles.blocks(case.width)) if forward else scores
    of_rows = inf if case.entry == "decode" else 24 if forward else 16
    return 1.1 * (scores + others) / (32 * tiles.warps) + of_rows


def moved(case: Case) -> int:
    """The bytes of two tiles of 16-bit rows; the keys' gradients need two numbers of each query.

    For those numbers all threads have a copy, though few need make it.
    """
    tiles, keys = case.tiles, case.entry == "backward_keys"
    rows = tiles.queries if keys else tiles.keys
    return 2 * 2 * rows * case.width + (2 * 4 * 32 * tiles.warps if keys else 0)


def fits(case: Case, found: Resources) -> bool:
    """Whether a kernel keeps to its registers, to the shared memory of its GPUs, to its budget."""
    all_copies = {"cp.async 0"} if case.tiles.stages > 2 else set()
    kept = case.dtype == "float32" or (
        found.loop["mul"] + found.loop["fma"] <= budget(case)
        and found.loop["bytes"] <= moved(case)
        and not ({"wgmma each"} | all_copies) & set(found.waits.split(", "))
    )
    return found.stack == 0 and found.shared <= LEAST_SHARED[case.capability] and kept


def _type(name: str, dtype: str, constants: dict[str, object]) -> str | tuple[str, ...]:
    if name in constants:
        return "constexpr"
    if name.endswith("_strides"):
        return ("i32", "i32", "i32")
    known = {"LSE": "*fp32", "D": "*fp32", "REAL": "*u8", "SPANS": "*i32", "scale": "fp32"}
    return known.get(name, f"*{dtype}" if name.isupper() else "i32")


def main() -> int:
    """Print a line for each case; return 1 if one does not fit."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", type=Path, help="compile only what this report names")
    parser.add_argument("--every", type=int, default=1, help="compile only each nth case")
    parser.add_argument("--missing", type=Path, help="compile what this report lacks, and add it")
    asked = parser.parse_args()
    print(f"triton {triton.__version__}; tiles: queries x keys/warps/stages")
    failed = 0
    chosen = cases()
    if asked.only:
        named = asked.only.read_text()
        chosen = (case for case in chosen if str(case) in named)
    if asked.missing:
        known = asked.missing.read_text()
        chosen = (case for case in chosen if str(case) not in known)
    for case in islice(chosen, 0, None, asked.every):
        found = resources(compiled(case))
        print(case, found, flush=True)
        if asked.missing:
            with asked.missing.open("a") as report:
                print(case, found, file=report)
        failed += not fits(case, found)
    print(f"{failed} do not fit" if failed else "all fit")
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main())
