"""Namespaces of Linux in which only Python and the course's package can be seen.

The fork server goes into a shelter once (``leave`` and ``furnish``); each worker then gets rooms
of its own in it (``enter_room`` and ``become``). The superuser needs nothing for that; everybody
else needs user namespaces.
"""

import os
import sys
from collections.abc import Iterator
from pathlib import Path

from transformer_checks import PACKAGES
from transformer_checks.grading import linux
from transformer_checks.grading.resources import Resources

HOME = "/home/learner"
STRANGER = 61_184  # a user of no one: systemd lends such numbers to services
_PACKAGES = list(map(os.path.realpath, PACKAGES))
_COURSE = os.path.dirname(_PACKAGES[0])
_REFERENCES = os.path.join(_PACKAGES[1], "catalogue")
_SYSTEM = (
    "/usr",
    "/bin",
    "/sbin",
    "/lib",
    "/lib32",
    "/lib64",
    "/nix/store",
    "/etc/alternatives",
    "/etc/fonts",
    "/etc/ld.so.cache",
    "/etc/ld.so.conf",
    "/etc/ld.so.conf.d",
    "/etc/localtime",
    "/etc/mime.types",
    "/sys/devices/system/cpu",
)
_DEVICES = ("/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom")
_LINKS = {"/tmp": "home/tmp", "/dev/shm": "../home/shm", "/dev/fd": "/proc/self/fd"}
_NEW_ROOT = "/tmp"  # every machine has this folder; what is below it counts from here on
_ROOM = (
    linux.CLONE_NEWNS
    | linux.CLONE_NEWIPC
    | linux.CLONE_NEWNET
    | linux.CLONE_NEWUTS
    | linux.CLONE_NEWCGROUP
)
_PLAIN = linux.MS_NOSUID | linux.MS_NODEV


def leave(user_namespace: bool) -> None:
    """Leave the machine's namespaces; as to processes, this one's children will be in new ones.

    Args:
        user_namespace: what everybody but the superuser needs.

    Raises:
        OSError: this machine does not allow it.
    """
    user, group = os.geteuid(), os.getegid()
    linux.unshare(_ROOM | linux.CLONE_NEWPID | (linux.CLONE_NEWUSER if user_namespace else 0))
    if user_namespace:
        Path("/proc/self/setgroups").write_text("deny")
        Path("/proc/self/uid_map").write_text(f"{user} {user} 1")
        Path("/proc/self/gid_map").write_text(f"{group} {group} 1")


def furnish() -> None:
    """Make the root of the file system one that holds only what a notebook may see.

    Raises:
        OSError: this machine does not allow it.
    """
    os.umask(0o022)
    shown, links = _shown()
    # A descriptor still leads to a folder that the mount on /tmp covers.
    sources = {path: os.open(path, os.O_PATH) for path in (*shown, *_DEVICES)}
    linux.mount("none", "/", flags=linux.MS_REC | linux.MS_PRIVATE)
    linux.mount("tmpfs", _NEW_ROOT, "tmpfs", _PLAIN, "mode=755,size=1m")
    hidden = list(_place(shown, sources))
    for device in _DEVICES:
        _bind(sources[device], device)
    for link, target in {**links, **_LINKS}.items():
        # A course that lies in /tmp makes it a folder, and read-only; TMPDIR leads elsewhere.
        if not _made(link).exists():
            _made(link).symlink_to(target)
    for folder in ("/proc", "/home"):
        _made(folder).mkdir()
    _made("/etc/passwd").write_text(f"learner:x:{STRANGER}:{STRANGER}::{HOME}:/bin/sh\n")
    for descriptor in sources.values():
        os.close(descriptor)
    _mount_proc(_NEW_ROOT)  # while the old one is there: the kernel shows no more than before
    linux.change_root(_NEW_ROOT)
    for path in (*hidden, "/"):
        linux.seal(path)


