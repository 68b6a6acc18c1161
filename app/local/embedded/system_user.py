"""Whom the embedded servers run as, and where that account can reach files.

Postgres refuses to run as root. When we are root, it runs as `nobody`, and its programs and data
must lie where `nobody` may go.
"""

import hashlib
import os
import pwd
import shutil
import stat
import tempfile
from dataclasses import dataclass
from pathlib import Path

# Where root keeps what an unprivileged account must reach when the project's own path is closed
# to it, for instance a clone below /root.
OPEN_PLACE = Path("/var/lib/citegrid")


@dataclass(frozen=True, slots=True)
class SystemUser:
    uid: int
    gid: int


def unprivileged() -> SystemUser | None:
    """The account for servers when we are root; None when we are not and need no other."""
    if os.geteuid() != 0:
        return None
    try:
        entry = pwd.getpwnam("nobody")
    except KeyError:
        entry = next(entry for entry in pwd.getpwall() if entry.pw_uid > 0)
    return SystemUser(entry.pw_uid, entry.pw_gid)


def reachable(path: Path) -> bool:
    """True if every folder above `path` lets anybody pass; those yet to be made will."""
    return all(
        folder.stat().st_mode & stat.S_IXOTH
        for folder in path.absolute().parents
        if folder.exists()
    )


def server_home(wanted: Path, account: SystemUser | None) -> Path:
    """`wanted`, or its stand-in below OPEN_PLACE when `account` could not get there."""
    if account is None or reachable(wanted):
        return wanted
    return OPEN_PLACE / _key(str(wanted.absolute())) / wanted.name


def reachable_copy(folders: list[Path], account: SystemUser | None) -> Path:
    """The folder that holds `folders`, copied once to OPEN_PLACE if `account` needs that.

    All of `folders` have the same parent.
    """
    parent = folders[0].parent
    if account is None or reachable(folders[0]):
        return parent
    # Files installed anew in the old place get a copy of their own.
    copy = OPEN_PLACE / _key(
        *(f"{folder.absolute()} {folder.stat().st_mtime}" for folder in folders)
    )
    if not copy.exists():
        _copy_whole(folders, copy)
    return copy


def _copy_whole(folders: list[Path], copy: Path) -> None:
    """Copies in one step: a `copy` that is found is whole, and two who make it at once make one."""
    _open_folder(copy.parent)
    fresh = Path(tempfile.mkdtemp(dir=copy.parent))
    fresh.chmod(0o755)
    for folder in folders:
        shutil.copytree(folder, fresh / folder.name, symlinks=True)
    try:
        fresh.rename(copy)
    except OSError:
        shutil.rmtree(fresh)
        if not copy.exists():
            raise


def owned_folder(path: Path, account: SystemUser | None) -> Path:
    """Create `path`, closed to all but `account` (or us)."""
    _open_folder(path.parent)
    path.mkdir(mode=0o700, exist_ok=True)
    if account:
        os.chown(path, account.uid, account.gid)
    return path


def _open_folder(path: Path) -> None:
    for folder in reversed([path, *path.parents]):
        if not folder.exists():
            folder.mkdir(exist_ok=True)
            folder.chmod(0o711)


def _key(*facts: str) -> str:
    return hashlib.sha256("\n".join(facts).encode()).hexdigest()[:16]
