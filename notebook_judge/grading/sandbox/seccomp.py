"""A filter that keeps a learner's code from system calls that no notebook needs."""

import ctypes
import errno
import platform
import socket
import sys
from collections.abc import Mapping

from notebook_judge.grading.sandbox import linux

# Numbers on x86_64 and on aarch64 (None: it has no such call).
_REFUSED = {
    # memory that belongs to no process and to no file, and so escapes every limit
    "memfd_create": (319, 279),
    "memfd_secret": (447, 447),
    "shmget": (29, 194),
    "msgget": (68, 186),
    "semget": (64, 190),
    # other processes
    "ptrace": (101, 117),
    "process_vm_readv": (310, 270),
    "process_vm_writev": (311, 271),
    "pidfd_getfd": (438, 438),
    "pidfd_send_signal": (424, 424),
    "rt_sigqueueinfo": (129, 138),
    "rt_tgsigqueueinfo": (297, 240),
    "kcmp": (312, 272),
    # parts of the kernel that are often its weak spot
    "unshare": (272, 97),
    "setns": (308, 268),
    "bpf": (321, 280),
    "perf_event_open": (298, 241),
    "userfaultfd": (323, 282),
    "io_uring_setup": (425, 425),
    "add_key": (248, 217),
    "request_key": (249, 218),
    "keyctl": (250, 219),
}
_HELP = {
    "execve": (59, 221),
    "execveat": (322, 281),
    # what a process of the same notebook does with a file that both can see
    "flock": (73, 32),
    "inotify_init": (253, 26),
    "inotify_init1": (294, 26),
    "fanotify_init": (300, 262),
}
_FCNTL = (72, 25)
_LOCKS = (5, 6, 7, 36, 37, 38, 1024, 1026)  # its commands, from F_GETLK to F_NOTIFY
_KILL = {"kill": (62, 129), "tkill": (200, 130), "tgkill": (234, 131)}
_CLONE = (56, 220)
_CLONE3 = (435, 435)
_SOCKET = (41, 198)
_MACHINES = {"x86_64": (0, 0xC000003E), "aarch64": (1, 0xC00000B7)}  # column, name in the kernel
_OTHER_CALLING_CONVENTION = 0x40000000  # of x86_64, with numbers of its own
_NAMESPACES = (
    linux.CLONE_NEWNS
    | linux.CLONE_NEWCGROUP
    | linux.CLONE_NEWUTS
    | linux.CLONE_NEWIPC
    | linux.CLONE_NEWUSER
    | linux.CLONE_NEWPID
    | linux.CLONE_NEWNET
)

_LOAD, _EQUAL, _AT_LEAST, _ANY_BIT, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_NUMBER, _MACHINE, _FIRST_ARGUMENT = 0, 4, 16  # offsets in the kernel's struct seccomp_data
_ALLOW, _FAIL = 0x7FFF0000, 0x00050000
_Line = tuple[int, int, int, int]  # operation, lines to skip if true, if false, value


class _Instruction(ctypes.Structure):
    _fields_ = (
        ("code", ctypes.c_uint16),
        ("if_true", ctypes.c_uint8),
        ("if_false", ctypes.c_uint8),
        ("value", ctypes.c_uint32),
    )


class _Program(ctypes.Structure):
    _fields_ = (("length", ctypes.c_uint16), ("lines", ctypes.POINTER(_Instruction)))


def restrict(protected: tuple[int, ...] = ()) -> None:
    """Refuse these calls from here on, in this process and in all that it starts.

    On a processor whose numbers are not known nothing is refused.

    Args:
        protected: processes that may not be sent a signal, where no namespace hides them.
    """
    _refuse(_REFUSED, protected)


def refuse_help() -> None:
    """Refuse, from here on, new programs and signs by files from other sandboxed processes."""
    if sys.platform == "linux":
        _refuse(_HELP, commands=_LOCKS)


def _refuse(
    calls: Mapping[str, tuple[int, int]],
    protected: tuple[int, ...] = (),
    commands: tuple[int, ...] = (),
) -> None:
    if platform.machine() not in _MACHINES:
        return
    lines = _lines(*_MACHINES[platform.machine()], calls, protected, commands)
    array = (_Instruction * len(lines))(*(_Instruction(*line) for line in lines))
    linux.set_filter(_Program(len(lines), array))


def _lines(
    column: int,
    machine: int,
    calls: Mapping[str, tuple[int, int]],
    protected: tuple[int, ...],
    commands: tuple[int, ...],
) -> list[_Line]:
    refuse = _fail(errno.EPERM)
    lines: list[_Line] = [(_LOAD, 0, 0, _MACHINE), (_EQUAL, 1, 0, machine), refuse]
    lines += [(_LOAD, 0, 0, _NUMBER), (_AT_LEAST, 0, 1, _OTHER_CALLING_CONVENTION), refuse]
    for numbers in calls.values():
        lines += _call(numbers[column], [refuse])
    # The C library then makes threads with the older call, whose flags can be inspected.
    lines += _call(_CLONE3[column], [_fail(errno.ENOSYS)])
    lines += _call(_CLONE[column], [_FIRST, (_ANY_BIT, 0, 1, _NAMESPACES), refuse, _PERMIT])
    lines += _call(
        _SOCKET[column],
        [_FIRST, (_EQUAL, 1, 0, int(socket.AF_UNIX)), _fail(errno.EAFNOSUPPORT), _PERMIT],
    )
    lines += _call(_FCNTL[column], [_SECOND, *_refused(commands), _PERMIT])
    if protected:
        targets = (-1, *protected, *(-process for process in protected))
        for numbers in _KILL.values():
            lines += _call(numbers[column], [_FIRST, *_refused(targets), _PERMIT])
    return [*lines, _PERMIT]


def _refused(values: tuple[int, ...]) -> list[_Line]:
    """Lines that refuse these values of the argument that was loaded."""
    refuse = _fail(errno.EPERM)
    return [line for value in values for line in ((_EQUAL, 0, 1, value % 2**32), refuse)]


_FIRST: _Line = (_LOAD, 0, 0, _FIRST_ARGUMENT)
_SECOND: _Line = (_LOAD, 0, 0, _FIRST_ARGUMENT + 8)
_PERMIT: _Line = (_RETURN, 0, 0, _ALLOW)


def _fail(number: int) -> _Line:
    return (_RETURN, 0, 0, _FAIL | number)


def _call(number: int, then: list[_Line]) -> list[_Line]:
    """Lines for one system call; they must return."""
    return [(_EQUAL, 0, len(then), number), *then]
