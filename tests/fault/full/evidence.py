"""What is kept of a run that was not good: its logs, and its jobs with their attempts."""

import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Final

import psycopg

from tests.mixed.installation import Installation

_TABLES: Final = {
    "jobs.csv": "copy (select * from jobs order by id) to stdout (format csv, header)",
    "job_attempts.csv": "copy (select * from job_attempts) to stdout (format csv, header)",
}


def keep(name: str, running: Installation, say: Callable[[str], None]) -> None:
    """In a folder of its own, which is left behind."""
    folder = Path(tempfile.mkdtemp(prefix="fault-evidence-"))
    for log in running.home.glob("*.log"):
        shutil.copy(log, folder)
    try:
        with psycopg.connect(running.postgres.url()) as connection:
            for file, statement in _TABLES.items():
                with connection.cursor().copy(statement) as rows:
                    (folder / file).write_bytes(b"".join(rows))
    except (psycopg.Error, RuntimeError) as error:
        say(f"{name}: no tables are kept: {error!r}")
    say(f"{name}: logs, jobs and attempts are in {folder}")