def _shown() -> tuple[list[str], dict[str, str]]:
    """What Python needs, by the paths that it uses: files and folders, and links between them."""
    python = [sys.prefix, sys.base_prefix, sys.executable]
    paths = {*_SYSTEM, *python, *map(os.path.realpath, python), *sys.path, *_mapped(), *_PACKAGES}
    paths = {path for path in paths if os.path.isabs(path) and os.path.exists(path)}
    if not _COURSE.endswith("-packages"):
        paths.discard(_COURSE)  # a checkout: there the solutions lie beside the package
    links = {path: os.readlink(path) for path in _SYSTEM if os.path.islink(path)}
    return sorted(paths - links.keys()), links


def _mapped() -> set[str]:
    """Folders of the libraries that this process uses."""
    lines = Path("/proc/self/maps").read_text().splitlines()
    files = {line.split(maxsplit=5)[-1] for line in lines}
    return {os.path.dirname(file) for file in files if ".so" in file and os.path.isfile(file)}


def _place(shown: list[str], sources: dict[str, int]) -> Iterator[str]:
    """Bind what is shown, cover what is not; yields the covers, which still are writable."""
    placed: dict[str, bool] = {}
    for path in sorted({*shown, _COURSE, _REFERENCES}):  # folders come before what is in them
        around = max((p for p in placed if path.startswith(f"{p}/")), key=len, default="")
        visible = placed.get(around, False)
        if path in shown and not visible:
            _bind(sources[path], path)
            placed[path] = True
        elif path not in shown and visible:
            linux.mount("tmpfs", _NEW_ROOT + path, "tmpfs", _PLAIN, "mode=755,size=1m")
            placed[path] = False
            yield path


def _bind(source: int, path: str) -> None:
    target = _made(path)
    device = path in _DEVICES
    if not target.exists():
        target.mkdir() if os.path.isdir(f"/proc/self/fd/{source}") else target.touch()
    flags = linux.MS_BIND | (0 if device else linux.MS_REC)
    linux.mount(f"/proc/self/fd/{source}", str(target), flags=flags)
    if not device:
        linux.seal(str(target), all_inside=True)


def _made(path: str) -> Path:
    """A place in the new root, with the folders around it."""
    target = Path(_NEW_ROOT + path)
    target.parent.mkdir(parents=True, exist_ok=True)
    return target


def _mount_proc(root: str) -> None:
    linux.mount("proc", f"{root}/proc", "proc", _PLAIN | linux.MS_NOEXEC)


def enter_room(resources: Resources, user: int) -> None:
    """Give this process rooms that no other worker shares, and an empty home in memory.

    It must be the first process of a namespace of processes.
    """
    linux.unshare(_ROOM)
    _mount_proc("")
    options = f"mode=755,size={resources.written},nr_inodes=20000"
    linux.mount("tmpfs", "/home", "tmpfs", _PLAIN, options)
    for folder, mode in ((HOME, 0o755), ("/home/tmp", 0o1777), ("/home/shm", 0o1777)):
        os.mkdir(folder)
        os.chmod(folder, mode)
        os.chown(folder, user, -1)
    # If memory runs out all the same, the system ends this one first.
    Path("/proc/self/oom_score_adj").write_text("1000")
    linux.seal("/proc")


def stranger() -> int:
    """The user that a worker becomes: another one than ours, where the system lends us one."""
    if os.geteuid() != 0:
        return os.geteuid()
    for line in Path("/proc/self/uid_map").read_text().splitlines():
        first, _, length = map(int, line.split())
        if first <= STRANGER < first + length:
            return STRANGER
    return 0


def become(user: int) -> None:
    """Be this user without any privilege, for good."""
    if user != os.geteuid():
        os.setgroups([])
        os.setresgid(user, user, user)
        os.setresuid(user, user, user)
        linux.show_memory()  # the change of user had hidden it, /proc/self included
    linux.drop_capabilities()
    linux.no_new_privileges()
