"""Linux namespaces in which only Python and the course's packages can be seen.

The fork server enters namespaces of its own once (``leave_host`` and ``build_root``); each worker
then gets further ones inside them (``isolate_worker`` and ``drop_privileges``). Root needs nothing
for that; everybody else needs user namespaces.

Bubblewrap could build the outer room, but would save no code: the room of each worker needs the
same calls, and a machine without bubblewrap needs all of what stands here.
"""

import os
import sys
from collections.abc import Iterator
from pathlib import Path

from notebook_judge.course import course, folder_of
from notebook_judge.grading.limits import Limits
from notebook_judge.grading.sandbox import linux

HOME = "/home/.learner"  # no user has it, and the course may lie below a user's
UNPRIVILEGED_UID = 61_184  # belongs to nobody: systemd lends such numbers to services
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
# Beside Python and libraries, a place for what this machine serves to others: nbgrader's exchange.
_COVERED = {f"/usr/local/{name}" for name in ("share", "src", "etc")}
_DEVICES = ("/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom")
_NEW_ROOT = "/tmp"  # every machine has this folder; what is below it is reached by descriptors
_WORKER_MEMORY = "/.memory"  # where a worker's own file system is mounted first
_WRITABLE = {"/home": 0o755, "/tmp": 0o1777, "/dev/shm": 0o1777}
_WORKER_NAMESPACES = (
    linux.CLONE_NEWNS
    | linux.CLONE_NEWIPC
    | linux.CLONE_NEWNET
    | linux.CLONE_NEWUTS
    | linux.CLONE_NEWCGROUP
)
_SAFE_MOUNT = linux.MS_NOSUID | linux.MS_NODEV


def leave_host(user_namespace: bool) -> None:
    """Leave the machine's namespaces; the PID namespace changes for children of this process only.

    Args:
        user_namespace: whether to make one, as everybody but root must.

    Raises:
        OSError: this machine does not allow it.
    """
    user, group = os.geteuid(), os.getegid()
    kinds = _WORKER_NAMESPACES | linux.CLONE_NEWPID
    linux.unshare(kinds | (linux.CLONE_NEWUSER if user_namespace else 0))
    if user_namespace:
        Path("/proc/self/setgroups").write_text("deny")
        Path("/proc/self/uid_map").write_text(f"{user} {user} 1")
        Path("/proc/self/gid_map").write_text(f"{group} {group} 1")


def build_root() -> None:
    """Replace the root of the file system by one that holds only what a notebook may see.

    Raises:
        OSError: this machine does not allow it.
    """
    os.umask(0o022)
    shown, links = _shown()
    # A descriptor still leads to a folder that the mount on /tmp covers.
    sources = {path: os.open(path, os.O_PATH) for path in (*shown, *_DEVICES)}
    linux.mount("none", "/", flags=linux.MS_REC | linux.MS_PRIVATE)
    linux.mount("tmpfs", _NEW_ROOT, "tmpfs", _SAFE_MOUNT, "mode=755,size=1m")
    hidden = list(_place(shown, sources))
    for device in _DEVICES:
        _bind(sources[device], device)
    for link, target in {**links, "/dev/fd": "/proc/self/fd"}.items():
        if not _in_new_root(link).exists():  # else it is the way to something that is shown
            _in_new_root(link).symlink_to(target)
    for folder in ("/proc", _WORKER_MEMORY, *_WRITABLE):
        _in_new_root(folder).mkdir(exist_ok=True)
    passwd = f"learner:x:{UNPRIVILEGED_UID}:{UNPRIVILEGED_UID}::{HOME}:/bin/sh\n"
    _in_new_root("/etc/passwd").write_text(passwd)
    for descriptor in sources.values():
        os.close(descriptor)
    _mount_proc(_NEW_ROOT)  # while the old one is there: the kernel shows no more than before
    linux.change_root(_NEW_ROOT)
    for path in (*hidden, "/"):
        linux.seal(path)


def _shown() -> tuple[list[str], dict[str, str]]:
    """What Python needs, by the paths that it uses: files and folders, and links between them."""
    python = [sys.prefix, sys.base_prefix, sys.executable]
    paths = {*_SYSTEM, *python, *map(os.path.realpath, python), *sys.path, *_libraries()}
    paths = {
        path for path in (*paths, *_packages()) if os.path.isabs(path) and os.path.exists(path)
    }
    # Of a checkout no more than the packages: the solutions lie beside them.
    paths -= {folder for folder in _around() if not folder.endswith("-packages")}
    links = {path: os.readlink(path) for path in _SYSTEM if os.path.islink(path)}
    return sorted(paths - links.keys()), links


