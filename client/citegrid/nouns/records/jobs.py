"""Jobs (preview): extraction of records from pages, monitoring, workflows; and what they found."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any, Final, Literal

from citegrid.errors import StillRunning, UnusableAnswer
from citegrid.export import form_of, written
from citegrid.noun import M, Noun, iteration, operation, procedure, stream
from citegrid.nouns.records.job_results import (
    Change,
    Job,
    JobEvent,
    JobProgress,
    JobRequest,
    JobSummary,
    PageText,
    ReadPage,
    Record,
    Run,
    Verification,
)
from citegrid.nouns.records.record_schemas import schema_of
from citegrid.pagination import Page, page_of, walk
from citegrid.profiles.credentials import Access
from citegrid.service import UNSET, Call, Route, Watch, json_of, nothing
from citegrid.transport import untrusted_json
from citegrid.transport.codec import decode
from citegrid.transport.event_stream import ServerEvent
from citegrid.transport.exchange import Pause, Produce, Steps

JobType = Literal["extraction", "monitoring", "workflow"]
JobStatus = Literal["queued", "running", "completed", "failed", "cancelled"]
Verdict = Literal["same", "new", "changed", "removed", "error"]

LONGEST_WAIT_SECONDS: Final = 30.0
PAUSE_SECONDS: Final = 1.0

RECORDS: Final = Route("GET", "/v1/extract/jobs/{job_id}/records", Access.KEY)


class Jobs(Noun[M]):
    """`client.jobs` (preview)"""

    @operation("POST", "/v1/extract/jobs", Access.KEY, makes=True)
    def create(self, job: Mapping[str, Any], *, idempotency_key: str | None = None) -> Call[Job]:
        """Preview. Start a job of any type; `job` is the whole body of the request."""
        return Call(into=json_of(Job), body=job, idempotency_key=idempotency_key)

    @procedure
    def extract(
        self,
        source: Mapping[str, Any] | str | Sequence[str],
        schema: Mapping[str, Any] | type,
        *,
        max_pages: int | None = None,
        deadline: str | None = None,
        sample_rate: float | None = None,
        require_provenance: bool | None = None,
        examples: Sequence[Mapping[str, Any]] | None = None,
        model: Mapping[str, Any] | None = None,
        metadata: Mapping[str, str] | None = None,
        webhook: Mapping[str, Any] | None = None,
        idempotency_key: str | None = None,
    ) -> Steps[Job]:
        """Preview. Start reading records from pages; it goes on whether or not anybody waits.

        `source` is `{"type": …}` as the interface describes it, an address, or several. `schema`
        is the JSON Schema of one record, a Pydantic class or a dataclass.
        """
        checks = {"sample_rate": sample_rate, "require_provenance": require_provenance}
        validation = {name: value for name, value in checks.items() if value is not None}
        body = {
            "type": "extraction",
            "source": source_of(source),
            "schema": schema_of(schema),
            "validation": validation or None,
            "examples": None if examples is None else [dict(each) for each in examples],
            "model": model,
            **_common(max_pages, deadline, metadata, webhook),
        }
        return (yield from Jobs.create.steps(self, _given(body), idempotency_key=idempotency_key))

    @procedure
    def monitor(
        self,
        source: Mapping[str, Any] | str | Sequence[str],
        schedule: Mapping[str, str],
        *,
        schema: Mapping[str, Any] | type | None = None,
        track: Sequence[str] | None = None,
        max_pages: int | None = None,
        deadline: str | None = None,
        metadata: Mapping[str, str] | None = None,
        webhook: Mapping[str, Any] | None = None,
        idempotency_key: str | None = None,
    ) -> Steps[Job]:
        """Preview. Watch pages from now on; `schedule` is `{"every": "1d"}` or cron and zone.

        With a schema the fields of the records are compared, or those that `track` points to;
        without one the text.
        """
        body = {
            "type": "monitoring",
            "source": source_of(source),
            "schedule": dict(schedule),
            "schema": None if schema is None else schema_of(schema),
            "track": None if track is None else list(track),
            **_common(max_pages, deadline, metadata, webhook),
        }
        return (yield from Jobs.create.steps(self, _given(body), idempotency_key=idempotency_key))

    @procedure
    def workflow(
        self,
        steps: Sequence[Mapping[str, Any]],
        *,
        max_pages: int | None = None,
        deadline: str | None = None,
        metadata: Mapping[str, str] | None = None,
        webhook: Mapping[str, Any] | None = None,
        idempotency_key: str | None = None,
    ) -> Steps[Job]:
        """Preview. Start a workflow of steps that need each other."""
        body = {
            "type": "workflow",
            "steps": [dict(step) for step in steps],
            **_common(max_pages, deadline, metadata, webhook),
        }
        return (yield from Jobs.create.steps(self, _given(body), idempotency_key=idempotency_key))

    @operation("GET", "/v1/extract/jobs/{job_id}", Access.KEY)
    def get(self, job_id: str, *, wait: float | None = None) -> Call[Job]:
        """Preview. Read a job; with `wait` (0 to 30 seconds) held so long or until it ends."""
        return Call(
            into=json_of(Job),
            path={"job_id": job_id},
            query={"wait": wait},
            held_seconds=wait or 0.0,
        )

    @operation("GET", "/v1/extract/jobs", Access.KEY)
    def list(
        self,
        *,
        type: JobType | None = None,
        status: JobStatus | None = None,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> Call[Page[JobSummary]]:
        """Preview. One page of your jobs, newest first; `limit` is 1 to 200."""
        query = {"type": type, "status": status, "limit": limit, "cursor": cursor}
        return Call(into=page_of("jobs", JobSummary), query=query)

    @iteration
    def iterate(
        self, *, type: JobType | None = None, status: JobStatus | None = None
    ) -> Produce[JobSummary]:
        """Preview. All of your jobs, newest first, page after page."""
        return walk(
            lambda cursor: Jobs.list.steps(self, type=type, status=status, limit=200, cursor=cursor)
        )

    @operation("GET", "/v1/extract/jobs/{job_id}/request", Access.KEY)
    def request(self, job_id: str) -> Call[JobRequest]:
        """Preview. What was requested: change something in it, and `create` a job of it."""
        return Call(into=json_of(JobRequest), path={"job_id": job_id})

    @operation("POST", "/v1/extract/jobs/{job_id}/cancel", Access.KEY, repeatable=True)
    def cancel(self, job_id: str) -> Call[Job]:
        """Preview. Cancel a job and its schedule; it keeps what it has."""
        return Call(into=json_of(Job), path={"job_id": job_id})

    @operation("POST", "/v1/extract/jobs/{job_id}/pause", Access.KEY, repeatable=True)
    def pause(self, job_id: str) -> Call[Job]:
        """Preview. Let a monitor begin no further run until it is resumed."""
        return Call(into=json_of(Job), path={"job_id": job_id})

    @operation("POST", "/v1/extract/jobs/{job_id}/resume", Access.KEY, repeatable=True)
    def resume(self, job_id: str) -> Call[Job]:
        """Preview. Let a paused monitor go on; runs that it missed are one."""
        return Call(into=json_of(Job), path={"job_id": job_id})

    @operation("DELETE", "/v1/extract/jobs/{job_id}", Access.KEY)
    def delete(self, job_id: str) -> Call[None]:
        """Preview. Erase a job with all its records; cancelled first if it runs."""
        return Call(into=nothing, path={"job_id": job_id})

    @operation("POST", "/v1/extract/jobs/{job_id}/rerun", Access.KEY, makes=True)
    def rerun(self, job_id: str, *, idempotency_key: str | None = None) -> Call[Job]:
        """Preview. A new job of the same request; of a monitor, a run now."""
        return Call(into=json_of(Job), path={"job_id": job_id}, idempotency_key=idempotency_key)

    @stream("GET", "/v1/extract/jobs/{job_id}/events", Access.KEY)
    def events(
        self, job_id: str, *, last_event_id: str | None = None, timeout: float | None = None
    ) -> Watch[JobEvent]:
        """Preview. What happens to a job, until it ends; goes on by itself after a break.

        Raises StillRunning when `timeout` seconds are over.
        """
        return Watch(
            id=job_id,
            into=read_event,
            last="completed",
            path={"job_id": job_id},
            last_event_id=last_event_id,
            timeout=timeout,
        )

    @procedure
    def wait(self, job_id: str, *, timeout: float | None = None) -> Steps[Job]:
        """Preview. Wait until a job ends, in whichever way, and return it.

        Raises StillRunning when `timeout` seconds are over; the job goes on.
        """
        clock = self._service.policy.clock
        deadline = None if timeout is None else clock() + timeout
        while True:
            left = LONGEST_WAIT_SECONDS if deadline is None else max(deadline - clock(), 0.0)
            held, asked_at = round(min(left, LONGEST_WAIT_SECONDS), 3), clock()
            job = yield from Jobs.get.steps(self, job_id, wait=held)
            if job.finished:
                return job
            if deadline is not None and clock() >= deadline:
                raise StillRunning(job_id)
            if clock() - asked_at < min(held, PAUSE_SECONDS):
                yield Pause(PAUSE_SECONDS)  # the server has no room for one more who waits

    @operation("GET", "/v1/extract/jobs/{job_id}/runs", Access.KEY)
    def list_runs(
        self, job_id: str, *, limit: int | None = None, cursor: str | None = None
    ) -> Call[Page[Run]]:
        """Preview. One page of the runs of a job, newest first."""
        query = {"limit": limit, "cursor": cursor}
        return Call(into=page_of("runs", Run), path={"job_id": job_id}, query=query)

    @iteration
    def runs(self, job_id: str) -> Produce[Run]:
        """Preview. All runs of a job, newest first."""
        return walk(lambda cursor: Jobs.list_runs.steps(self, job_id, limit=200, cursor=cursor))

    @operation("GET", "/v1/extract/jobs/{job_id}/pages", Access.KEY)
    def list_pages(
        self,
        job_id: str,
        *,
        run: str | None = None,
        outcome: str | None = None,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> Call[Page[ReadPage]]:
        """Preview. One page of the pages of a run, of the latest one unless `run` names another."""
        query = {"run": run, "outcome": outcome, "limit": limit, "cursor": cursor}
        return Call(into=page_of("pages", ReadPage), path={"job_id": job_id}, query=query)

    @iteration
    def pages(
        self, job_id: str, *, run: str | None = None, outcome: str | None = None
    ) -> Produce[ReadPage]:
        """Preview. All pages of a run, and what became of each."""
        return walk(
            lambda cursor: Jobs.list_pages.steps(
                self, job_id, run=run, outcome=outcome, limit=200, cursor=cursor
            )
        )

    @operation("GET", "/v1/extract/jobs/{job_id}/changes", Access.KEY)
    def list_changes(
        self,
        job_id: str,
        *,
        run: str | None = None,
        verdict: Verdict | None = None,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> Call[Page[Change]]:
        """Preview. One page of what a monitor found different, newest first."""
        query = {"run": run, "verdict": verdict, "limit": limit, "cursor": cursor}
        return Call(into=page_of("changes", Change), path={"job_id": job_id}, query=query)

    @iteration
    def changes(
        self, job_id: str, *, run: str | None = None, verdict: Verdict | None = None
    ) -> Produce[Change]:
        """Preview. All that a monitor found different, newest first."""
        return walk(
            lambda cursor: Jobs.list_changes.steps(
                self, job_id, run=run, verdict=verdict, limit=200, cursor=cursor
            )
        )

    @operation("GET", "/v1/extract/jobs/{job_id}/records", Access.KEY)
    def list_records(
        self,
        job_id: str,
        *,
        run: str | None = None,
        min_confidence: float | None = None,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> Call[Page[Record]]:
        """Preview. One page of the records of a run, of the latest one unless `run` names one."""
        query = {"run": run, "min_confidence": min_confidence, "limit": limit, "cursor": cursor}
        return Call(into=page_of("records", Record), path={"job_id": job_id}, query=query)

    @iteration
    def records(
        self, job_id: str, *, run: str | None = None, min_confidence: float | None = None
    ) -> Produce[Record]:
        """Preview. All records of a run, page after page."""
        return walk(
            lambda cursor: Jobs.list_records.steps(
                self, job_id, run=run, min_confidence=min_confidence, limit=200, cursor=cursor
            )
        )

    @procedure
    def export(
        self,
        job_id: str,
        path: str | PathLike[str],
        form: Literal["csv", "ndjson"] | None = None,
        *,
        run: str | None = None,
        min_confidence: float | None = None,
        provenance: bool = False,
        bom: bool = False,
    ) -> Steps[Path]:
        """Preview. Write all records of a run into a file, which is there when it is whole.

        Without `form` the end of the name decides: `.csv`, else NDJSON. `provenance` adds a column
        with its quote to each value, `bom` a byte order mark for spreadsheets (CSV).
        """
        kind = form_of(path, form)
        query: dict[str, object] = {"run": run, "min_confidence": min_confidence}
        if kind == "csv":
            flags = {"provenance": provenance, "bom": bom}
            query |= {name: "true" for name, wanted in flags.items() if wanted}
        call = Call(into=nothing, path={"job_id": job_id}, query=query)
        return (yield from written(self._service, RECORDS, call, path, kind))

    @operation("POST", "/v1/extract/verify", Access.KEY, makes=True)
    def verify(
        self,
        quote: str,
        *,
        snapshot: str | None = None,
        url: str | None = None,
        start: int | None = None,
        live: bool | None = None,
        idempotency_key: str | None = None,
    ) -> Call[Verification]:
        """Preview. Check a quote in the stored text of a page and on the page itself.

        Takes `snapshot`, or the `url` of a page of yours. When the page takes long the status is
        `running`: `verification` reads on.
        """
        body = {
            "quote": quote,
            "snapshot": UNSET if snapshot is None else snapshot,
            "url": UNSET if url is None else url,
            "start": UNSET if start is None else start,
            "live": UNSET if live is None else live,
        }
        return Call(
            into=json_of(Verification),
            body=body,
            idempotency_key=idempotency_key,
            held_seconds=20.0,
        )

    @operation("GET", "/v1/extract/verify/{verification_id}", Access.KEY)
    def verification(self, verification_id: str) -> Call[Verification]:
        """Preview. What checking a quote came to; kept for a day."""
        return Call(into=json_of(Verification), path={"verification_id": verification_id})

    @operation("GET", "/v1/extract/snapshots/{snapshot_id}", Access.KEY)
    def snapshot(self, snapshot_id: str) -> Call[PageText]:
        """Preview. The stored text that quotes were cut from."""
        return Call(into=json_of(PageText), path={"snapshot_id": snapshot_id})


def _common(
    max_pages: int | None,
    deadline: str | None,
    metadata: Mapping[str, str] | None,
    webhook: Mapping[str, Any] | None,
) -> dict[str, Any]:
    return {
        "max_pages": max_pages,
        "deadline": deadline,
        "metadata": metadata,
        "webhook": webhook,
    }


def _given(body: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in body.items() if value is not None}


def source_of(source: Mapping[str, Any] | str | Sequence[str]) -> Mapping[str, Any]:
    """A source as the server takes it."""
    if isinstance(source, str):
        return {"type": "url", "url": source}
    return source if isinstance(source, Mapping) else {"type": "urls", "urls": [*source]}


@dataclass(frozen=True, slots=True)
class _Moved:
    id: str
    status: str
    percent: int | None = None
    stage: str = ""
    pages_found: int = 0
    pages_done: int = 0
    pages_failed: int = 0
    records: int = 0


def read_event(event: ServerEvent) -> JobEvent:
    """What one event of the stream says. Raises UnusableAnswer."""
    try:
        data = untrusted_json.loads(event.data)
    except ValueError:
        data = None
    if data is None:
        raise UnusableAnswer("An event of the stream is not JSON.")
    if event.name == "completed":
        job = decode(Job, data)
        return JobEvent(event.name, event.id, job.status, job.progress, job)
    moved = decode(_Moved, data)
    progress = None
    if moved.percent is not None:
        progress = JobProgress(
            moved.percent,
            moved.stage,
            moved.pages_found,
            moved.pages_done,
            moved.pages_failed,
            moved.records,
        )
    return JobEvent(event.name, event.id, moved.status, progress)
