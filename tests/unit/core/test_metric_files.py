"""The files in which processes count: those of ended processes are added up and removed."""

import os
import subprocess
import sys
from pathlib import Path

from prometheus_client.multiprocess import MultiProcessCollector

from app.core.metrics import files

COUNTS = """
import os, sys
from app.core import metrics
for _ in range(int(sys.argv[1])):
    if os.fork() == 0:
        metrics.claims.labels("folded").inc(3)
        metrics.job_seconds.labels("folded").observe(0.2)
        metrics.claims_waiting.inc(5)
        os._exit(0)
    os.wait()
"""


def test_what_ended_processes_counted_stays_in_one_file_of_each_kind(tmp_path: Path) -> None:
    _count(tmp_path, processes=3)
    assert len(list(tmp_path.glob("counter_*.db"))) == 4  # with that of what they are forked from
    files.fold(tmp_path)
    names = {file.name for file in tmp_path.glob("*.db")}
    assert names == {"counter_folded.db", "histogram_folded.db"}
    assert _value(tmp_path, "citegrid_job_claims_total") == 9.0
    assert _value(tmp_path, "citegrid_job_seconds_count") == 3.0


def test_what_later_processes_counted_is_added(tmp_path: Path) -> None:
    for expected in (3.0, 6.0):
        _count(tmp_path)
        files.fold(tmp_path)
        assert _value(tmp_path, "citegrid_job_claims_total") == expected


def test_the_file_of_a_process_that_lives_stays(tmp_path: Path) -> None:
    mine = tmp_path / f"counter_{os.getpid()}.db"
    mine.touch()
    files.fold(tmp_path)
    assert mine.exists()


def test_nothing_is_folded_while_somebody_reads(tmp_path: Path) -> None:
    _count(tmp_path)
    before = set(tmp_path.glob("*.db"))
    with files._held(tmp_path, files.fcntl.LOCK_SH):
        files.fold(tmp_path)
        assert set(tmp_path.glob("*.db")) == before


def _count(folder: Path, processes: int = 1) -> None:
    """In processes that have ended, forked from one that has loaded what counts."""
    variables = {**os.environ, "PROMETHEUS_MULTIPROC_DIR": str(folder)}
    subprocess.run([sys.executable, "-c", COUNTS, str(processes)], check=True, env=variables)


def _value(folder: Path, name: str) -> float:
    metrics = MultiProcessCollector(None, str(folder)).collect()
    (value,) = (
        sample.value
        for metric in metrics
        for sample in metric.samples
        if sample.name == name and sample.labels["kind"] == "folded"
    )
    return float(value)
