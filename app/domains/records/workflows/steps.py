"""Functions of single steps on one item: choose values, build an address, filter."""

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from decimal import Decimal
from operator import ge, gt, le, lt
from typing import Any, Final

from app.engine.extraction.schema import patterns
from app.engine.extraction.values.compare import value_at

MOST_QUERY: Final = 2_000
_ORDERS: Final = {"lt": lt, "le": le, "gt": gt, "ge": ge}
_PLACEHOLDER: Final = re.compile(r"\{((?:/[^{}/]*)+)\}")


def pointers(template: str) -> list[str]:
    return _PLACEHOLDER.findall(template)


def query(template: str, data: Mapping[str, Any]) -> str | None:
    """The query with the item's values in place of `{/pointer}`; None where one is missing."""
    values = {pointer: _words(value_at(data, pointer)) for pointer in pointers(template)}
    if not all(values.values()):
        return None
    filled = _PLACEHOLDER.sub(lambda match: values[match[1]], template)
    return " ".join(filled.split())[:MOST_QUERY]


def _words(value: Any) -> str:
    if isinstance(value, list):
        return " ".join(filter(None, map(_words, value)))
    return "" if value is None or isinstance(value, Mapping) else str(value)


def addresses(data: Mapping[str, Any], pointer: str) -> list[str]:
    """The web addresses that an item has at a pointer: one, or a list of them."""
    value = value_at(data, pointer)
    listed = value if isinstance(value, list) else [value]
    return [each for each in listed if isinstance(each, str) and _is_web(each)]


def _is_web(address: str) -> bool:
    return address.lower().startswith(("http://", "https://"))


def stays(condition: Mapping[str, Any], data: Mapping[str, Any]) -> bool:
    """True if a filter lets an item through. What cannot be compared does not match."""
    value, operator = value_at(data, condition["pointer"]), condition["operator"]
    wanted = condition.get("value")
    if operator == "exists":
        return (value is not None) is (wanted is not False)
    if operator == "ne":
        return not _equal(value, wanted)
    if operator == "eq":
        return _equal(value, wanted)
    if operator == "contains":
        return _contains(value, wanted)
    if operator == "matches":
        return isinstance(value, str) and patterns.matches(str(wanted), value)
    return _ordered(operator, value, wanted)


def _equal(value: Any, wanted: Any) -> bool:
    return bool(_plain(value) == _plain(wanted))


def _plain(value: Any) -> Any:
    """Equal for what is equal to a reader: 1 and 1.0 are, 1 and true are not."""
    if isinstance(value, bool) or value is None:
        return ("constant", value)
    if isinstance(value, int | float):
        return ("number", Decimal(str(value)).normalize())
    if isinstance(value, str):
        return ("text", " ".join(value.casefold().split()))
    return ("other", json.dumps(value, sort_keys=True))


def _contains(value: Any, wanted: Any) -> bool:
    if isinstance(value, list):
        return any(_equal(each, wanted) for each in value)
    if isinstance(value, str) and isinstance(wanted, str):
        return str(_plain(wanted)[1]) in str(_plain(value)[1])
    return False


def _ordered(operator: str, value: Any, wanted: Any) -> bool:
    """Numbers by size, texts by their characters: so dates of ISO 8601 are in order, too."""
    one, other = _plain(value), _plain(wanted)
    if one[0] != other[0] or one[0] not in ("number", "text"):
        return False
    return bool(_ORDERS[operator](one[1], other[1]))


def key(by: Sequence[str], data: Mapping[str, Any]) -> bytes | None:
    """The key that items of the same thing share; None without any of the values."""
    values = [value_at(data, pointer) for pointer in by]
    if all(value is None for value in values):
        return None
    return digest(json.dumps([_same_thing(value) for value in values], default=str))


def _same_thing(value: Any) -> Any:
    """As `_plain`; but addresses that differ in case lead to different things."""
    is_address = isinstance(value, str) and _is_web(value)
    return ("text", value.strip()) if is_address else _plain(value)


def digest(text: str) -> bytes:
    return hashlib.blake2b(text.encode(errors="surrogatepass"), digest_size=16).digest()
