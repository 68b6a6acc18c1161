"""Walls of confinement that this system refuses: known, reported, and whether reading goes on."""

import subprocess
import sys
from collections.abc import Collection
from functools import cache
from pathlib import Path
from typing import Final

from app.core import log, metrics
from app.core.config.settings import BadConfiguration
from app.engine.sandbox import confinement

_ROOT: Final = Path(__file__).parents[3]
_PROBE_SECONDS: Final = 60.0

logger = log.get(__name__)


class ConfinementPolicy:
    """Of this process: whether documents are read where a wall is missing."""

    required = False


def missing() -> list[str]:
    """Lists the walls that a process does not get; all if none can be started."""
    probe = [sys.executable, "-P", "-s", "-m", confinement.__name__]
    try:
        ended = subprocess.run(  # noqa: S603 - this program itself
            probe,
            env={"PYTHONPATH": str(_ROOT), "PYTHONUTF8": "1"},
            cwd="/",
            capture_output=True,
            timeout=_PROBE_SECONDS,
            check=True,
        )
    except (OSError, subprocess.SubprocessError):
        return list(confinement.WALLS)
    return ended.stdout.decode().split()


def start(*, required: bool) -> None:
    """Call once when a process starts that reads documents. Raises BadConfiguration."""
    ConfinementPolicy.required = required
    walls = tuple(missing())
    if walls and required:
        raise BadConfiguration(
            f"CONFINEMENT_REQUIRED: this system lets no process give up {', '.join(walls)}."
            " See docs/explanation/security.md, Reading."
        )
    report(walls)


@cache
def report(walls: Collection[str]) -> None:
    """Say once in a process which walls are missing."""
    if not walls:
        return
    logger.warning("documents are read without a wall", missing=list(walls))
    for wall in walls:
        metrics.unconfined.labels(wall).inc()


def may_read(walls: object) -> bool:
    """True if a child that lacks these may be given documents; says so once."""
    named = walls if isinstance(walls, list) else list(confinement.WALLS)
    known = tuple(wall for wall in confinement.WALLS if wall in named)
    report(known)
    return not (known and ConfinementPolicy.required)
