"""`make test-faults-full`: mixed jobs under every fault, and the page of what came of it."""

import argparse
import math
import multiprocessing
import shlex
import sys
import time
import traceback
from dataclasses import dataclass
from functools import partial
from itertools import groupby
from pathlib import Path
from typing import Final

from tests.fault.full import evidence, machine, network, processes, report, stores
from tests.fault.full.budget import Budget, dealt
from tests.fault.full.fault import Fault
from tests.fault.full.running import Outcome, Stage, started, tried
from tests.mixed.installation import Installation

JOBS, SHORT_JOBS = 10_000, 120
FAULTS: Final[tuple[type[Fault], ...]] = (
    processes.WorkerKilled,
    processes.Deployed,
    processes.WebKilled,
    processes.DispatcherKilled,
    processes.DispatchersDoubled,
    stores.RedisRestarted,
    stores.RedisFlushed,
    stores.RedisAway,
    stores.PostgresEnded,
    stores.BackendsKilled,
    machine.SlowDisk,
    processes.WorkerFrozen,
    network.NetworkCut,
    network.NetworkStalled,
    network.NetworkHalfOpen,
    machine.ClockJumped,
    machine.DatabaseDiskFull,
    machine.ScratchDiskFull,
)
ORDER: Final = [fault.name for fault in FAULTS]
_BEGAN: Final = time.monotonic()


class _EverythingAtOnce(Fault):
    """The short form: one start of the service, and what is quick to strike."""

    name = "short form"
    pause_seconds = 0.0
    _STRIKES = (
        stores.RedisFlushed(),
        processes.WorkerKilled(),
        stores.PostgresEnded(),
    )
    times = len(_STRIKES)

    def strike(self, running: Installation, n: int) -> None:
        self._STRIKES[n].strike(running, 0)


@dataclass(frozen=True)
class _Page:
    """Where the rows of the report go."""

    path: Path

    def write(self, fault: Fault, line: str) -> None:
        report.updated(self.path, {fault.name: line}, ORDER, _command())

    def skip(self, fault: Fault, why: str) -> None:
        """A row that it has already stays."""
        _say(f"{fault.name}: not run, {why}")
        line = report.not_run(fault.name, why)
        report.updated(self.path, {}, ORDER, _command(), unless_there={fault.name: line})


@dataclass
class _Run:
    """What a command was given, and how many of its faults came to something else than nothing."""

    jobs: int
    page: _Page
    budget: Budget
    bad: int = 0


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "-k", dest="wanted", default="", help="faults whose name has one of these in it: a,b"
    )
    parser.add_argument("--jobs", type=int, default=JOBS, help="under each fault, at most")
    parser.add_argument(
        "--minutes", type=float, default=math.inf, help="for all; faults get as many jobs as fit"
    )
    parser.add_argument(
        "--at-once", type=int, default=1, help="so many faults side by side, each with a service"
    )
    parser.add_argument("--short", action="store_true", help="some faults in one run, no page")
    parser.add_argument("--page", type=Path, default=report.PAGE)
    options = parser.parse_args()
    if options.short:
        sys.exit(_short())
    wanted = [each for each in FAULTS if _is_wanted(each, options.wanted)]
    if options.at_once == 1:
        sys.exit(_all(wanted, options))
    sys.exit(_side_by_side(wanted, options))


def _command() -> str:
    options = shlex.join(sys.argv[1:])
    return f'make test-faults-full ARGS="{options}"' if options else "make test-faults-full"


def _short() -> int:
    fault = _EverythingAtOnce()
    with started(fault, _say) as stage:
        return not _good(fault, tried(fault, stage, SHORT_JOBS, _say))


def _side_by_side(wanted: list[type[Fault]], options: argparse.Namespace) -> int:
    """Faults in processes of their own, about as much work in each; how many of these went bad."""
    context = multiprocessing.get_context("fork")  # nothing has begun here yet
    lanes = [
        context.Process(target=_lane, args=(lane, options))
        for lane in dealt(wanted, options.at_once)
    ]
    for lane in lanes:
        lane.start()
    for lane in lanes:
        lane.join()
    return sum(lane.exitcode != 0 for lane in lanes)


def _lane(wanted: list[type[Fault]], options: argparse.Namespace) -> None:
    sys.exit(_all(wanted, options))


def _all(wanted: list[type[Fault]], options: argparse.Namespace) -> int:
    """How many faults came to something else than nothing."""
    page = _Page(options.page)
    possible = [each for each in (kind() for kind in wanted) if _is_possible(each, page)]
    budget = Budget(possible, options.minutes * 60, time.monotonic)
    run = _Run(options.jobs, page, budget)
    for _, group in groupby(possible, lambda fault: fault.group):
        left = list(group)
        while left:  # a service that was left in disorder is started anew for the others
            _group(left, run)
    return run.bad


def _is_wanted(fault: type[Fault], wanted: str) -> bool:
    return any(part.strip().lower() in fault.name.lower() for part in wanted.split(","))


def _is_possible(fault: Fault, page: _Page) -> bool:
    if why := fault.missing():
        page.skip(fault, why)
    return not why


def _group(left: list[Fault], run: _Run) -> None:
    """Try faults on one service, until one leaves it in disorder. Takes them from `left`."""
    first = left[0]
    try:
        with started(first, _say) as stage:
            while left and _one(left.pop(0), stage, run):
                pass
    except Exception as error:  # noqa: BLE001 (the others are tried all the same)
        _say(f"the service did not start or end well\n{traceback.format_exc()}")
        run.bad += 1
        if first in left:
            run.page.write(left.pop(0), report.failed(first.name, repr(error), report.commit()))


def _one(fault: Fault, stage: Stage, run: _Run) -> bool:
    """Whether the service is in order afterwards."""
    jobs, began = run.budget.jobs(fault, run.jobs), time.monotonic()
    if not jobs:
        run.page.skip(fault, "no time was left")
        return True
    _say(f"{fault.name}: {jobs} jobs")
    try:
        outcome = tried(fault, stage, jobs, partial(_say_of, fault))
    except Exception as error:  # noqa: BLE001 (as above)
        _say(f"{fault.name}: did not come to its end\n{traceback.format_exc()}")
        run.page.write(fault, report.failed(fault.name, repr(error), report.commit()))
        good = False
    else:
        run.budget.took(fault, jobs, time.monotonic() - began)
        good = _good(fault, outcome)
        run.page.write(fault, report.row(fault.name, outcome, report.commit(), report.shape()))
    run.bad += not good
    if not good:
        evidence.keep(fault.name, stage.running, _say)
    return good


def _good(fault: Fault, outcome: Outcome) -> bool:
    tally = outcome.tally
    _say(
        f"{fault.name}: {tally.jobs} jobs, lost {tally.lost}, doubled {tally.doubled},"
        f" open {tally.open}, late {tally.late}, wrong {tally.wrong}; {dict(outcome.effects)};"
        f" open at strikes {list(outcome.open_at_strikes)}; ended early {outcome.ended_early};"
        f" repeated {outcome.repeated}; {outcome.seconds:.0f} s"
    )
    for example in tally.examples:
        _say(f"  {example}")
    return tally.good


def _say_of(fault: Fault, text: str) -> None:
    _say(f"{fault.name}: {text}")


def _say(text: str) -> None:
    sys.stdout.write(f"{time.monotonic() - _BEGAN:7.1f} s  {text}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
