"""Jobs and records as the tools give them: bounded, without nulls, with the next step in words."""

from collections.abc import Sequence
from typing import Any, Final, cast

from citegrid.mcp.shapes import DEFAULT_WAIT_SECONDS
from citegrid.mcp.tools import job_shapes
from citegrid.mcp.tools.results import MESSAGE_CHARACTERS, MOST_CHARACTERS, NEXT_STEP_CHARACTERS
from citegrid.mcp.tools.tool import text_of, written
from citegrid.nouns.campaigns.campaign_results import CampaignRecord
from citegrid.nouns.records.job_requests import JobStatus
from citegrid.nouns.records.job_results import Job, Record

VALUE_CHARACTERS: Final = 2_000
QUOTE_CHARACTERS: Final = 500
MOST_VALUES: Final = 100
MOST_UNSATISFIED: Final = 20

NOT_FINISHED: Final = (
    'Not finished. Call service_get_records with job_id "{id}" and wait_seconds '
    f"{DEFAULT_WAIT_SECONDS} to go on waiting. Do not start the same extraction again. "
    "service_cancel_extraction stops it."
)
READ: Final = 'Finished. Read the records with service_get_records and job_id "{id}".'
NONE: Final = "Finished, and no record was found. Say so, or try other pages or field descriptions."
SHOWN: Final = "Finished. Cite the url of each record that you use."
FAILED: Final = {
    True: "Failed. A new extraction may succeed.",
    False: "Failed. Change the pages or the fields before trying again.",
}
CANCELLED: Final = "Cancelled; what had been read by then is kept."
MORE: Final = ' For more call service_get_records with job_id "{id}" and offset {offset}.'
CUT: Final = " Some values or quotes are cut; the API has the whole of them."


def started(job: Job) -> job_shapes.Extraction:
    return job_shapes.Extraction(**_known(job), next_step=_next_step(job, READ))


def ended(job: Job) -> job_shapes.EndedExtraction:
    """A job after it was cancelled, or as it had ended before."""
    status = cast(JobStatus, job.status)
    return job_shapes.EndedExtraction(job_id=job.id, status=status, next_step=_next_step(job, READ))


def _known(job: Job) -> dict[str, Any]:
    failure = job.error
    return {
        "job_id": job.id,
        "status": cast(JobStatus, job.status),
        "pages_found": job.progress.pages_found,
        "pages_done": job.progress.pages_done,
        "pages_failed": job.progress.pages_failed,
        "records_found": job.progress.records,
        "error_code": failure.code if failure else "",
        "error_message": failure.message[:MESSAGE_CHARACTERS] if failure else "",
    }


def _next_step(job: Job, finished: str) -> str:
    if not job.finished:
        return NOT_FINISHED.format(id=job.id)
    if job.error is not None:
        return FAILED[job.error.retryable]
    if job.status == "cancelled":
        return CANCELLED
    return finished.format(id=job.id) if job.progress.records else NONE


def listed(job: Job, records: Sequence[Record], offset: int, limit: int) -> job_shapes.RecordList:
    """At most MOST_CHARACTERS of JSON: as many of `limit` records as fit.

    `records` are those from `offset` on, one more than `limit` where there are more.
    """
    next_step = _next_step(job, SHOWN)
    empty = job_shapes.RecordList(
        **_known(job), records=[], offset=offset, truncated=False, next_step=next_step
    )
    room = MOST_CHARACTERS - NEXT_STEP_CHARACTERS - len(written(empty.model_dump(mode="json")))
    kept: list[job_shapes.ExtractedRecord] = []
    some_cut = False
    for record in records[:limit]:
        found, cut = values(record)
        shown = _record(record, found)
        room -= len(written(shown.model_dump(mode="json"))) + 1
        if room < 0 and kept:
            break
        kept.append(shown)
        some_cut |= cut
    if len(records) > len(kept):
        next_step += MORE.format(id=job.id, offset=offset + len(kept))
    if some_cut:
        next_step += CUT
    truncated = next_step != empty.next_step
    return empty.model_copy(
        update={"records": kept, "truncated": truncated, "next_step": next_step}
    )


def _record(record: Record, found: list[job_shapes.Value]) -> job_shapes.ExtractedRecord:
    unsatisfied = list(dict.fromkeys(each.pointer for each in record.unsatisfied))
    return job_shapes.ExtractedRecord(
        record_id=record.id,
        url=record.url[:VALUE_CHARACTERS],
        confidence=record.confidence,
        unsure=[each[:MESSAGE_CHARACTERS] for each in record.unsure[:MOST_UNSATISFIED]],
        values=found,
        unsatisfied=[each[:MESSAGE_CHARACTERS] for each in unsatisfied[:MOST_UNSATISFIED]],
    )


def values(record: Record | CampaignRecord) -> tuple[list[job_shapes.Value], bool]:
    """The values with their quotes, as many as fit; True if one is left out or cut."""
    quotes = {each.pointer: each.quote for each in record.provenance[::-1]}
    leaves = _leaves(record.data)
    found: list[job_shapes.Value] = []
    cut = False
    room = MOST_CHARACTERS // 2  # a single record must always fit
    for pointer, value in leaves:
        text, quote = text_of(value), quotes.get(pointer, "")
        shown = job_shapes.Value(
            field=pointer[:VALUE_CHARACTERS],
            value=text[:VALUE_CHARACTERS],
            quote=quote[:QUOTE_CHARACTERS],
        )
        room -= len(written(shown.model_dump(mode="json"))) + 1
        if room < 0 or len(found) == MOST_VALUES:
            break
        found.append(shown)
        cut |= (shown.value, shown.quote) != (text, quote)
    return found, cut or len(found) < len(leaves)


def _leaves(value: Any, pointer: str = "") -> list[tuple[str, Any]]:
    if isinstance(value, dict):
        steps = [(str(k).replace("~", "~0").replace("/", "~1"), v) for k, v in value.items()]
    elif isinstance(value, list) and any(isinstance(each, dict | list) for each in value):
        steps = [(str(n), each) for n, each in enumerate(value)]
    else:
        return [] if value is None else [(pointer, value)]
    return [leaf for step, child in steps for leaf in _leaves(child, f"{pointer}/{step}")]
