"""The runs under faults: how many jobs fit into the time, and what their page keeps."""

import math
from concurrent.futures import ThreadPoolExecutor
from itertools import chain
from pathlib import Path

import pytest
from markdown_it import MarkdownIt

from tests.fault.full import report
from tests.fault.full.budget import Budget, dealt
from tests.fault.full.fault import Fault
from tests.fault.full.running import Outcome
from tests.mixed.tally import Tally

NAMES = ("this", "that")


class Striking(Fault):
    seconds = 100


def jobs_within(seconds: float, most: int = 10_000) -> int:
    faults: list[Fault] = [Striking(), Striking()]
    return Budget(faults, seconds, lambda: 0.0).jobs(faults[0], most)


def test_more_time_is_more_jobs_under_each_fault() -> None:
    assert jobs_within(2000) > jobs_within(1000) > 0


def test_a_fault_never_gets_more_jobs_than_are_wanted() -> None:
    assert jobs_within(2000, most=300) == 300


def test_without_a_limit_of_time_a_fault_gets_all_jobs() -> None:
    assert jobs_within(math.inf) == 10_000


def test_a_fault_that_does_not_fit_is_not_begun() -> None:
    assert jobs_within(100) == 0


def test_a_slow_machine_leaves_fewer_jobs_to_the_next_fault() -> None:
    faults: list[Fault] = [Striking(), Striking()]
    slow, fast = (Budget(list(faults), 2000, lambda: 0.0) for _ in range(2))
    for budget, seconds in ((slow, 2000), (fast, 100)):
        budget.jobs(faults[0], 1000)
        budget.took(faults[0], 1000, seconds)
    assert slow.jobs(faults[1], 10**6) < fast.jobs(faults[1], 10**6)


def test_lanes_have_every_fault_once_and_are_about_as_long() -> None:
    faults = [type(f"Fault{n}", (Fault,), {"seconds": 30 * n}) for n in range(9)]
    lanes = dealt(faults, 3)
    assert sorted(chain.from_iterable(lanes), key=faults.index) == faults
    lengths = [sum(fault.seconds for fault in lane) for lane in lanes]
    assert max(lengths) - min(lengths) <= 30 * 8  # the longest fault
    assert all(lane == sorted(lane, key=faults.index) for lane in lanes)


def test_more_lanes_than_faults_are_not_made() -> None:
    assert dealt([Striking], 4) == [[Striking]]


@pytest.fixture
def page(tmp_path: Path) -> Path:
    return tmp_path / "page.md"


def row(name: str) -> str:
    tally = Tally()
    tally.count("search", 7)
    outcome = Outcome({"kills": 3}, [2, 9], tally, {"lost": 1}, 4.0, {"503": 2}, {}, 60.0)
    return report.row(name, outcome, "abc", "2 cores")


def test_a_row_that_is_run_again_leaves_the_others(page: Path) -> None:
    report.written(page, {"this": row("this")}, NAMES, "make")
    lines = report.rows(page.read_text()) | {"that": row("that")}
    report.written(page, lines, NAMES, "make")
    assert row("this") in page.read_text()


def test_rows_that_processes_write_side_by_side_are_all_kept(page: Path) -> None:
    names = [f"fault {n}" for n in range(40)]
    with ThreadPoolExecutor(8) as pool:
        written = [
            pool.submit(report.updated, page, {name: row(name)}, names, "make") for name in names
        ]
    for each in written:
        each.result()
    assert report.rows(page.read_text()) == {name: row(name) for name in names}


def test_what_is_not_run_this_time_leaves_its_former_row(page: Path) -> None:
    report.written(page, {"this": row("this")}, NAMES, "make")
    skipped = {"this": report.not_run("this", "no time")}
    report.updated(page, {}, NAMES, "make", unless_there=skipped)
    assert report.rows(page.read_text())["this"] == row("this")


def test_what_was_not_run_says_so(page: Path) -> None:
    report.written(page, {"this": row("this")}, NAMES, "make")
    assert "| that | not run: not yet |" in page.read_text()


def test_a_run_that_came_to_no_tally_is_a_row_as_well(page: Path) -> None:
    line = report.failed("this", "AssertionError('a | b')", "abc")
    report.written(page, {"this": line}, NAMES, "make")
    assert report.rows(page.read_text())["this"] == line


def test_the_documents_have_nothing_to_run_on_the_page(page: Path) -> None:
    report.written(page, {"this": row("this")}, NAMES, "make test-faults-full")
    tokens = MarkdownIt().parse(page.read_text())
    assert not [token.content for token in tokens if token.type in ("fence", "code_block")]
