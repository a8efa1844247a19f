"""What this machine has, and what that means for the course."""

import os
import platform
from importlib.metadata import PackageNotFoundError, version
from typing import NamedTuple

import torch


class Part(NamedTuple):
    """One row of the report: what was looked for, its version or name, what follows for a learner.

    Where there is nothing, ``found`` is ``"none"``.
    """

    name: str
    found: str
    meaning: str


def inspect_machine() -> list[Part]:
    """Report on Python, PyTorch, processor, GPU, Triton and widgets of this environment."""
    gpu, name, kernels = False, "none", "kernels are read, not run (Triton is for Linux)"
    speed = "all lessons run; only the speed of our kernels cannot be seen"
    if torch.cuda.is_available():
        gpu, name = True, torch.cuda.get_device_name()
        speed = "a lab of lesson 09 times the kernels on it"
    if (triton := _version("triton")) != "none":
        kernels = "kernels run " + ("on the GPU" if gpu else "in Triton's interpreter")
    maps = "maps stand as pictures; install anywidget to move over them"
    if (widgets := _version("anywidget")) != "none":
        widgets, maps = f"anywidget {widgets}", "maps answer to mouse and keyboard"
    return [
        Part("Python", platform.python_version(), "3.11 or newer runs every lesson"),
        Part("PyTorch", torch.__version__, "the tensors and gradients of every lesson"),
        Part("processor", f"{os.cpu_count()} cores", "two are enough: times are given for two"),
        Part("GPU", name, speed),
        Part("Triton", triton, f"lesson 09: {kernels}"),
        Part("widgets", widgets, maps),
    ]


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "none"
