"""Whether two readings of a field mean the same, and which record is which."""

import re
from collections.abc import Iterator, Sequence
from decimal import Decimal, InvalidOperation
from typing import Any, Final

from app.engine.extraction.masking import folded
from app.engine.extraction.places import without_tracking
from app.engine.extraction.schema import Field, Plan

_URLS: Final = frozenset({"uri", "url", "uri-reference", "iri"})
_DATES: Final = frozenset({"date", "date-time"})
_ID: Final = re.compile(
    r"(?:id|uuid|sku|gtin\d*|ean\d*|isbn\d*|mpn|asin|doi|slug|code|key|(?:product|item|order)"
    r"[_-]?(?:id|number|no|code))",
    re.IGNORECASE,
)
_DATE: Final = re.compile(r"(\d{4})(?:-(\d{2})(?:-(\d{2})(?:[T ](.+))?)?)?")


def same(field: Field | None, a: Any, b: Any) -> bool:
    """Whether two values of a field say the same thing, however a page writes them.

    Texts are folded (case stays), numbers compared as decimals, dates at the coarser precision of
    the two, addresses without what follows visitors, arrays as bags.
    """
    if a is None or b is None:
        return a is b
    if isinstance(a, list) and isinstance(b, list):
        return _same_items(field, a, b)
    if isinstance(a, dict) and isinstance(b, dict):
        return _same_objects(field.items if field else None, a, b)
    if isinstance(a, bool) or isinstance(b, bool):
        return a is b
    if isinstance(a, int | float | Decimal) and isinstance(b, int | float | Decimal):
        return _decimal(a) == _decimal(b)
    return isinstance(a, str) and isinstance(b, str) and _same_texts(field, a, b)


def _same_texts(field: Field | None, a: str, b: str) -> bool:
    form = field.format if field else None
    if form in _URLS:
        return without_tracking(a) == without_tracking(b)
    if form in _DATES and (one := _DATE.fullmatch(a)) and (other := _DATE.fullmatch(b)):
        pairs = zip(one.groups(), other.groups(), strict=True)
        return all(x == y for x, y in pairs if x is not None and y is not None)
    return folded(a) == folded(b)


def _same_items(field: Field | None, a: list[Any], b: list[Any]) -> bool:
    """As bags: the order in which a page shows things says nothing."""
    if len(a) != len(b):
        return False
    plan = field.items if field else None
    item = field.item if field else None
    left = list(b)
    for each in a:
        for at, other in enumerate(left):
            if _same_item(plan, item, each, other):
                del left[at]
                break
        else:
            return False
    return True


def _same_item(plan: Plan | None, item: Field | None, a: Any, b: Any) -> bool:
    if plan is not None and isinstance(a, dict) and isinstance(b, dict):
        return _same_objects(plan, a, b)
    return same(item, a, b)


def _same_objects(plan: Plan | None, a: dict[str, Any], b: dict[str, Any]) -> bool:
    fields = {each.name: each for each in plan.fields} if plan else {}
    return all(same(fields.get(name), a.get(name), b.get(name)) for name in a.keys() | b.keys())


def _decimal(number: int | float | Decimal) -> Decimal:
    try:
        return Decimal(str(number))
    except InvalidOperation:
        return Decimal("NaN")


def identity(plan: Plan, data: dict[str, Any]) -> str | None:
    """What tells a record from others of its page, also when other fields of it change.

    An address, else something like an id, else its first required text.
    """
    for field in _identifying(plan.fields):
        value = data.get(field.name)
        if isinstance(value, str) and value.strip():
            text = without_tracking(value) if field.format in _URLS else folded(value)
            return f"{field.name}={text}"
        if isinstance(value, int) and not isinstance(value, bool):
            return f"{field.name}={value}"
    return None


def _identifying(fields: Sequence[Field]) -> Iterator[Field]:
    texts = [field for field in fields if field.type in ("string", "integer")]
    yield from (field for field in texts if field.format in _URLS)
    yield from (field for field in texts if _ID.fullmatch(field.name))
    yield from (field for field in texts if field.required and field.type == "string")


def value_at(data: Any, pointer: str) -> Any:
    """What a JSON pointer names in a record; None when there is nothing."""
    for step in pointer.split("/")[1:]:
        name = step.replace("~1", "/").replace("~0", "~")
        if isinstance(data, list) and name.isdigit() and int(name) < len(data):
            data = data[int(name)]
        elif isinstance(data, dict):
            data = data.get(name)
        else:
            return None
    return data
