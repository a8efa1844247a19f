"""What a GPU's compiler makes of the kernels with every entry of the tile table; needs no GPU.

One line for each: registers and stack of a thread, shared memory of a block in bytes, the
instructions that multiply tiles, and how much of what was begun may still be under way behind each
wait: "wgmma 0" waits for all products, "cp.async 0 2" for all copies here and for all but the last
two groups there. What does not fit into the registers is spilled to the stack, in the large, slow
memory: an entry with a stack is a failure, and so is one that does not fit into the shared memory
of every GPU that the kernels know. ``results/flash-compiled.txt`` keeps all of them. One takes 1 to
5 seconds of processor time.
"""

import argparse
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice, product
from pathlib import Path

import triton
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource

from transformer_lesson.flash import configs, kernels

CAPABILITIES = (80, 90, 100)
DTYPES = {"float16": "fp16", "bfloat16": "bf16", "float32": "fp32"}
ENTRIES: tuple[configs.Entry, ...] = ("forward", "decode", "backward_keys", "backward_queries")
PRODUCTS = {"tcgen05": r"tcgen05\.mma", "wgmma": r"wgmma\.mma_async", "mma": r"\bmma\.sync"}
WAITS = {
    "wgmma": r"wgmma\.wait_group\.sync\.aligned (\d+)",
    "cp.async": r"cp\.async\.wait_group\s+(\d+)",
}
ALIGNED = [["tt.divisibility", 16]]  # where tensors begin; the strides of heads of 16, 32, … 256
CUOBJDUMP = Path(triton.__file__).parent / "backends" / "nvidia" / "bin" / "cuobjdump"
# Of a block, in bytes, where a kernel of this compute capability may run (CUDA C++ Programming
# Guide, technical specifications): 8.6 and 8.9, which run what is compiled for 8.0, have the least.
LEAST_SHARED = {80: 99 * 1024, 90: 227 * 1024, 100: 227 * 1024}


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
        tiles = self.tiles
        sizes = f"{tiles.queries}x{tiles.keys}/{tiles.warps}/{tiles.stages}"
        kind = ("causal" if self.causal else "full") + (" padded" if self.padding else "")
        return (
            f"sm_{self.capability:<3} {self.dtype:8} {self.width:3} {self.entry:16} "
            f"{kind:13} {sizes:12}"
        )


@dataclass(frozen=True)
class Resources:
    """What a compiled kernel takes of a multiprocessor."""

    registers: int
    stack: int
    shared: int
    products: str
    waits: str

    def __str__(self) -> str:
        return (
            f"{self.registers:3} registers {self.stack:4} stack {self.shared:6} shared  "
            f"{self.products}, waits: {self.waits}"
        )


def cases(
    capabilities: list[int] | None = None,
    dtypes: list[str] | None = None,
    widths: list[int] | None = None,
) -> Iterator[Case]:
    """All kinds of kernel; by default for all compute capabilities, dtypes and widths."""
    for capability, dtype in product(capabilities or CAPABILITIES, dtypes or DTYPES):
        known = configs.widths(half=dtype != "float32")
        chosen = [width for width in known if not widths or width in widths]
        for kind in product(chosen, ENTRIES, (False, True), (False, True)):
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
    """What NVIDIA's own tool says of a compiled kernel."""
    with tempfile.NamedTemporaryFile(suffix=".cubin") as binary:
        binary.write(kernel.asm["cubin"])
        binary.flush()
        command = [str(CUOBJDUMP), "-res-usage", binary.name]
        report = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    found = {name: int(number) for name, number in re.findall(r"(REG|STACK):(\d+)", report)}
    text = kernel.asm["ptx"]
    products = " ".join(name for name, word in PRODUCTS.items() if re.search(word, text)) or "fma"
    waits = {name: sorted(set(re.findall(word, text))) for name, word in WAITS.items()}
    words = [" ".join((name, *counts)) for name, counts in waits.items() if counts]
    return Resources(
        found["REG"], found["STACK"], kernel.metadata.shared, products, ", ".join(words) or "none"
    )


def fits(case: Case, found: Resources) -> bool:
    """Whether a kernel keeps to its registers and to the shared memory of any such GPU."""
    return found.stack == 0 and found.shared <= LEAST_SHARED[case.capability]


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
    parser.add_argument("--capability", type=int, nargs="*", choices=CAPABILITIES)
    parser.add_argument("--dtype", nargs="*", choices=DTYPES)
    parser.add_argument("--width", type=int, nargs="*", choices=configs.widths(half=True))
    parser.add_argument("--only", type=Path, help="compile only what this report names")
    parser.add_argument("--every", type=int, default=1, help="compile only each nth case")
    parser.add_argument("--missing", type=Path, help="compile what this report lacks, and add it")
    asked = parser.parse_args()
    print(f"triton {triton.__version__}; tiles: queries x keys/warps/stages")
    failed = 0
    chosen = cases(asked.capability, asked.dtype, asked.width)
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
    print(f"{failed} spill or need too much shared memory" if failed else "all fit")
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main())
