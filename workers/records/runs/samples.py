"""Reading a random sample of a run's records a second time, and what their agreement says."""

import gzip
from collections.abc import Generator
from typing import Any
from uuid import UUID

from app.core import db
from app.core.db import Tx
from app.domains.queue.jobs.service import Finish, enqueue
from app.domains.records.page_jobs import kinds, store
from app.domains.records.page_jobs.runs import record_store, run_store
from app.domains.records.page_jobs.runs.continuation import LANES
from app.domains.records.page_jobs.runs.record_store import SampledRecord
from app.domains.records.page_jobs.runs.results import record_of
from app.domains.records.page_jobs.store import PageJob
from app.engine.extraction.records.second_extraction import Verdict
from app.engine.pages.page import PageUnreadable
from app.engine.sandbox.documents import Document
from app.engine.sandbox.reader import UNHURRIED
from workers.queue.attempt import Attempt, Lost, handles
from workers.records.lanes.slices import run_lane
from workers.records.lanes.web import job_web
from workers.records.runs.validation import NOT_COMPARABLE

SLICE = 20

Judged = tuple[SampledRecord, Verdict | None]


def first_slices(run_id: UUID, most: int) -> list[dict[str, Any]]:
    """Payloads of the lanes that read `most` records again; each goes on by itself."""
    starts = range(0, min(most, LANES * SLICE), SLICE)
    return [{"run_id": str(run_id), "first": first, "most": most} for first in starts]


@handles(kinds.SAMPLE)
def read_again(attempt: Attempt) -> Finish:
    """Read a slice of the sample a second time, from what was fetched the first time."""
    run_id, first = UUID(attempt.payload["run_id"]), attempt.payload["first"]
    size = min(SLICE, attempt.payload["most"] - first)
    with db.reading() as reader:
        run = run_store.by_id(reader, run_id)
        job = store.of_anybody(reader, run.job_id) if run else None
        done = {sample.record_id for sample in record_store.samples(reader, run_id)}
        drawn = record_store.draw(reader, run_id, size, first)
    if job is None:
        raise Lost
    slice = _Slice(attempt, job, run_id, [record for record in drawn if record.id not in done])
    return run_lane(
        attempt, slice.take, slice.work, slice.keep, slice.left, key=lambda drawn: str(drawn.id)
    )


class _Slice:
    def __init__(
        self, attempt: Attempt, job: PageJob, run_id: UUID, drawn: list[SampledRecord]
    ) -> None:
        self._attempt, self._run_id, self._drawn = attempt, run_id, drawn
        self._schema = job.body["schema"]
        self._reader = job_web(attempt.settings).reader

    def take(self, _tx: Tx, _part_id: UUID, _most: int) -> list[SampledRecord]:
        return self._drawn

    def work(self, records: list[SampledRecord]) -> Generator[tuple[SampledRecord, Judged]]:
        for record in records:
            yield record, (record, self._verdict(record))

    def _verdict(self, drawn: SampledRecord) -> Verdict | None:
        """None where nothing can be compared: no page is left, or it cannot be read this way."""
        if drawn.body is None:
            return None
        document = Document(
            gzip.decompress(drawn.body),
            drawn.media_type or "",
            drawn.charset,
            drawn.final_url or drawn.url,
        )
        try:
            return self._reader.second(document, UNHURRIED, self._schema, record_of(drawn))
        except PageUnreadable:
            return None

    def keep(self, tx: Tx, results: list[Judged]) -> None:
        for drawn, verdict in results:
            outcome = verdict.record if verdict else NOT_COMPARABLE
            fields = [field.as_json() for field in verdict.fields] if verdict else []
            record_store.judge(tx, self._run_id, drawn.id, outcome, fields)

    def left(self, tx: Tx, records: list[SampledRecord]) -> None:
        """The next slice of this lane, or the rest of this one."""
        payload = {name: self._attempt.payload[name] for name in ("run_id", "first", "most")}
        if not records:
            payload["first"] += LANES * SLICE
        if payload["first"] < payload["most"]:
            parent = self._attempt.job.parent_id
            enqueue(tx, kinds.SAMPLE, self._attempt.account_id, payload, parent=parent)
