"""The system calls of Linux that Python 3.11 has no function for."""

import ctypes
import os
import platform

CLONE_NEWNS = 0x00020000
CLONE_NEWCGROUP = 0x02000000
CLONE_NEWUTS = 0x04000000
CLONE_NEWIPC = 0x08000000
CLONE_NEWUSER = 0x10000000
CLONE_NEWPID = 0x20000000
CLONE_NEWNET = 0x40000000

MS_RDONLY = 0x1
MS_NOSUID = 0x2
MS_NODEV = 0x4
MS_NOEXEC = 0x8
MS_BIND = 0x1000
MS_REC = 0x4000
MS_PRIVATE = 0x40000
_MNT_DETACH = 0x2

_PR_SET_PDEATHSIG = 1
_PR_SET_DUMPABLE = 4
_PR_SET_SECCOMP = 22
_PR_SET_CHILD_SUBREAPER = 36
_PR_SET_NO_NEW_PRIVS = 38
_SECCOMP_MODE_FILTER = 2

# The same on every processor, as all system calls that are younger than 2019.
_SYS_MOUNT_SETATTR = 442
_AT_FDCWD = -100
_AT_RECURSIVE = 0x8000
_SYS_PIVOT_ROOT = {"x86_64": 155, "aarch64": 41}
_SYS_CAPSET = {"x86_64": 126, "aarch64": 91}


def unshare(flags: int) -> None:
    """Give this process namespaces of its own."""
    _done(_libc().unshare(flags), "unshare")


def enter(namespace: int, kind: int) -> None:
    """Go into a namespace, given by a descriptor."""
    _done(_libc().setns(namespace, kind), "setns")


def mount(source: str, target: str, kind: str = "", flags: int = 0, options: str = "") -> None:
    """Mount a file system."""
    names = (os.fsencode(name) for name in (source, target, kind))
    _done(_libc().mount(*names, ctypes.c_ulong(flags), options.encode()), f"mount {target}")


def seal(target: str, *, all_inside: bool = False) -> None:
    """Make a mount read-only, without devices and without programs that change the user."""
    attributes = (ctypes.c_uint64 * 4)(MS_RDONLY | MS_NOSUID | MS_NODEV, 0, 0, 0)
    arguments = (
        ctypes.c_int(_AT_FDCWD),
        ctypes.c_char_p(os.fsencode(target)),
        ctypes.c_uint(_AT_RECURSIVE if all_inside else 0),
        ctypes.byref(attributes),
        ctypes.c_size_t(ctypes.sizeof(attributes)),
    )
    _done(_libc().syscall(ctypes.c_long(_SYS_MOUNT_SETATTR), *arguments), f"seal {target}")


def unmount(path: str) -> None:
    """Take a mount out of sight; what is mounted elsewhere of it stays there."""
    _done(_libc().umount2(os.fsencode(path), _MNT_DETACH), f"umount {path}")


def change_root(new: str) -> None:
    """Make a mount the root, and let go of the old one."""
    os.chdir(new)
    # One on top of the other, as in pivot_root(2): no folder for the old root is needed.
    _done(_libc().syscall(ctypes.c_long(_number(_SYS_PIVOT_ROOT)), b".", b"."), "pivot_root")
    unmount(".")
    os.chdir("/")


def drop_capabilities() -> None:
    """Give up what the superuser of a namespace may do."""
    header = (ctypes.c_uint32 * 2)(0x20080522, 0)  # version 3 of the interface; this process
    nothing = (ctypes.c_uint32 * 6)()
    number = ctypes.c_long(_number(_SYS_CAPSET))
    _done(_libc().syscall(number, ctypes.byref(header), ctypes.byref(nothing)), "capset")


def no_new_privileges() -> None:
    """No program that is started from here on gets more rights than this process has."""
    _prctl(_PR_SET_NO_NEW_PRIVS, 1)


def die_with_parent(signal: int) -> None:
    """Be sent a signal when the parent ends."""
    _prctl(_PR_SET_PDEATHSIG, signal)


def hide_memory() -> None:
    """Keep other processes of the same user from reading this one."""
    _prctl(_PR_SET_DUMPABLE, 0)


def show_memory() -> None:
    """Undo ``hide_memory``."""
    _prctl(_PR_SET_DUMPABLE, 1)


def adopt_orphans() -> None:
    """Become the parent of all descendants whose own parent ends."""
    _prctl(_PR_SET_CHILD_SUBREAPER, 1)


def set_filter(program: "ctypes.Structure") -> None:
    """Let the kernel ask a program before each system call; only so may everybody."""
    no_new_privileges()
    _prctl(_PR_SET_SECCOMP, _SECCOMP_MODE_FILTER, ctypes.addressof(program))


def _prctl(option: int, *arguments: int) -> None:
    values = [ctypes.c_ulong(value) for value in (*arguments, 0, 0, 0, 0)[:4]]
    _done(_libc().prctl(ctypes.c_int(option), *values), f"prctl {option}")


def _number(numbers: dict[str, int]) -> int:
    machine = platform.machine()
    if machine not in numbers:
        raise OSError(f"no namespaces on a processor of kind {machine!r}")
    return numbers[machine]


def _libc() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)


def _done(result: int, what: str) -> None:
    if result != 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number), what)
