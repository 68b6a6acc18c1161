"""One page of a list, and all of them, one after the other."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Final, Generic, TypedDict, TypeVar

from citegrid.calls import member, without_none
from citegrid.nouns.noun import Iteration, Method, P
from citegrid.transport.codec import ApiObject, as_json, decode
from citegrid.transport.exchange import Emit, Produce, Reply, Steps

T = TypeVar("T")

LONGEST_PAGE: Final = 200


class PageOptions(TypedDict, total=False):
    """One page of a list: up to `limit` items, from `cursor` on."""

    limit: int | None
    cursor: str | None


class Page(ApiObject, Generic[T]):
    """Some items; `next_cursor` gets the page after this one, None says that this is the last.

    `name` is what the server calls the list, such as `searches`.
    """

    items: tuple[T, ...]
    has_more: bool
    next_cursor: str | None
    name: str

    def __iter__(self) -> Iterator[T]:
        return iter(self.items)

    def __len__(self) -> int:
        return len(self.items)

    def to_dict(self) -> dict[str, Any]:
        """The same in JSON's types, under the names of the server."""
        more = {"has_more": self.has_more, "next_cursor": self.next_cursor}
        return {self.name: as_json(self.items), **more}


@dataclass(frozen=True, slots=True)
class _Envelope:
    has_more: bool
    next_cursor: str | None


def page_of(name: str, shape: type[T]) -> Callable[[Reply], Page[T]]:
    """Reads `{name: [...], has_more, next_cursor}`."""

    def read(reply: Reply) -> Page[T]:
        answer = reply.json()
        envelope = decode(_Envelope, answer)
        listed = member(answer, name)
        items = decode(tuple[shape, ...], listed, f"/{name}")  # type: ignore[valid-type]
        return Page(items, envelope.has_more, envelope.next_cursor, name)

    return read


def every(page: Method[P, Page[T]], doc: str) -> Iteration[P, T]:
    """The items of all pages of a list, with the arguments of the list.

    `limit` is then the size of a page, and `cursor` where to begin.
    """
    most = {"limit": LONGEST_PAGE} if "limit" in page.signature.parameters else {}

    def steps(noun: Any, /, *args: P.args, **kwargs: P.kwargs) -> Produce[T]:
        def read(cursor: str | None) -> Steps[Page[T]]:
            after = {} if cursor is None else {"cursor": cursor}
            given: Any = {**most, **without_none(**kwargs), **after}
            return page.steps(noun, *args, **given)

        return walk(read)

    return Iteration(page.function, steps, doc=doc)


def walk(page: Callable[[str | None], Steps[Page[T]]]) -> Produce[T]:
    """The items of all pages; `page` reads the one at a cursor."""
    cursor: str | None = None
    while True:
        current = yield from page(cursor)
        for item in current.items:
            yield Emit(item)
        if current.next_cursor is None or current.next_cursor == cursor:
            return
        cursor = current.next_cursor
