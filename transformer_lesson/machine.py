"""What this machine has, and what that means for the course."""

import os
import platform
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version

import torch


@dataclass(frozen=True)
class Part:
    """One row of the report.

    Attributes:
        name: what was looked for.
        found: version or name of what is there, or ``"none"``.
        meaning: what follows for a learner.
    """

    name: str
    found: str
    meaning: str


def inspect_machine() -> list[Part]:
    """Report on Python, PyTorch, processor, GPU, Triton and widgets of this environment."""
    return [
        Part("Python", platform.python_version(), "3.11 or newer runs every lesson"),
        Part("PyTorch", torch.__version__, "the tensors and gradients of every lesson"),
        Part("processor", f"{os.cpu_count()} cores", "two are enough: times are given for two"),
        _gpu(),
        _triton(),
        _widgets(),
    ]


def _gpu() -> Part:
    if torch.cuda.is_available():
        name = torch.cuda.get_device_name()
        return Part("GPU", name, "a lab of lesson 09 times the kernels on it")
    return Part("GPU", "none", "all lessons run; only the speed of our kernels cannot be seen")


def _triton() -> Part:
    found = _version("triton")
    if found == "none":
        return Part("Triton", found, "lesson 09: kernels are read, not run (Triton is for Linux)")
    where = "on the GPU" if torch.cuda.is_available() else "in Triton's interpreter"
    return Part("Triton", found, f"lesson 09: kernels run {where}")


def _widgets() -> Part:
    found = _version("anywidget")
    if found == "none":
        return Part("widgets", found, "maps stand as pictures; install anywidget to move over them")
    return Part("widgets", f"anywidget {found}", "maps answer to mouse and keyboard, see below")


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "none"
