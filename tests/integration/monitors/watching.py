"""Monitors of a site on loopback: their runs are done job by job in this process."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from app.core import db, ids
from app.core.http.fields import RowView
from app.core.ids import Noun
from app.domains.queue.jobs import schedules
from app.domains.records.monitors.service import LOOK_AGAIN_SECONDS
from app.domains.records.page_jobs import service as extractions
from app.domains.records.page_jobs.runs import run_store, types
from app.domains.records.page_jobs.runs.run_store import JobRun
from app.domains.records.page_jobs.runs.types import ChangeFilter
from app.domains.records.page_jobs.store import PageJob
from tests.integration.page_jobs.reading import LAMP, MOST_PAGES, Workshop

LET_TIME_PASS = """
    update extraction_pages set not_before = not_before - make_interval(secs => %(seconds)s)
    where state = 'queued'
    """
LET_LANES_GO = """
    update jobs set run_at = now()
    where kind = 'extractions.pages' and state = 'queued' and run_at > now()
    """
DUE = "update schedules set next_tick = date_trunc('second', now()) - interval '1 s'"


@dataclass
class Watching(Workshop):
    """Submits monitors, and lets their ticks come."""

    def watch(self, source: dict[str, Any], *, lines: bool = False, **body: Any) -> PageJob:
        """A monitor whose first run is over. `lines`: without a schema."""
        whole = {
            "type": "monitoring",
            "source": source,
            "schedule": {"every": "1d"},
            "max_pages": MOST_PAGES,
            "deadline_seconds": 3_600,
            **({} if lines else {"schema": LAMP}),
            **body,
        }
        with db.transaction() as tx:
            job = extractions.submit(tx, self.account_id, "monitoring", whole, kept_seconds=86_400)
        self.finish()
        return job

    def watch_changing(self, path: str, page: Callable[[], str]) -> PageJob:
        """A monitor without a schema of a page that is another one at each fetch."""
        self.site.pages[path] = page
        return self.watch(self.urls(path), lines=True)

    def run(self, job: PageJob) -> JobRun:
        """A run now, to its end."""
        self.begin(job)
        self.finish()
        return self.last(job)

    def begin(self, job: PageJob) -> None:
        with db.transaction() as tx:
            extractions.rerun(tx, self.account_id, job.id, kept_seconds=86_400)

    def tick(self) -> int:
        """Let the next tick of all schedules come; how many jobs it makes."""
        with db.transaction() as tx:
            tx.execute(DUE)
        with db.transaction() as tx:
            return schedules.tick(tx)

    def finish(self) -> None:
        """Work until nothing is left, the second looks too."""
        while self.work() or self._pass_time():
            pass

    def _pass_time(self) -> bool:
        with db.transaction() as tx:
            tx.execute(LET_TIME_PASS, {"seconds": LOOK_AGAIN_SECONDS})
            return bool(tx.execute(LET_LANES_GO).rowcount)

    def last(self, job: PageJob) -> JobRun:
        with db.reading() as reader:
            return run_store.page(reader, job.id, None, 1)[0]

    def runs(self, job: PageJob) -> list[JobRun]:
        """Oldest first."""
        with db.reading() as reader:
            return run_store.page(reader, job.id, None, 100)[::-1]

    def verdicts(self, run: JobRun) -> dict[str, int]:
        verdicts: dict[str, int] = run.stats["verdicts"]
        return verdicts

    def text_cited(self, side: dict[str, Any]) -> str:
        """The text that a passage of a change stands in, as its owner reads it."""
        with db.reading() as reader:
            return extractions.snapshot(
                reader, self.account_id, ids.lookup(Noun.SNAPSHOT, side["snapshot"])
            ).text

    def changes(self, job: PageJob, run: JobRun | None = None) -> list[RowView]:
        """Newest first."""
        wanted = ChangeFilter(run_id=run.id if run else None, most=1_000)
        with db.reading() as reader:
            return types.of(job.type).changes(reader, job, wanted)
