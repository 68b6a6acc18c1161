"""Waiting for a job and watching it, the same for every noun whose status derives from one."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final, Generic, Protocol, TypeVar
from uuid import UUID

from flask import Response, current_app, request

from app.core import db
from app.core.http.fields import example_id
from app.core.http.long_poll import Event, LongPolls
from app.domains.queue.jobs.admission.acceptance import POLL_SECONDS
from app.domains.queue.jobs.service import FINISHED

EVENT: Final[dict[str, Any]] = {
    "type": "object",
    "properties": {
        "event": {
            "type": "string",
            "enum": ["status", "progress", "completed"],
            "example": "progress",
        },
        "id": {"type": "string", "description": "For `Last-Event-ID`.", "example": "3"},
        "data": {
            "type": "string",
            "contentMediaType": "application/json",
            "example": f'{{"id": "{example_id("srch")}", "status": "running", "percent": 40, '
            '"stage": "reading", "sources_found": 3}',
        },
    },
    "required": ["event", "id", "data"],
}
"""Each server-sent event; not marshmallow's to write, so as plain JSON Schema."""


class WithJob(Protocol):
    """A row with what its job says; `id` is the job's."""

    @property
    def id(self) -> UUID: ...

    @property
    def state(self) -> str: ...

    @property
    def progress(self) -> Mapping[str, Any]: ...


Row = TypeVar("Row", bound=WithJob)


class JobWatch(Generic[Row]):
    """One per noun.

    `find` reads what the account has under an id, or raises; `as_json` is what callers see,
    in JSON's types, with `id`, `status` and, while there is any, `progress`.
    """

    def __init__(
        self, find: Callable[[db.Reader, UUID, UUID], Row], as_json: Callable[[Row], dict[str, Any]]
    ) -> None:
        self._find, self._as_json = find, as_json

    def show(self, account_id: UUID, id: UUID, wait: float) -> tuple[Row, dict[str, str]]:
        """The noun as it is, or as it is when finished within `wait` seconds; and headers."""
        read = self._reader(account_id, id)
        noun = read()
        if wait and not _finished(noun):
            waiting: LongPolls = current_app.extensions["waiting"]
            noun = waiting.until(noun.id, read, _finished, wait)
        return noun, {} if _finished(noun) else {"Retry-After": str(POLL_SECONDS)}

    def watch(self, account_id: UUID, id: UUID) -> Response:
        """Progress as server-sent events. Raises what `find` raises before the stream begins."""
        read = self._reader(account_id, id)
        waiting: LongPolls = current_app.extensions["waiting"]
        noun, last_seen = read(), request.headers.get("Last-Event-ID")
        if _finished(noun) and last_seen == _end(noun):
            return Response(status=204)  # a browser's EventSource asks again until it hears this
        return waiting.stream(noun.id, read, self._events, _finished, last_seen)

    def _reader(self, account_id: UUID, id: UUID) -> Callable[[], Row]:
        def read() -> Row:
            with db.reading() as reader:
                return self._find(reader, account_id, id)

        return read

    def _events(self, noun: Row) -> Iterator[Event]:
        version, json = str(noun.progress.get("version", 0)), self._as_json(noun)
        brief = {"id": json["id"], "status": json["status"]}
        if _finished(noun):
            yield "completed", _end(noun), json
        elif noun.progress:
            yield "progress", version, {**brief, **json["progress"]}
        else:
            yield "status", version, brief


def _finished(noun: WithJob) -> bool:
    """True if it will never change again."""
    return noun.state in FINISHED


def _end(noun: WithJob) -> str:
    return f"end-{noun.state}"
