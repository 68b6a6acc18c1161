"""One fault from its first job to the tally: work comes in, the fault strikes, everything ends."""

import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from datetime import datetime
from typing import Final

import psycopg
from psycopg.rows import scalar_row

from app.core import db
from app.domains.money.ledger import audit
from tests.fault.full.fault import Fault
from tests.mixed.installation import Installation, installed
from tests.mixed.load import MixedLoad, closing
from tests.mixed.preparing import another, prepare
from tests.mixed.tally import Tally
from tests.mixed.world import World, world

PORTIONS: Final = 50
CAMPAIGNS_FROM: Final = 500
"""A load of fewer jobs has no campaign: it is some eighty jobs by itself."""

_MOST_WAITING: Final = 400
_STRIKE_SECONDS: Final = 900.0
_END_SECONDS: Final = 900.0
_LOOK_SECONDS: Final = 1.0
_WAITING = """
    select count(*) from jobs
    where finished_at is null and queue in ('searches', 'extraction', 'webhooks')
    """
_FORGOTTEN = """
    select kind, count(*) from jobs
    where finished_at is null and run_at < now() - interval '5 minutes' and state <> 'running'
      and queue in ('searches', 'extraction', 'webhooks', 'campaigns', 'ledger')
    group by kind
    """
_LONGEST = """
    select coalesce(max(extract(epoch from finished_at - created_at)), 0)::float8 from jobs
    where created_at > %s and queue in ('searches', 'extraction')
    """
_ENDED_EARLY = """
    select outcome, count(*)::int from job_attempts where ended_at > %s group by outcome order by 1
    """


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of a run under one fault."""

    effects: Mapping[str, int]
    open_at_strikes: Sequence[int]
    """How many jobs of the load were waiting or running when it struck."""
    tally: Tally
    ended_early: Mapping[str, int]
    """Attempts that did not end their job, by how they ended."""
    longest_seconds: float
    """From the request of a search or an extraction to its end."""
    repeated: Mapping[str, int]
    fallen: Mapping[str, int]
    seconds: float


@dataclass(frozen=True, slots=True)
class Stage:
    """A running service, and the pages and the receiver beside it."""

    running: Installation
    world: World


Say = Callable[[str], None]


@contextmanager
def started(fault: Fault, say: Say) -> Iterator[Stage]:
    """The service as this fault, and the others of its group, need it."""
    began = time.monotonic()
    with ExitStack() as ends:
        local = ends.enter_context(world())
        running = ends.enter_context(
            installed(
                local.settings,
                home=fault.home(ends),
                further=lambda running: fault.settings(running, ends),
            )
        )
        prepare(running.settings, local)
        say(f"The service is up after {time.monotonic() - began:.0f} s")
        yield Stage(running, local)


def tried(fault: Fault, stage: Stage, jobs: int, say: Say) -> Outcome:
    began, running = time.monotonic(), stage.running
    running.fallen.clear()
    prepared = another(running.settings)
    since = _now(running)
    fault.begin(running)
    load = MixedLoad(
        running.url,
        prepared.account_key,
        world=stage.world,
        campaigners=prepared.campaigners if jobs >= CAMPAIGNS_FROM else None,
        first_campaign_after=min(jobs // 4, CAMPAIGNS_FROM),
    )
    with closing(load):
        open_at_strikes = _struck(fault, running, load, jobs, say)
        say("all is submitted")
        _await_end(running, load)
        say("all has ended")
        tally = load.tally()
        ended_early, longest = _look_into_the_database(running, tally, since)
        fault.finish(running)
        return Outcome(
            dict(fault.effects),
            open_at_strikes,
            tally,
            ended_early,
            longest,
            dict(load.refusals.counts),
            dict(running.fallen),
            time.monotonic() - began,
        )


def _struck(fault: Fault, running: Installation, load: MixedLoad, jobs: int, say: Say) -> list[int]:
    """Let the fault strike again and again while work comes in; how much was open each time."""
    submitting = _Submitting(running, load, jobs)
    submitting.start()
    open_at_strikes = []
    for n in range(fault.times):
        submitting.allowed = (n + 1) / fault.times
        running.tend_until(
            lambda n=n: submitting.share >= (n + 0.5) / fault.times or submitting.over,
            _STRIKE_SECONDS,
        )
        open_at_strikes.append(_waiting(running.postgres.url()))
        fault.strike(running, n)
        running.rest(fault.pause_seconds)
        say(f"struck {n + 1} of {fault.times}, {load.submitted} jobs submitted")
    running.tend_until(lambda: submitting.over, _STRIKE_SECONDS)
    if submitting.failure:
        raise submitting.failure
    return open_at_strikes


def _await_end(running: Installation, load: MixedLoad) -> None:
    """What is not over after so long is counted as open."""
    until = time.monotonic() + _END_SECONDS
    while load.unfinished() and time.monotonic() < until:
        running.rest(_LOOK_SECONDS)


class _Submitting(threading.Thread):
    """Submits in portions, as fast as the service works them off and as far as it is `allowed`:
    each strike has its part of the load around it, however long it takes."""

    def __init__(self, running: Installation, load: MixedLoad, jobs: int) -> None:
        super().__init__(name="submitting", daemon=True)
        self._url, self._load, self._jobs = running.postgres.url(), load, jobs
        self.share, self.allowed, self.over = 0.0, 0.0, False
        self.failure: BaseException | None = None

    def run(self) -> None:
        try:
            for n in range(PORTIONS):
                while (n + 1) / PORTIONS > self.allowed or _waiting(self._url) > _MOST_WAITING:
                    time.sleep(_LOOK_SECONDS / 5)
                self._load.submit(self._jobs * (n + 1) // PORTIONS - self._jobs * n // PORTIONS)
                self.share = (n + 1) / PORTIONS
        except BaseException as error:  # noqa: BLE001 (is raised by who waits)
            self.failure = error
        finally:
            self.over = True


def _waiting(url: str) -> int:
    """How many jobs are not over; 0 while nobody can tell."""
    try:
        with psycopg.connect(url, row_factory=scalar_row) as connection:
            return int(connection.execute(_WAITING).fetchone() or 0)
    except psycopg.OperationalError:
        return 0


def _now(running: Installation) -> datetime:
    """By the clock of the database."""
    with psycopg.connect(running.postgres.url(), row_factory=scalar_row) as connection:
        now: datetime = connection.execute("select now()").fetchone()  # type: ignore[assignment]
        return now


def _look_into_the_database(
    running: Installation, tally: Tally, since: datetime
) -> tuple[dict[str, int], float]:
    """What callers do not see: attempts that ended early and the longest time that a job took,
    jobs that nobody thinks of any more, books that do not add up."""
    db.open(running.postgres.url(), size=2, wait_seconds=30.0)
    try:
        with db.reading() as reader:
            for kind, count in reader.execute(_FORGOTTEN).fetchall():
                tally.add("open", f"{count} of {kind}", count)
            for rule, count in audit.broken(reader).items():
                tally.add("wrong", f"the ledger breaks {rule} {count} times", count)
            early = dict(reader.execute(_ENDED_EARLY, [since]).fetchall())
            (longest,) = reader.execute(_LONGEST, [since]).fetchone() or (0.0,)
            return early, longest
    finally:
        db.close()
