"""A lane: some pages of a run, fetched, read and kept."""

from collections.abc import Generator, Mapping, Sequence
from contextlib import closing
from datetime import timedelta
from uuid import UUID

from app.core import db, log, metrics
from app.core.db import Tx
from app.domains.queue.jobs.service import Finish, enqueue
from app.domains.records.page_jobs import kinds, store
from app.domains.records.page_jobs.runs import (
    continuation,
    page_store,
    page_turn_store,
    run_store,
    types,
)
from app.domains.records.page_jobs.runs.page_store import JobPage
from app.domains.records.page_jobs.runs.results import keep
from app.domains.records.page_jobs.runs.run_store import JobRun
from app.domains.records.page_jobs.runs.types import EarlierPage, PageResult
from app.domains.records.page_jobs.store import PageJob
from app.engine.fetch import Response
from app.engine.pages.page import Unreadable
from app.engine.sandbox.reader import ReaderNotReady
from app.engine.sandbox.visit import TEMPORARY
from workers.queue.attempt import Attempt, Lost, handles
from workers.records.lanes.fetch import Fetched, FetchQueue
from workers.records.lanes.model import PageModel
from workers.records.lanes.page_outcome import ReadingTask, missed, result_of
from workers.records.lanes.rendering import NEEDS_RENDERING, can_render, rendered
from workers.records.lanes.slices import SLICE_SECONDS, run_lane
from workers.records.lanes.web import PATIENCE_SECONDS, JobWeb, job_web

logger = log.get(__name__)
DUPLICATE = "duplicate"
_LONGEST_REST_SECONDS = 60.0
_MOST_HOSTS_ASKED = 64
_TRUNCATED = "page_truncated: {url}: it holds more than is read of one page; some may be missing."


@handles(kinds.PAGES)
def read_pages(attempt: Attempt) -> Finish:
    """Read some pages of a run; what follows, the run's `on_part` decides."""
    lane = _lane_of(attempt)
    return run_lane(
        attempt, lane.take, lane.work, lane.keep, lane.left, key=_page_id, ends_itself=True
    )


@handles(kinds.RENDER)
def render_page(attempt: Attempt) -> Finish:
    """Read the one page of this part after its scripts have run."""
    lane = _lane_of(attempt)
    with db.reading() as reader:
        pages = page_turn_store.taken(reader, attempt.id)
    results = [lane.in_browser(page) for page in pages]
    return lambda tx: lane.keep(tx, results)


def _lane_of(attempt: Attempt) -> "_Lane":
    run_id = UUID(attempt.payload["run_id"])
    with db.reading() as reader:
        run = run_store.by_id(reader, run_id)
        job = store.of_anybody(reader, run.job_id) if run else None
        hosts = list(page_turn_store.queued_hosts(reader, run_id))
    if run is None or job is None:
        raise Lost
    web = job_web(attempt.settings)
    web.reader.prepare()  # before anything is fetched that could not be read
    return _Lane(attempt, run, job, web, hosts)


