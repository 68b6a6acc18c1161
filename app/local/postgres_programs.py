"""Postgres's own client programs, run against the database of a connection URL."""

import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

from psycopg import pq

from app.core.config import settings
from app.local.embedded import postgres
from app.local.embedded.children import ServerFailed

DEBIAN = "/usr/lib/postgresql/{}/bin"


class ProgramFailed(RuntimeError):
    """A program is missing or failed; the message names it."""


def run(name: str, url: str, server_version: int, *arguments: str | Path) -> str:
    """Run `pg_dump` or the like; what it printed. Raises ProgramFailed.

    How to connect is in its environment: everybody on the machine can read arguments.
    """
    program = _find(name, server_version // 10_000)
    environment = settings.environment() | _as_variables(url) | {"LC_ALL": "C"}
    ended = subprocess.run(  # noqa: S603 (Postgres's program with arguments of ours)
        [program, *arguments], env=environment, capture_output=True, text=True
    )
    if ended.returncode != 0:
        raise ProgramFailed(f"{name}: {ended.stderr.strip() or ended.returncode}")
    return ended.stdout


def _find(name: str, major: int) -> Path:
    """That of the server's version, else the next newer; an older one refuses to work."""
    known = {path: _major(path) for path in _candidates(name, major)}
    fitting = [path for path, version in known.items() if version >= major]
    if not fitting:
        raise ProgramFailed(
            f"{name} of Postgres {major} or newer is required. On Debian:"
            f" apt install postgresql-client-{major}"
        )
    return min(fitting, key=lambda path: known[path])


def _candidates(name: str, major: int) -> Iterator[Path]:
    if (installed := Path(DEBIAN.format(major)) / name).exists():
        yield installed
    if on_path := shutil.which(name):
        yield Path(on_path)
    try:
        yield postgres.programs() / name
    except ServerFailed:
        return


def _major(program: Path) -> int:
    """`pg_dump (PostgreSQL) 18.1 (Debian 18.1-1)` is 18; 0 where it cannot tell."""
    ended = subprocess.run([program, "--version"], capture_output=True, text=True)  # noqa: S603
    number = ended.stdout.partition("(PostgreSQL) ")[2].partition(".")[0]
    return int(number) if number.isdigit() else 0


def _as_variables(url: str) -> dict[str, str]:
    """A connection URL as libpq's environment variables."""
    return {
        os.fsdecode(option.envvar): os.fsdecode(option.val)
        for option in pq.Conninfo.parse(url.encode())
        if option.val and option.envvar
    }
