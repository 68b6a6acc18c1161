"""Lists of the API from their first item to their last, for files that hold all of them."""

from collections.abc import Iterator
from typing import Any, Final

from app.web.frame.operations import call

_AT_ONCE: Final = 200


def every(
    operation_id: str, noun: str, query: dict[str, Any] | None = None, **path: Any
) -> Iterator[dict[str, Any]]:
    """Each item of a list operation, read page after page."""
    cursor: str | None = None
    while True:
        asked = {**(query or {}), "limit": _AT_ONCE, "cursor": cursor}
        envelope = call(operation_id, query=asked, **path)
        yield from envelope[noun]
        cursor = envelope["next_cursor"]
        if cursor is None:
            return
