"""Stores the findings of a monitor's run: new states of pages, and changes to report."""

import gzip
from collections.abc import Sequence
from functools import partial
from typing import Any, Final
from uuid import UUID

from app.core import ids
from app.core.db import Tx
from app.core.http.fields import rfc3339
from app.core.ids import Noun
from app.domains.library.passages import snapshots
from app.domains.records.monitors import change_store, page_store
from app.domains.records.monitors.comparison import Cell, FieldChange
from app.domains.records.monitors.page_states import CHANGED, NEW, SAME, PageVerdict
from app.domains.records.page_jobs.runs import record_store, run_store
from app.domains.records.page_jobs.runs.run_store import JobRun
from app.domains.records.page_jobs.runs.types import PageResult

_MOST_QUOTES_SHOWN: Final = 20


def keep(tx: Tx, run: JobRun, results: Sequence[PageResult]) -> None:
    """Write pages of a run; each of them is given here once."""
    has_new = any(x.judged is not None and x.judged.verdict == NEW for x in results)
    is_first = has_new and run.n == 1 + run_store.failed_before(tx, run)
    for result in results:
        judged: PageVerdict | None = result.judged
        if judged is None:
            continue
        if judged.again:
            page_store.keep_look(tx, run.job_id, run.id, result.url, judged.look)
        elif judged.verdict == SAME:
            _confirm(tx, run, result, judged)
        elif judged.verdict in (NEW, CHANGED) and result.snapshot_id is not None:
            _move_on(tx, run, result, judged, result.snapshot_id, is_first=is_first)


def _confirm(tx: Tx, run: JobRun, result: PageResult, judged: PageVerdict) -> None:
    page_store.confirm(
        tx,
        run.job_id,
        result.url,
        state=judged.state,
        settled=judged.settled,
        etag=result.etag,
        last_modified=result.last_modified,
        body_hash=judged.body_hash,
    )


def _move_on(
    tx: Tx,
    run: JobRun,
    result: PageResult,
    judged: PageVerdict,
    snapshot_id: UUID,
    *,
    is_first: bool,
) -> None:
    """The state becomes what was reported, and every value in it says where it was read."""
    before = judged.previous.snapshot_id if judged.previous else None
    _cite(tx, judged, result.final_url or result.url, before, snapshot_id)
    page_store.moved_on(
        tx,
        run.job_id,
        result.url,
        state=judged.state or {},
        settled=judged.settled,
        body=None if result.body is None else gzip.compress(result.body, 6),
        media_type=result.media_type,
        charset=result.charset,
        final_url=result.final_url,
        snapshot_id=snapshot_id,
        etag=result.etag,
        last_modified=result.last_modified,
        body_hash=judged.body_hash,
    )
    if not (is_first and judged.verdict == NEW):  # of the first pages read, nothing is news
        _report(tx, run, result, judged, before, snapshot_id)
    if before != snapshot_id:
        snapshots.release(tx, [before])


def _cite(tx: Tx, judged: PageVerdict, url: str, before_id: UUID | None, now_id: UUID) -> None:
    """Cells that were read now, or again, get the snapshot their quotes stand in."""
    known = snapshots.of(tx, [id for id in (before_id, now_id) if id is not None])
    for cells, snapshot_id in (
        ([record["cells"] for record in judged.before], before_id),
        ([record["cells"] for record in judged.records], now_id),
    ):
        snapshot = known.get(snapshot_id) if snapshot_id else None
        if snapshot is None:
            continue
        citation = {
            "source_url": url,
            "snapshot": ids.public(Noun.SNAPSHOT, snapshot.id),
            "content_hash": snapshot.content_hash,
            "fetched_at": rfc3339(snapshot.fetched_at),
        }
        for cell in (cell for record in cells for cell in record.values()):
            for quote in cell["provenance"]:
                if "snapshot" not in quote:
                    quote.update(citation)


def _report(
    tx: Tx,
    run: JobRun,
    result: PageResult,
    judged: PageVerdict,
    before_id: UUID | None,
    now_id: UUID,
) -> None:
    returned = judged.previous is not None and judged.previous.removed
    insert = partial(
        change_store.insert,
        tx,
        job_id=run.job_id,
        run_id=run.id,
        url=result.url,
        verdict=judged.verdict,
        snapshot_id=now_id,
        previous_snapshot_id=None if judged.verdict == NEW else before_id,
        facts=_facts(result, judged, returned=returned),
    )
    if not judged.reports:
        insert()
        return
    records = record_store.of_pages(tx, [result.page_id])
    for change in judged.reports:
        record_id = None if change.now is None else records[change.now].id
        insert(fields=[_shown(each) for each in change.fields], record_id=record_id)


def _facts(result: PageResult, judged: PageVerdict, *, returned: bool) -> dict[str, Any]:
    facts: dict[str, Any] = {}
    if result.moved and result.final_url != result.url:
        facts["moved_to"] = result.final_url
    if judged.difference is not None:
        facts["difference"] = judged.difference
    if returned:
        facts["returned"] = True
    return facts


def _shown(field: FieldChange) -> dict[str, Any]:
    return {
        "pointer": field.pointer,
        "previous": _value(field.previous),
        "current": _value(field.current),
    }


def _value(cell: Cell | None) -> dict[str, Any] | None:
    """A value with its passage; a list with one for each item."""
    if cell is None:
        return None
    quotes = cell["provenance"][:_MOST_QUOTES_SHOWN]
    if len(quotes) == 1:
        return {"value": cell["value"], **quotes[0]}
    return {"value": cell["value"], "provenance": quotes}
