"""The page of figures: what was measured, missed, or could not be measured."""

import importlib.util
import re
from pathlib import Path
from typing import Final

import pytest

from bench import all as everything
from bench import figures, measurements
from bench.figures import Aim
from bench.measurements import Outcome, Run

WHERE: Final = "2026-11-22 23:05 UTC, commit `abc`."


def outcome(folder: Path, *aims: Aim, failed: str = "") -> Outcome:
    figures.conclude("queue", aims)
    run = Run("queue", "--rounds 2")
    return measurements.outcome_of(run, 12.4, 61.0, failed, folder / "queue.json")


@pytest.fixture(autouse=True)
def out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(figures, "OUT", tmp_path)
    return tmp_path


def test_a_figure_stands_beside_its_baseline(out: Path) -> None:
    aim = figures.compared("drain", [90.0, 110.0], "bare", [100.0, 100.0], "jobs/s", ">=", 0.75)
    page = measurements.page([outcome(out, aim)], WHERE, 120)
    assert "| drain | 100 jobs/s | bare | 100 jobs/s | 1.00 |  | >= 0.75 | reached |" in page


def test_a_figure_that_misses_its_aim_is_marked(out: Path) -> None:
    missed = outcome(out, Aim("p50 ms", 12.0, "<=", 10))
    assert "| 12.00 |  | <= 10 | **missed** |" in measurements.page([missed], WHERE, 120)
    assert "MISSED   p50 ms: 12.00" in measurements.summary([missed], 120)


def test_what_is_missed_is_said_before_the_first_figure(out: Path) -> None:
    page = measurements.page([outcome(out, Aim("p50 ms", 12.0, "<=", 10))], WHERE, 120)
    assert "**Missed**: p50 ms (12.00)." in page[: page.index("## queue")]


def test_a_figure_stands_beside_that_of_the_last_time(out: Path) -> None:
    before = measurements.page([outcome(out, Aim("p50 ms", 8.0, "<=", 10))], WHERE, 120)
    now = outcome(out, Aim("p50 ms", 12.0, "<=", 10))
    page = measurements.page([now], WHERE, 120, measurements.figures_of(before))
    assert "| 12.00 | 8.00 | <= 10 | **missed** |" in page


def test_each_benchmark_has_its_command_and_what_else_the_machine_did(out: Path) -> None:
    page = measurements.page([outcome(out, Aim("x", 1, ">=", 1))], WHERE, 120)
    assert "    python -m bench.queue --rounds 2\n" in page
    assert "61 s; busy before: 12 %." in page


def test_a_benchmark_that_failed_is_on_the_page_without_figures(out: Path) -> None:
    failed = Outcome(Run("queue"), 0, 420, "not finished within 420 s")
    page = measurements.page([failed], WHERE, 420)
    assert "**Not whole: not finished within 420 s.**" in page
    assert "**Not whole**, see there: queue." in page
    assert "FAILED   queue" in measurements.summary([failed], 420)


def test_one_that_fails_at_its_end_keeps_its_figures(out: Path) -> None:
    failed = outcome(out, Aim("x", 1, ">=", 1), failed="ended with status 1")
    page = measurements.page([failed], WHERE, 61)
    assert "**Not whole: ended with status 1.**" in page
    assert "| x |" in page


def test_a_file_that_cannot_be_read_costs_no_other_figure(out: Path) -> None:
    whole = outcome(out, Aim("x", 1, ">=", 1))
    (out / "queue.json").write_text('{"aims": [{"what"')
    broken = measurements.outcome_of(Run("broken"), 0, 1, "", out / "queue.json")
    page = measurements.page([whole, broken], WHERE, 120)
    assert "| x |" in page
    assert "cannot be read" in page


def test_the_page_says_when_with_which_commit_and_on_what() -> None:
    page = measurements.page([], measurements.conditions(), 120)
    assert re.search(r"20\d\d-\d\d-\d\d \d\d:\d\d UTC, commit `[0-9a-f]+`", page)
    assert re.search(r"\d+ cores \(.+\), \d+ GiB, .+, Python 3\.\d+", page)
    assert "Took 2 minutes." in page


def test_the_page_is_written_after_each_benchmark(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(run: Run, *_: object) -> Outcome:
        if run.module == "second":
            raise KeyboardInterrupt
        return Outcome(run, 0, 1, "", [Aim("x", 1, ">=", 1)])

    monkeypatch.setattr(everything, "outcome", interrupted)
    with pytest.raises(KeyboardInterrupt):
        everything.measured([Run("first"), Run("second")], tmp_path / "page.md")
    page = (tmp_path / "page.md").read_text()
    assert "| x |" in page
    assert "**Not whole**, see there: second." in page


def test_none_begins_when_the_time_is_used_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(everything, "LAST_BEGINNING_SECONDS", 0.0)
    (left,) = everything.measured([Run("first")], None)
    assert left.failed == "no time was left"


def test_a_benchmark_that_hangs_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    hangs = everything.outcome(Run("none"), "python -c while(True):pass", 0.2, lambda _: None)
    assert hangs.failed == "not finished within 0 s"
    assert hangs.aims == []


def test_every_benchmark_of_the_page_is_there() -> None:
    for run in (*everything.CORE, *everything.FURTHER):
        assert importlib.util.find_spec(f"bench.{run.module}"), run
