"""The folder in which the processes of a local run share what they count."""

import hashlib
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

MEMORY: Final = Path("/dev/shm")  # noqa: S108 - a folder is made in it that is ours alone


@contextmanager
def shared_metrics(data: Path) -> Iterator[Path]:
    """An empty folder for the run on `data`, in memory where the system has a file system for that.

    Counters are mapped files: on a disk that is full, counting would end the process (SIGBUS).
    """
    folder = _made(MEMORY / _name(data)) or _made(data / "metrics")
    if folder is None:
        raise OSError(f"no folder for metrics can be made in {data}")
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _name(data: Path) -> str:
    """The same for each run on the data, so that what a killed one left is found."""
    digest = hashlib.sha256(os.fsencode(data.resolve())).hexdigest()[:16]
    return f"citegrid-{os.getuid()}-{digest}"


def _made(folder: Path) -> Path | None:
    """Made anew for nobody else; None where it cannot be, or another user has taken its name."""
    shutil.rmtree(folder, ignore_errors=True)
    try:
        folder.mkdir(mode=0o700)
    except OSError:
        return None
    return folder
