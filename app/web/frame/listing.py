"""Lists of the API from their first item to their last, for files that hold all of them."""

from collections.abc import Iterator
from typing import Any, Final

from app.web.frame.operations import call

_AT_ONCE: Final = 200


def every(
    operation_id: str, noun: str, query: dict[str, Any] | None = None, **path: Any
) -> Iterator[dict[str, Any]]:
    """Each item of a list operation, read page after page. The first page is read at once: what is
    wrong with the query is an error, and no broken file.
    """
    asked = {**(query or {}), "limit": _AT_ONCE}
    first = call(operation_id, query=asked, **path)

    def items() -> Iterator[dict[str, Any]]:
        envelope = first
        yield from envelope[noun]
        while (cursor := envelope["next_cursor"]) is not None:
            envelope = call(operation_id, query={**asked, "cursor": cursor}, **path)
            yield from envelope[noun]

    return items()
