"""Comparison of records: readings that mean the same, and which record is which."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from decimal import Decimal
from typing import Any, Final

from app.engine.extraction.changes.masks import folded
from app.engine.extraction.schema.formats import ADDRESSES
from app.engine.extraction.schema.identity import identifying
from app.engine.extraction.schema.places import without_tracking
from app.engine.extraction.schema.schema import Field, Plan
from app.engine.extraction.values import currencies
from app.engine.extraction.values.prices import price
from app.engine.extraction.values.quantities import is_price
from app.engine.extraction.values.typed import Context
from app.engine.text.dates import iso

_DATES: Final = frozenset({"date", "date-time"})
_PRECISIONS: Final = ("year", "month", "day", "second")
_NOWHERE: Final = Context("", None)
_UTC: Final = re.compile(r"(?<=:\d\d) ?(?:UTC|\(UTC\))$")


def same(field: Field | None, a: Any, b: Any, *, ordered: bool = False) -> bool:
    """True if two values of a field say the same thing, however a page writes them.

    Texts are folded (case stays), those that end with a time without its UTC, numbers compared as
    decimals, prices with their currency, dates at the coarser precision of the two, addresses
    without what follows visitors, arrays as bags unless they are `ordered`. Linear in the size of
    the values.
    """
    if isinstance(a, str) and isinstance(b, str) and field and field.format in _DATES:
        return _same_dates(a, b)
    if ordered and isinstance(a, list) and isinstance(b, list):
        item = field.item if field else None
        pairs = zip(a, b, strict=False)
        return len(a) == len(b) and all(_key(item, x) == _key(item, y) for x, y in pairs)
    return bool(_key(field, a) == _key(field, b))


def content_key(fields: Iterable[Field], values: Mapping[str, Any]) -> Any:
    """A key of values by pointer: that of all that say the same."""
    return tuple(_key(field, values.get(field.pointer)) for field in fields)


def _same_dates(a: str, b: str) -> bool:
    one, other = iso(a), iso(b)
    if one is None or other is None:
        return folded(a) == folded(b)
    if one.precision == other.precision == "second":
        return one.utc().at == other.utc().at
    known = min(_PRECISIONS.index(one.precision), _PRECISIONS.index(other.precision)) + 1
    return one.at.timetuple()[:known] == other.at.timetuple()[:known]


def _key(field: Field | None, value: Any) -> Any:
    """Returns the key that all values that say the same have in common."""
    if isinstance(value, bool):
        return (bool, value)
    if isinstance(value, int | float | Decimal):
        return Decimal(str(value))
    if isinstance(value, str):
        return _text_key(field, value)
    if isinstance(value, list):
        item = field.item if field else None
        items = field.items if field else None
        keys = [_object_key(items, x) if isinstance(x, dict) else _key(item, x) for x in value]
        return frozenset(Counter(keys).items())
    if isinstance(value, dict):
        return _object_key(field.items if field else None, value)
    return None


def _object_key(plan: Plan | None, value: dict[str, Any]) -> Any:
    fields = {each.name: each for each in plan.fields} if plan else {}
    return (dict, frozenset((x, _key(fields.get(x), y)) for x, y in value.items() if y is not None))


def _text_key(field: Field | None, text: str) -> Any:
    if field and field.format in ADDRESSES:
        return without_tracking(text)
    if field and is_price(field):
        stated = price(text, None, _NOWHERE)
        if stated and not stated[2]:
            signs = [match[0] for match in currencies.signs(text)[:1]]
            return (stated[0], stated[1] or "".join(signs))
    return _UTC.sub("", folded(text))  # as a time without a zone counts as UTC


def identity(plan: Plan, data: dict[str, Any]) -> str | None:
    """Returns what tells a record from others of its page, also when other fields of it change.

    An address, else something like an id, else its name, else its first required text.
    """
    for field in identifying(plan.fields):
        value = data.get(field.name)
        if isinstance(value, str) and value.strip():
            text = without_tracking(value) if field.format in ADDRESSES else folded(value)
            return f"{field.name}={text}"
        if isinstance(value, int) and not isinstance(value, bool):
            return f"{field.name}={value}"
    return None


def value_at(data: Any, pointer: str) -> Any:
    """Returns the value that a JSON pointer names in a record; None when there is nothing."""
    for name in steps(pointer):
        if isinstance(data, list) and name.isdecimal() and int(name) < len(data):
            data = data[int(name)]
        elif isinstance(data, Mapping):
            data = data.get(name)
        else:
            return None
    return data


def steps(pointer: str) -> list[str]:
    """The names and numbers that lead to what a JSON pointer names."""
    return [step.replace("~1", "/").replace("~0", "~") for step in pointer.split("/")[1:]]
