"""The check that two records tell the same: by their key, else by their words.

The key is a page's address with the values of the identifying fields. Of words, the 3-grams of the
smaller record are looked for in the other: a cut copy is a copy. Records are short, so sets are
exact and quick, where sketches lose what makes them alike. What words cannot tell apart, numbers
must: two records with another number, date or address in an identifying field are two.
"""

import hashlib
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import urlsplit

from app.engine.extraction.schema.places import without_tracking
from app.engine.extraction.schema.schema import Field, Plan

CONTAINED_FROM: Final = 0.5
_SIZE: Final = 3
_MOST_WORDS: Final = 400
_WORD: Final = re.compile(r"\w+")
_MARK: Final = re.compile(r"https?://[^\s\"'<>]+|\d+(?:[.,:/-]\d+)*")


@dataclass(frozen=True, slots=True)
class RecordIdentity:
    """The features that a record is known by. `marks` are the numbers, dates and addresses of its
    identifying fields, by pointer.
    """

    key: bytes
    grams: frozenset[int]
    marks: Mapping[str, tuple[str, ...]]


def identity(
    plan: Plan, data: Mapping[str, Any], url: str, canonical: str | None = None
) -> RecordIdentity:
    """The identity of a record that was read at `url`, whose page calls itself `canonical`."""
    fields = identifying(plan)
    values = {field.pointer: _text(data.get(field.name)) for field in fields}
    return RecordIdentity(
        _key(address(url, canonical), values),
        grams(" ".join(_texts(data))),
        {pointer: tuple(_MARK.findall(value)) for pointer, value in values.items() if value},
    )


def same(one: RecordIdentity, other: RecordIdentity) -> bool:
    """True if one of two records is a copy of the other."""
    if one.key == other.key:
        return True
    return _marks_agree(one, other) and contained(one.grams, other.grams) >= CONTAINED_FROM


def contained(one: frozenset[int], other: frozenset[int]) -> float:
    """Rates how much of the smaller set is in the other."""
    smaller = min(len(one), len(other))
    return len(one & other) / smaller if smaller else 0.0


def identifying(plan: Plan) -> list[Field]:
    """The fields that tell records apart: what every record must have, or else all plain ones."""
    plain = [field for field in plan.fields if field.type not in ("object", "array")]
    return [field for field in plain if field.required] or plain or list(plan.fields)


def address(url: str, canonical: str | None = None) -> str:
    """One spelling of a page's address; its own canonical one if that is on the same host."""
    if canonical and _host(canonical) == _host(url):
        url = canonical
    return without_tracking(url)


def grams(text: str) -> frozenset[int]:
    """The hashes of all runs of three words, as an index keeps them; a shorter text is one run."""
    words = _WORD.findall(text.casefold())[:_MOST_WORDS]
    if not words:
        return frozenset()
    starts = range(max(1, len(words) - _SIZE + 1))
    return frozenset(_hash(" ".join(words[at : at + _SIZE])) for at in starts)


def _host(url: str) -> str | None:
    try:
        return urlsplit(url).hostname
    except ValueError:
        return None


def _key(address: str, values: Mapping[str, str]) -> bytes:
    parts = [address, *(f"{name}\0{_folded(value)}" for name, value in sorted(values.items()))]
    return hashlib.blake2b("\0\0".join(parts).encode(), digest_size=16).digest()


def _marks_agree(one: RecordIdentity, other: RecordIdentity) -> bool:
    shared = one.marks.keys() & other.marks.keys()
    return all(sorted(one.marks[name]) == sorted(other.marks[name]) for name in shared)


def _hash(gram: str) -> int:
    digest = hashlib.blake2b(gram.encode(), digest_size=8).digest()
    return int.from_bytes(digest, "big", signed=True)


def _folded(value: str) -> str:
    return " ".join(_WORD.findall(value.casefold()))


def _text(value: Any) -> str:
    return " ".join(_texts(value))


def _texts(value: Any) -> Iterator[str]:
    """All that a value says, in order."""
    if isinstance(value, Mapping):
        for each in value.values():
            yield from _texts(each)
    elif isinstance(value, list):
        for each in value:
            yield from _texts(each)
    elif value is not None:
        yield str(value)