def _packages() -> list[str]:
    return list(map(os.path.realpath, course().seen))


def _around() -> set[str]:
    """The folders that hold packages of the course."""
    return set(map(os.path.dirname, (*_packages(), _references())))


def _references() -> str:
    return os.path.realpath(folder_of(course().hidden))


def _libraries() -> set[str]:
    """Folders of the shared libraries that this process uses."""
    lines = Path("/proc/self/maps").read_text().splitlines()
    files = {line.split(maxsplit=5)[-1] for line in lines}
    return {os.path.dirname(file) for file in files if ".so" in file and os.path.isfile(file)}


def _place(shown: list[str], sources: dict[str, int]) -> Iterator[str]:
    """Bind what is shown, cover what is not; yields the covers, which still are writable."""
    placed: dict[str, bool] = {}
    covered = filter(os.path.isdir, _COVERED)
    # Folders come before what is in them.
    for path in sorted({*shown, *_around(), _references(), *covered}):
        around = max((p for p in placed if path.startswith(f"{p}/")), key=len, default="")
        visible = placed.get(around, False)
        if path in shown and not visible:
            _bind(sources[path], path)
            placed[path] = True
        elif path not in shown and visible:
            linux.mount("tmpfs", _NEW_ROOT + path, "tmpfs", _SAFE_MOUNT, "mode=755,size=1m")
            placed[path] = False
            yield path


def _bind(descriptor: int, path: str) -> None:
    device, source = path in _DEVICES, f"/proc/self/fd/{descriptor}"
    target = _in_new_root(path)
    _make_mount_point(source, target)
    linux.mount(source, str(target), flags=linux.MS_BIND | (0 if device else linux.MS_REC))
    if not device:
        linux.seal(str(target), all_inside=True)


def _make_mount_point(source: str, target: Path) -> None:
    """Make a folder where a folder is to be mounted, and a file where a file is."""
    if os.path.isdir(source):
        target.mkdir(exist_ok=True)
    else:
        target.touch()


def _in_new_root(path: str) -> Path:
    """A path in the new root, with the folders around it."""
    target = Path(_NEW_ROOT + path)
    target.parent.mkdir(parents=True, exist_ok=True)
    return target


def _mount_proc(root: str) -> None:
    linux.mount("proc", f"{root}/proc", "proc", _SAFE_MOUNT | linux.MS_NOEXEC)


def isolate_worker(limits: Limits, user: int) -> None:
    """Give this process namespaces that no other worker shares, and an empty home in memory.

    It must be the first process of a PID namespace.
    """
    linux.unshare(_WORKER_NAMESPACES)
    _mount_proc("")
    options = f"mode=755,size={limits.written},nr_inodes=20000"
    linux.mount("tmpfs", _WORKER_MEMORY, "tmpfs", _SAFE_MOUNT, options)
    for number, (path, mode) in enumerate(_WRITABLE.items()):
        own = Path(_WORKER_MEMORY, str(number))
        own.mkdir()
        own.chmod(mode)
        _mount_around(own, path)
    linux.unmount(_WORKER_MEMORY)  # else all that is mounted around could be seen there once more
    os.mkdir(HOME)
    os.chown(HOME, user, -1)
    # If memory runs out all the same, the system ends this one first.
    Path("/proc/self/oom_score_adj").write_text("1000")
    linux.seal("/proc")


def _mount_around(own: Path, path: str) -> None:
    """Mount the folder ``own`` at ``path``; what is in sight there stays in sight, and read-only.

    A course below /tmp or /home is there, or the Python that runs it.
    """
    for entry in os.scandir(path):
        _make_mount_point(entry.path, own / entry.name)
        linux.mount(entry.path, str(own / entry.name), flags=linux.MS_BIND | linux.MS_REC)
    linux.mount(str(own), path, flags=linux.MS_BIND | linux.MS_REC)


def unprivileged_user() -> int:
    """The user that a worker becomes: another one than ours, where the system lends us one."""
    if os.geteuid() != 0:
        return os.geteuid()
    for line in Path("/proc/self/uid_map").read_text().splitlines():
        first, _, length = map(int, line.split())
        if first <= UNPRIVILEGED_UID < first + length:
            return UNPRIVILEGED_UID
    return 0


def drop_privileges(user: int) -> None:
    """Become this user, without any privilege and for good."""
    if user != os.geteuid():
        os.setgroups([])
        os.setresgid(user, user, user)
        os.setresuid(user, user, user)
        linux.show_memory()  # the change of user had hidden it, /proc/self included
    linux.drop_capabilities()
    linux.no_new_privileges()
