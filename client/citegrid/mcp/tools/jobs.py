"""Three tools about extraction: start it, get its records, and cancel it."""

import time
from functools import partial
from typing import Annotated, Any, Final

from mcp.server.mcpserver.tools import Tool
from mcp.types import CallToolResult

from citegrid.client import AsyncClient
from citegrid.errors import InvalidArgument
from citegrid.mcp.connection import Connect
from citegrid.mcp.shapes import DEFAULT_WAIT_SECONDS, MOST_CALL_SECONDS, Call
from citegrid.mcp.tools import job_results, job_shapes
from citegrid.mcp.tools.tool import ClosedTool, done, hints
from citegrid.mcp.tools.wait import job_waited
from citegrid.nouns.pagination import LONGEST_PAGE
from citegrid.nouns.records.job_results import Record
from citegrid.transport import untrusted_json

DEADLINE: Final = "15m"
TYPES: Final[dict[str, dict[str, str]]] = {
    "text": {"type": "string"},
    "number": {"type": "number"},
    "integer": {"type": "integer"},
    "boolean": {"type": "boolean"},
    "date": {"type": "string", "format": "date"},
    "url": {"type": "string", "format": "uri"},
}


class ExtractionTools:
    """The functions behind the tools; their names and arguments are what hosts see."""

    def __init__(self, connect: Connect) -> None:
        self._connect = connect

    async def service_start_extraction(
        self,
        call: Call,
        urls: job_shapes.Urls = None,
        query: job_shapes.SourceQuery = None,
        fields: job_shapes.Fields = None,
        record_schema: job_shapes.RecordSchema = "",
        max_pages: job_shapes.MaxPages = 20,
        wait_seconds: job_shapes.JobWaitSeconds = DEFAULT_WAIT_SECONDS,
    ) -> Annotated[CallToolResult, job_shapes.Extraction]:
        until = time.monotonic() + MOST_CALL_SECONDS
        source, schema = _source(urls, query), _schema(fields, record_schema)
        async with self._connect(call) as client:
            job = await client.jobs.extract(source, schema, max_pages=max_pages, deadline=DEADLINE)
            if seconds := min(wait_seconds, until - time.monotonic()):
                job = await job_waited(call, client, job, seconds)
        return done(job_results.started(job))

    async def service_get_records(
        self,
        call: Call,
        job_id: job_shapes.JobId,
        wait_seconds: job_shapes.JobWaitSeconds = 0,
        offset: job_shapes.RecordOffset = 0,
        limit: job_shapes.RecordLimit = 20,
    ) -> Annotated[CallToolResult, job_shapes.RecordList]:
        async with self._connect(call) as client:
            job = await client.jobs.get(job_id)
            if wait_seconds and not job.finished:
                job = await job_waited(call, client, job, wait_seconds)
            records = await _records(client, job_id, offset, limit + 1)
        return done(job_results.listed(job, records, offset, limit))

    async def service_cancel_extraction(
        self, call: Call, job_id: job_shapes.JobId
    ) -> Annotated[CallToolResult, job_shapes.EndedExtraction]:
        async with self._connect(call) as client:
            return done(job_results.ended(await client.jobs.cancel(job_id)))


def _source(urls: list[str] | None, query: str | None) -> dict[str, Any]:
    """Raises InvalidArgument."""
    if bool(urls) == (query is not None):
        raise InvalidArgument("Give either urls or query.")
    return {"type": "urls", "urls": urls} if urls else {"type": "search", "query": query}


def _schema(fields: list[job_shapes.WantedField] | None, record_schema: str) -> dict[str, Any]:
    """Of one record; no field is demanded, as hosts demand too many. Raises InvalidArgument."""
    if bool(fields) == bool(record_schema):
        raise InvalidArgument("Give either fields or record_schema.")
    if record_schema:
        return _parsed(record_schema)
    properties = {
        field.name: {**TYPES[field.type], "description": field.description}
        for field in fields or ()
    }
    return {"type": "object", "properties": properties}


def _parsed(text: str) -> dict[str, Any]:
    try:
        schema = untrusted_json.loads(text)
    except ValueError:
        schema = None
    if not isinstance(schema, dict):
        raise InvalidArgument("record_schema is not the text of a JSON object.")
    return schema


async def _records(client: AsyncClient, job_id: str, offset: int, most: int) -> list[Record]:
    """At most so many, behind the first `offset`."""
    found: list[Record] = []
    cursor: str | None = None
    while (missing := offset + most - len(found)) > 0:
        size = min(missing, LONGEST_PAGE)
        page = await client.jobs.list_records(job_id, limit=size, cursor=cursor)
        found += page.items
        cursor = page.next_cursor
        if cursor is None:
            break
    return found[offset : offset + most]


START: Final = (
    "Start reading records from web pages: each value comes with the quote it was read from. Say "
    "which pages (urls, or query to search for them) and which fields. Waits up to wait_seconds "
    "and returns a job_id; read the records with service_get_records."
)
GET: Final = (
    "The records of an extraction by now, or with wait_seconds when it has ended: each value with "
    "its quote and the url of the page."
)
CANCEL: Final = (
    "Stop an extraction for good and keep what it has read. One that ended is as before."
)


def tools(connect: Connect) -> list[Tool]:
    """In the order hosts show them, behind those about searches."""
    do, of = ExtractionTools(connect), partial(ClosedTool.of, scope="jobs")
    return [
        of(do.service_start_extraction, "Start an extraction", START, hints(reaches=True)),
        of(do.service_get_records, "Get records", GET, hints(reads=True)),
        of(
            do.service_cancel_extraction,
            "Cancel an extraction",
            CANCEL,
            hints(destroys=True, repeatable=True),
            described=False,
        ),
    ]