class _Lane:
    def __init__(
        self, attempt: Attempt, run: JobRun, job: PageJob, web: JobWeb, hosts: Sequence[str]
    ) -> None:
        self._attempt, self._run, self._web = attempt, run, web
        self._task, self._type = ReadingTask.of(run, job), types.of(job.type)
        self._model = PageModel.of(attempt, run, job)
        self._resting = self._resting_of(hosts)
        self._known: Mapping[str, EarlierPage] = {}
        self._pages: dict[UUID, JobPage] = {}
        self._for_browser = can_render(attempt.settings)
        self._fetching = FetchQueue(self._fetch, attempt.check)

    def _resting_of(self, hosts: Sequence[str]) -> dict[str, float]:
        """Hosts that no lane should wait for, and how long they rest."""
        paced = [host for host in hosts if host not in self._run.unpaced][:_MOST_HOSTS_ASKED]
        seconds = {host: self._web.gate.rest_seconds(host) for host in paced}
        return {host: rest for host, rest in seconds.items() if rest > PATIENCE_SECONDS}

    def take(self, tx: Tx, part_id: UUID, most: int) -> list[JobPage]:
        own = page_turn_store.taken(tx, part_id)
        return own + continuation.take(tx, self._run.id, part_id, most, frozenset(self._resting))

    def work(self, pages: list[JobPage]) -> Generator[tuple[JobPage, PageResult]]:
        if not pages:
            return
        self._pages = {page.id: page for page in pages}
        if self._type.known is not None:
            with db.reading() as reader:
                self._known = self._type.known(reader, self._run.id, [page.url for page in pages])
        with closing(self._fetching.run(pages, self._run.unpaced, SLICE_SECONDS)) as coming:
            for page, fetched in coming:
                yield page, self._result(page, fetched)

    def in_browser(self, page: JobPage) -> PageResult:
        self._pages[page.id], self._for_browser = page, False
        fetched = self._spared(page) or self._web.fetch_patiently(page.url)
        if not isinstance(fetched, str):
            fetched = rendered(self._attempt.settings, fetched)
        return self._result(page, fetched)

    def _fetch(self, page: JobPage) -> Fetched:
        return self._spared(page) or self._web.fetch(page.url, self._known.get(page.url))

    def _spared(self, page: JobPage) -> str | None:
        """The outcome of a page that need not be fetched."""
        return self._type.spare(db.reading, self._run.id, page.url) if self._type.spare else None

    def _result(self, page: JobPage, fetched: Fetched) -> PageResult:
        result = missed(page, fetched) if isinstance(fetched, str) else self._read(page, fetched)
        if self._model is not None and result.page_records is not None:
            self._model.complete(self._task, page, result)
        metrics.pages_read.labels(_without_status(result.outcome)).inc()
        if result.page_records is not None:
            metrics.records_read.inc(len(result.page_records.records))
        if self._type.judge is not None:
            [result] = self._type.judge(db.reading, self._run.id, [result])
        return result

    def _read(self, page: JobPage, response: Response) -> PageResult:
        """A page that our own rules stumble over is one page that cannot be read."""
        known = self._known.get(page.url)
        try:
            return result_of(self._task, page, response, self._web.reader, known)
        except ReaderNotReady:
            raise  # it says nothing of the page
        except Exception:
            logger.exception("reading a page raised", host=page.host)
            return missed(page, Unreadable.UNREADABLE.value)

    def keep(self, tx: Tx, results: list[PageResult]) -> None:
        run_id = self._run.id
        page_store.lock_run(
            tx, run_id
        )  # before any snapshot: lanes never wait for each other in turn
        again = [result.page_id for result in results if self._deserves_another(result)]
        page_turn_store.again(tx, again)
        awaiting = [result.page_id for result in results if self._needs_browser(result)]
        page_turn_store.await_browser(tx, awaiting)
        results = [result for result in results if result.page_id not in (*again, *awaiting)]
        _mark_duplicates(tx, run_id, results)
        keep(tx, run_id, results)
        for result in results:
            if result.page_records is not None and result.page_records.truncated:
                store.warn(tx, self._run.job_id, _TRUNCATED.format(url=result.url))
            if result.links:
                depth = self._pages[result.page_id].depth + 1
                added = page_store.add(tx, run_id, result.links, depth, most=self._task.most)
                if added.left_out:
                    run_store.note(tx, run_id, {"page_limit": True})

    def _deserves_another(self, result: PageResult) -> bool:
        return result.outcome in TEMPORARY and self._pages[result.page_id].tries == 0

    def _needs_browser(self, result: PageResult) -> bool:
        return self._for_browser and result.outcome == NEEDS_RENDERING

    def left(self, tx: Tx, pages: list[JobPage]) -> None:
        """Leaves to another lane what was not come to; where only a host's rest is waited for, it
        is the lane's successor that waits, and no worker.
        """
        page_turn_store.hand_over(tx, self._attempt.id)
        seconds = self._fetching.rest_seconds
        if seconds is None and self._resting and not self._pages:
            seconds = min(self._resting.values())
        if seconds is not None:
            enqueue(
                tx,
                kinds.PAGES,
                self._attempt.account_id,
                {"run_id": str(self._run.id)},
                parent=self._attempt.job.parent_id,
                run_at=self._attempt.now + timedelta(seconds=min(seconds, _LONGEST_REST_SECONDS)),
            )


def _page_id(page: JobPage) -> str:
    return str(page.id)


def _without_status(outcome: str) -> str:
    """Labels are bounded: a site may answer with any status."""
    return f"{outcome[:6]}xx" if outcome.startswith("http_") else outcome


def _mark_duplicates(tx: Tx, run_id: UUID, results: Sequence[PageResult]) -> None:
    """A page that was led to where another one is has nothing of its own."""
    led = {
        result.page_id: result.final_url
        for result in results
        if result.page_records and result.final_url and result.final_url != result.url
    }
    elsewhere = page_store.elsewhere(tx, run_id, led)
    seen: set[str] = set()
    for result in results:
        final_url = led.get(result.page_id)
        if final_url is None:
            continue
        if result.page_id in elsewhere or final_url in seen:
            result.outcome, result.page_records, result.body = DUPLICATE, None, None
            result.verdict = result.judged = None
        seen.add(final_url)
