"""Jobs (preview): extraction of records from pages, monitoring, workflows; and what they found."""

from collections.abc import Mapping, Sequence
from functools import partial
from os import PathLike
from pathlib import Path
from typing import Any, Final, Literal, Unpack

from citegrid.calls import Call, Route, Watch, json_of, nothing, without_none
from citegrid.nouns.export import form_of, written
from citegrid.nouns.noun import M, Noun, operation, procedure, stream
from citegrid.nouns.pagination import Page, PageOptions, every, page_of
from citegrid.nouns.polling import read_event, until_finished
from citegrid.nouns.records.job_requests import (
    JobOptions,
    JobStatus,
    JobType,
    Verdict,
    schema_of,
    source_of,
)
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
from citegrid.profiles.credentials import Access
from citegrid.transport.exchange import Steps

MOST_EXAMPLES: Final = 10
RECORDS: Final = Route("GET", "/v1/extract/jobs/{job_id}/records", Access.KEY)


class Jobs(Noun[M]):
    """`client.jobs` (preview)"""

    @operation("POST", "/v1/extract/jobs", Access.KEY, makes=True)
    def create(self, job: Mapping[str, Any], *, idempotency_key: str | None = None) -> Call[Job]:
        """Preview. Start a job of any type; `job` is the whole body of the request."""
        return Call(json_of(Job), body=job)

    @procedure
    def extract(
        self,
        source: Mapping[str, Any] | str | Sequence[str],
        schema: Mapping[str, Any] | type,
        *,
        sample_rate: float | None = None,
        require_provenance: bool | None = None,
        examples: Sequence[Mapping[str, Any]] | None = None,
        model: Mapping[str, Any] | None = None,
        idempotency_key: str | None = None,
        **options: Unpack[JobOptions],
    ) -> Steps[Job]:
        """Preview. Start to extract records from pages; the job continues even if nobody waits for
        it.

        `source` is an address, a list of addresses, or an object of the API such as `{"type": …}`.
        `schema` is the JSON Schema of one record, a Pydantic class or a dataclass.
        """
        checks = without_none(sample_rate=sample_rate, require_provenance=require_provenance)
        job = without_none(
            type="extraction",
            source=source_of(source),
            schema=schema_of(schema),
            validation=checks or None,
            examples=examples,
            model=model,
            **options,
        )
        return Jobs.create.steps(self, job, idempotency_key=idempotency_key)

    @procedure
    def monitor(
        self,
        source: Mapping[str, Any] | str | Sequence[str],
        schedule: Mapping[str, str],
        *,
        schema: Mapping[str, Any] | type | None = None,
        track: Sequence[str] | None = None,
        idempotency_key: str | None = None,
        **options: Unpack[JobOptions],
    ) -> Steps[Job]:
        """Preview. Watch pages; `schedule` is `{"every": "1d"}`, or has `cron` and `timezone`.

        With a schema, the server compares the fields of the records, or those in `track`; without
        one, the text.
        """
        job = without_none(
            type="monitoring",
            source=source_of(source),
            schedule=schedule,
            schema=None if schema is None else schema_of(schema),
            track=track,
            **options,
        )
        return Jobs.create.steps(self, job, idempotency_key=idempotency_key)

    @procedure
    def workflow(
        self,
        steps: Sequence[Mapping[str, Any]],
        *,
        idempotency_key: str | None = None,
        **options: Unpack[JobOptions],
    ) -> Steps[Job]:
        """Preview. Start a workflow of steps that need each other."""
        job = without_none(type="workflow", steps=steps, **options)
        return Jobs.create.steps(self, job, idempotency_key=idempotency_key)

    @operation("GET", "/v1/extract/jobs/{job_id}", Access.KEY)
    def get(self, job_id: str, *, wait: float | None = None) -> Call[Job]:
        """Preview. Read a job; with `wait` (0 to 30), the server answers when it ends, or after
        that many seconds."""
        return Call(json_of(Job), held_seconds=wait or 0.0)

    @operation("GET", "/v1/extract/jobs", Access.KEY)
    def list(
        self,
        *,
        type: JobType | None = None,
        status: JobStatus | None = None,
        **page: Unpack[PageOptions],
    ) -> Call[Page[JobSummary]]:
        """Preview. One page of your jobs, newest first; `limit` is 1 to 200."""
        return Call(page_of("jobs", JobSummary))

    iterate = every(list, "Preview. All of your jobs, newest first, page after page.")

    @operation("GET", "/v1/extract/jobs/{job_id}/request", Access.KEY)
    def request(self, job_id: str) -> Call[JobRequest]:
        """Preview. The request of a job, to change and `create` again."""
        return Call(json_of(JobRequest))

    @operation("POST", "/v1/extract/jobs/{job_id}/cancel", Access.KEY, repeatable=True)
    def cancel(self, job_id: str) -> Call[Job]:
        """Preview. Cancel a running job, or a monitor with its schedule; the records are kept."""
        return Call(json_of(Job))

    @operation("POST", "/v1/extract/jobs/{job_id}/pause", Access.KEY, repeatable=True)
    def pause(self, job_id: str) -> Call[Job]:
        """Preview. Pause a monitor: it starts no run until you resume it."""
        return Call(json_of(Job))

    @operation("POST", "/v1/extract/jobs/{job_id}/resume", Access.KEY, repeatable=True)
    def resume(self, job_id: str) -> Call[Job]:
        """Preview. Resume a paused monitor; one run replaces all that it missed."""
        return Call(json_of(Job))

    @operation("DELETE", "/v1/extract/jobs/{job_id}", Access.KEY)
    def delete(self, job_id: str) -> Call[None]:
        """Preview. Delete a job with all its records; a running job is cancelled first."""
        return Call(nothing)

    @operation("POST", "/v1/extract/jobs/{job_id}/rerun", Access.KEY, makes=True)
    def rerun(self, job_id: str, *, idempotency_key: str | None = None) -> Call[Job]:
        """Preview. Start a new job with the same request, or a run of a monitor."""
        return Call(json_of(Job))

    @procedure
    def correct(
        self,
        job_id: str,
        url: str,
        data: Mapping[str, Any],
        *,
        idempotency_key: str | None = None,
    ) -> Steps[Job]:
        """Preview. Start a new job with the same request, which learns from the right record of a
        page."""
        asked = yield from Jobs.request.steps(self, job_id)
        others = [each for each in asked.request.get("examples") or () if each["url"] != url]
        examples = [{"url": url, "data": data}, *others][:MOST_EXAMPLES]
        job = {**asked.request, "examples": examples}
        return (yield from Jobs.create.steps(self, job, idempotency_key=idempotency_key))

    @stream("GET", "/v1/extract/jobs/{job_id}/events", Access.KEY)
    def events(
        self, job_id: str, *, last_event_id: str | None = None, timeout: float | None = None
    ) -> Watch[JobEvent]:
        """Preview. Events of a job until it ends; reconnects after an interruption.

        Raises StillRunning when `timeout` seconds are over.
        """
        return Watch(partial(read_event, JobEvent, Job, JobProgress), last="completed")

    @procedure
    def wait(self, job_id: str, *, timeout: float | None = None) -> Steps[Job]:
        """Preview. Wait until a job is completed, failed or cancelled, and return it.

        Raises StillRunning when `timeout` seconds are over; the job continues.
        """

        def read(held: float) -> Steps[Job]:
            return Jobs.get.steps(self, job_id, wait=held)

        return until_finished(job_id, read, self._service.policy.clock, timeout)

    @operation("GET", "/v1/extract/jobs/{job_id}/runs", Access.KEY)
    def list_runs(self, job_id: str, **page: Unpack[PageOptions]) -> Call[Page[Run]]:
        """Preview. One page of the runs of a job, newest first."""
        return Call(page_of("runs", Run))

    runs = every(list_runs, "Preview. All runs of a job, newest first.")

    @operation("GET", "/v1/extract/jobs/{job_id}/pages", Access.KEY)
    def list_pages(
        self,
        job_id: str,
        *,
        run: str | None = None,
        outcome: str | None = None,
        **page: Unpack[PageOptions],
    ) -> Call[Page[ReadPage]]:
        """Preview. Some of the pages of a run, by default the latest run."""
        return Call(page_of("pages", ReadPage))

    pages = every(list_pages, "Preview. All pages of a run with their outcomes.")

    @operation("GET", "/v1/extract/jobs/{job_id}/changes", Access.KEY)
    def list_changes(
        self,
        job_id: str,
        *,
        run: str | None = None,
        verdict: Verdict | None = None,
        **page: Unpack[PageOptions],
    ) -> Call[Page[Change]]:
        """Preview. One page of the changes that a monitor found, newest first."""
        return Call(page_of("changes", Change))

    changes = every(list_changes, "Preview. All changes that a monitor found, newest first.")

    @operation("GET", "/v1/extract/jobs/{job_id}/records", Access.KEY)
    def list_records(
        self,
        job_id: str,
        *,
        run: str | None = None,
        min_confidence: float | None = None,
        **page: Unpack[PageOptions],
    ) -> Call[Page[Record]]:
        """Preview. One page of the records of a run, by default the latest run."""
        return Call(page_of("records", Record))

    records = every(list_records, "Preview. All records of a run, page after page.")

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
        """Preview. Write all records of a run to a file, which appears when it is complete.

        Without `form`, a name ending in `.csv` means CSV, any other NDJSON. `provenance` adds a
        quote column for each field, `bom` a byte order mark for spreadsheets (CSV).
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

        Takes `snapshot`, or the `url` of a page that you have read. If the page takes long, the
        status is `running`; call `verification` later.
        """
        return Call(json_of(Verification), held_seconds=20.0)

    @operation("GET", "/v1/extract/verify/{verification_id}", Access.KEY)
    def verification(self, verification_id: str) -> Call[Verification]:
        """Preview. The result of checking a quote, kept for a day."""
        return Call(json_of(Verification))

    @operation("GET", "/v1/extract/snapshots/{snapshot_id}", Access.KEY)
    def snapshot(self, snapshot_id: str) -> Call[PageText]:
        """Preview. The stored text of a page, from which quotes were cut."""
        return Call(json_of(PageText))
