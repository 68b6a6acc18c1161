"""The check that two records tell the same: by their key, else by their words.

The key is a page's address with the values of the identifying fields. Of words, the 3-grams of the
smaller record are looked for in the other: a cut copy is a copy. Records are short, so sets are
exact and quick, where sketches lose what makes them alike. But first the fields that identify a
record have to agree: two with another name, id, number or date are two, whatever else they share.
"""

import hashlib
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final
from unicodedata import combining, normalize
from urllib.parse import urlsplit

from app.engine.extraction.schema.formats import ADDRESSES
from app.engine.extraction.schema.identity import is_address, telling
from app.engine.extraction.schema.places import without_tracking
from app.engine.extraction.schema.schema import Field, Plan

CONTAINED_FROM: Final = 0.5
_LEAST_SHARED: Final = 3
"""So many runs of words say that two pages tell the same; fewer stand on many pages."""
_SIZE: Final = 3
_MOST_WORDS: Final = 400
_LONGEST_SHORT: Final = 12  # words: what is longer is compared by its runs of words
_WORD: Final = re.compile(r"\w+")
# With the signs that make another thing of a name: C, C++ and C#, 5 and -5, $5 and €5.
_SIGNED: Final = re.compile(r"(?<!\w)[-+\u2212](?=\d)|\w+(?:[+#]+(?!\w))?|[$€£¥₹%°]")
_SITE: Final = re.compile(r"(.+)\s[|·–—-]\s+(.+)", re.DOTALL)
_SHORTEST_SITE: Final = 4
_EXACTLY: Final = "="
_AT_LEAST: Final = "~"
_MARK: Final = re.compile(
    r"https?://[^\s\"'<>]+|(?<!\w)[-\u2212]\d+(?:[.,]\d+)*|\d+(?:[.,:/-]\d+)*"
)


@dataclass(frozen=True, slots=True)
class RecordIdentity:
    """The features that a record is known by. `marks` are the numbers, dates and addresses of its
    required fields, by pointer; behind `=` the words of a name or id, which have to be the same,
    behind `~` those of another short required text, of which one may say more.
    """

    key: bytes
    grams: frozenset[int]
    marks: Mapping[str, tuple[str, ...]]


def identity(
    plan: Plan, data: Mapping[str, Any], url: str, canonical: str | None = None
) -> RecordIdentity:
    """The identity of a record that was read at `url`, whose page calls itself `canonical`."""
    page = address(url, canonical)
    required, known = _required(plan), telling(plan.fields)
    values = {each.pointer: " ".join(_texts(data.get(each.name))) for each in (*required, *known)}
    addresses = {each.name for each in plan.fields if each.format in ADDRESSES}
    told = {name: value for name, value in data.items() if name not in addresses}
    return RecordIdentity(
        _key(page, values),
        grams(" ".join(_texts(told))),
        dict(_marks(required, known, values, {page, address(url)})),
    )


def same(one: RecordIdentity, other: RecordIdentity) -> bool:
    """True if one of two records is a copy of the other."""
    if one.key == other.key:
        return True
    if not _marks_agree(one, other) or len(one.grams & other.grams) < _LEAST_SHARED:
        return False
    return contained(one.grams, other.grams) >= CONTAINED_FROM


def contained(one: frozenset[int], other: frozenset[int]) -> float:
    """Rates how much of the smaller set is in the other."""
    smaller = min(len(one), len(other))
    return len(one & other) / smaller if smaller else 0.0


def _required(plan: Plan) -> list[Field]:
    """The fields that every record must have, or else all plain fields."""
    plain = [field for field in plan.fields if field.type not in ("object", "array")]
    return [field for field in plain if field.required] or plain or list(plan.fields)


def _marks(
    required: Sequence[Field], known: Sequence[Field], values: Mapping[str, str], own: set[str]
) -> Iterator[tuple[str, tuple[str, ...]]]:
    for field in known:
        if words := _words_of(field, values[field.pointer], own):
            yield f"{_EXACTLY}{field.pointer}", words
    for field in required:
        value = values[field.pointer]
        if value:
            yield field.pointer, tuple(_MARK.findall(value))
        words = _words(value) if field.type == "string" and not field.format else ()
        if field not in known and 0 < len(words) <= _LONGEST_SHORT:
            yield f"{_AT_LEAST}{field.pointer}", words


def _words_of(field: Field, value: str, own: set[str]) -> tuple[str, ...]:
    """The words that identify a record by a field; the address of its page does not."""
    if is_address(field):
        place = without_tracking(value)
        return () if not value or place in own else (place,)
    return _words(_without_site(value, own))


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
    return all(
        _agree(name, Counter(one.marks[name]), Counter(other.marks[name]))
        for name in one.marks.keys() & other.marks.keys()
    )


def _agree(name: str, one: Counter[str], other: Counter[str]) -> bool:
    return one == other or (name.startswith(_AT_LEAST) and (one <= other or other <= one))


def _words(value: str) -> tuple[str, ...]:
    plain = "".join(x for x in normalize("NFKD", value.casefold()) if not combining(x))
    return tuple(_SIGNED.findall(plain)[:_MOST_WORDS])


def _without_site(value: str, own: set[str]) -> str:
    """A name without that of the site behind it: Barn owls | The Owls, of theowls.example."""
    match = _SITE.fullmatch(value)
    site = "".join(_WORD.findall(match[2].casefold())) if match else ""
    hosts = ["".join(_WORD.findall(_host(each) or "")) for each in own]
    is_site = len(site) >= _SHORTEST_SITE and any(site in host for host in hosts)
    return match[1] if match and is_site else value


def _hash(gram: str) -> int:
    digest = hashlib.blake2b(gram.encode(), digest_size=8).digest()
    return int.from_bytes(digest, "big", signed=True)


def _folded(value: str) -> str:
    return " ".join(_SIGNED.findall(value.casefold()))


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, Mapping):
        for each in value.values():
            yield from _texts(each)
    elif isinstance(value, list):
        for each in value:
            yield from _texts(each)
    elif isinstance(value, float) and value.is_integer():
        yield str(int(value))
    elif value is not None:
        yield str(value)
