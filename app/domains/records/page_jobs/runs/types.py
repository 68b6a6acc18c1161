"""The types of jobs. This domain defines what they share; each type is defined by its own."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final, Protocol
from uuid import UUID

from marshmallow import Schema

from app.core.config.settings import Settings
from app.core.db import Reader, Tx
from app.core.hooks import Hook
from app.core.http.fields import RowView
from app.domains.queue.jobs.kinds import Kind
from app.domains.records.page_jobs.runs.run_store import JobRun
from app.domains.records.page_jobs.store import PageJob

Connect = Callable[[], AbstractContextManager[Reader]]


class ReadPage(Protocol):
    """The result of reading a page (`PageRecords` of the engine)."""

    @property
    def text(self) -> str: ...
    @property
    def visible_end(self) -> int: ...
    @property
    def language(self) -> str | None: ...
    @property
    def title(self) -> str | None: ...
    @property
    def records(self) -> Sequence[Any]: ...
    @property
    def readings(self) -> Any: ...
    @property
    def truncated(self) -> bool: ...


@dataclass(slots=True, kw_only=True)
class PageResult:
    """The result of one page of a run. `page_records` is None when there is nothing to keep.

    `url` is the requested address, `final_url` the one that answered. `verdict` and `judged` belong
    to the type of the job, see `JobType.judge`. With `again_seconds` the page is not done: it is
    looked at again so much later in the same run. `snapshot_id` is set when it is kept. The page
    itself says what its `canonical_url` and its `publisher` are.
    """

    page_id: UUID
    n: int
    url: str
    outcome: str
    fetched_at: datetime
    page_records: ReadPage | None = None
    body: bytes | None = None
    links: tuple[str, ...] = ()
    final_url: str | None = None
    moved: bool = False
    etag: str | None = None
    last_modified: str | None = None
    media_type: str | None = None
    charset: str | None = None
    size_bytes: int = 0
    canonical_url: str | None = None
    publisher: str | None = None
    verdict: str | None = None
    judged: Any = None
    again_seconds: float | None = None
    snapshot_id: UUID | None = None


@dataclass(frozen=True, slots=True)
class EarlierPage:
    """An earlier run's knowledge of a page: asked with, nothing that did not change is read."""

    etag: str | None = None
    last_modified: str | None = None
    body_hash: bytes | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangeFilter:
    """The choice of changes: of one run, of one verdict, older than `before`."""

    run_id: UUID | None = None
    verdict: str | None = None
    before: UUID | None = None
    most: int = 51


def _nothing_more(_tx: Tx, _job: PageJob) -> None:
    """Ending the run is all there is to do."""


@dataclass(frozen=True, slots=True, kw_only=True)
class JobType:
    """The particulars of one type of job.

    `schema` checks the form of the body, `check` what only the server knows: it raises an AppError.
    `kind` is what its runs are; a job is accepted if its queue has room. `begin` runs in the
    transaction that makes the job and begins its first run (or its schedule). `rerun` begins
    another run of the same job; None makes a new job of the same body. `cancel` runs after the
    open run was cancelled. `present` adds to what callers see of a job. `record_schemas` are those
    of its records, `page_runs` the runs that read the pages of one of its runs (None: not begun).
    """

    name: str
    schema: type[Schema]
    kind: Kind
    begin: Callable[[Tx, PageJob], None]
    check: Callable[[Reader, Mapping[str, Any], Settings], None] | None = None
    rerun: Callable[[Tx, PageJob], None] | None = None
    cancel: Callable[[Tx, PageJob], None] = _nothing_more
    present: Callable[[Reader, PageJob], dict[str, Any]] = lambda _reader, _job: {}
    record_schemas: Callable[[PageJob], list[dict[str, Any]]] = lambda job: (
        [job.plan] if job.plan else []
    )
    page_runs: Callable[[Reader, UUID], list[UUID | None]] = lambda _reader, run_id: [run_id]
    # The pages of a run, in this order: before they are fetched, before one is fetched (the outcome
    # of a page that need not be), after they were read and outside of any transaction, and in the
    # transaction that keeps them.
    known: Callable[[Reader, UUID, Sequence[str]], dict[str, EarlierPage]] | None = None
    spare: Callable[[Connect, UUID, str], str | None] | None = None
    judge: Callable[[Connect, UUID, Sequence[PageResult]], list[PageResult]] | None = None
    keep_pages: Callable[[Tx, UUID, Sequence[PageResult]], None] | None = None
    # In the transaction in which a run ends, whoever ends it.
    run_ended: Callable[[Tx, PageJob, JobRun], None] | None = None
    # As callers see them.
    changes: Callable[[Reader, PageJob, ChangeFilter], list[RowView]] = lambda *_: []
    cites: Callable[[Reader, UUID, UUID], bool] = lambda *_: False
    # Before its rows are deleted with the job's: the snapshots they refer to are released. At most
    # so many rows, and how many it dealt with.
    erase: Callable[[Tx, UUID, int], int] | None = None


TYPES: Final = Hook[JobType]("types.TYPES")
CITED: Final = Hook[Callable[[Reader, UUID, UUID], bool]]("types.CITED")
"""Asked whether something of an account that is no job cites a snapshot: who owns what cites one
may read it."""


def of(name: str) -> JobType:
    """The type of this name. LookupError: this process is older than the job."""
    for type in TYPES:
        if type.name == name:
            return type
    raise LookupError(name)
