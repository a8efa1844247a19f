"""Compile the kernels for compute capability 9.0, no GPU needed; print spilled bytes as JSON."""

import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

import triton
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource

from transformer_lesson.flash import configs, kernels

WIDTHS = (64, 128)  # the widths that models use; compiling all would take a minute more


def spilled(kernel: configs.Kernel, width: int, tiles: configs.Tiles) -> int:
    """Bytes that the causal bfloat16 kernel spills."""
    function = getattr(kernels, kernel)
    constants: dict[str, object] = {
        "HEADS": 8,
        "GROUP": 1,
        "CAUSAL": True,
        "PADDING": False,
        "WIDTH": width,
        "PADDED": width,
        "TILE_QUERIES": tiles.queries,
        "TILE_KEYS": tiles.keys,
    }
    signature = {name: _type(name, constants) for name in function.arg_names}
    pointers = [i for i, name in enumerate(function.arg_names) if signature[name][0] == "*"]
    compiled = triton.compile(
        ASTSource(
            function,
            signature,
            {(function.arg_names.index(name),): value for name, value in constants.items()},
            {(i,): [["tt.divisibility", 16]] for i in pointers},
        ),
        target=GPUTarget("cuda", 90, 32),
        options={"num_warps": tiles.warps, "num_stages": tiles.stages},
    )
    return _spills(compiled.asm["ptx"])


def _type(name: str, constants: dict[str, object]) -> str:
    if name in constants:
        return "constexpr"
    special = {"LSE": "*fp32", "D": "*fp32", "REAL": "*u8", "scale": "fp32"}
    return special.get(name, "*bf16" if name.isupper() else "i32")


def _spills(ptx: str) -> int:
    ptxas = Path(triton.__file__).parent / "backends" / "nvidia" / "bin" / "ptxas"
    with tempfile.NamedTemporaryFile("w", suffix=".ptx") as source:
        source.write(ptx)
        source.flush()
        command = [str(ptxas), "-v", "--gpu-name=sm_90a", source.name, "-o", "/dev/null"]
        report = subprocess.run(command, capture_output=True, text=True, check=True).stderr
    return sum(int(words) for words in re.findall(r"(\d+) bytes spill", report))


if __name__ == "__main__":
    found = {
        f"{kernel} width {width}": spilled(kernel, width, tiles)
        for (kernel, width), tiles in configs.HALF.items()
        if width in WIDTHS
    }
    print(json.dumps(found))
