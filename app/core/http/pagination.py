"""Lists: newest first, an opaque cursor, `limit` 1-200."""

from collections.abc import Callable, Sequence
from typing import Any, Protocol, TypeVar
from uuid import UUID

from marshmallow import Schema, ValidationError, validate

from app.core import ids
from app.core.http import fields
from app.core.http.fields import Whole, id_pattern
from app.core.ids import Noun


class _Identified(Protocol):
    @property
    def id(self) -> UUID: ...


Item = TypeVar("Item", bound=_Identified)
Numbered = TypeVar("Numbered")


class Cursor(fields.Str):
    """The opaque text an earlier page gave; deserialises to the UUID it represents."""

    def __init__(self) -> None:
        description = "`next_cursor` of the previous page."
        super().__init__(pattern=id_pattern(Noun.CURSOR), description=description)

    def _deserialize(self, value: Any, attr: Any, data: Any, **kwargs: Any) -> Any:
        text = super()._deserialize(value, attr, data, **kwargs)
        if (id := ids.internal(Noun.CURSOR, text)) is None:
            raise ValidationError("Not a cursor of this list.")
        return id


class PageIn(Schema):
    """Query parameters of every list."""

    limit = Whole(
        load_default=50, validate=validate.Range(1, 200), description="Maximum items per page."
    )
    cursor = Cursor()


def page_schema(name: str, **listed: type[Schema]) -> type[Schema]:
    """The schema of what `page` makes: a list of each noun, `has_more` and `next_cursor`."""
    members: dict[str, Any] = {
        noun: fields.List(fields.Nested(item), required=True) for noun, item in listed.items()
    }
    members["has_more"] = fields.Bool(required=True, example=False)
    members["next_cursor"] = fields.Str(required=True, allow_none=True)
    return Schema.from_dict(members, name=name)


MOST_PLACE = (1 << 62) - 1


def place_of(cursor: UUID | None) -> int:
    """Behind which place a page of `numbered` begins."""
    return 0 if cursor is None else min(cursor.int, MOST_PLACE)


def numbered(
    noun: str,
    rows: Sequence[Numbered],
    limit: int,
    place: Callable[[Numbered], int],
    shown: Callable[[Numbered], Any] | None = None,
) -> dict[str, Any]:
    """As `page`, of a list in the order of a number that its rows have."""
    return _envelope(noun, rows, limit, lambda row: UUID(int=place(row)), shown)


def page(
    noun: str, rows: Sequence[Item], limit: int, shown: Callable[[Item], Any] | None = None
) -> dict[str, Any]:
    """The envelope `{noun, has_more, next_cursor}` of up to `limit` + 1 rows found.

    `shown` makes of a row what callers see; without it they see the row's own fields.
    """
    return _envelope(noun, rows, limit, lambda row: row.id, shown)


def _envelope(
    noun: str,
    rows: Sequence[Numbered],
    limit: int,
    cursor: Callable[[Numbered], UUID],
    shown: Callable[[Numbered], Any] | None,
) -> dict[str, Any]:
    kept, more = rows[:limit], len(rows) > limit
    return {
        noun: kept if shown is None else [shown(row) for row in kept],
        "has_more": more,
        "next_cursor": ids.public(Noun.CURSOR, cursor(kept[-1])) if more else None,
    }
