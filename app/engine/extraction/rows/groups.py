"""Groups of elements that repeat: items of lists, cards, rows of tables, terms with definitions.

Elements are alike when tag and classes are, digits left out. They are counted by what they look
like and where they stand, and never compared pairwise.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import pairwise

from lxml.html import HtmlElement

from app.engine.extraction.text.onetext import RANKS, OneText
from app.engine.pages.blocks.walk import name_set

FEWEST = 3
MOST_ROWS = 10_000
_MOST_GROUPS = 400
_MOST_CLASSES = 6
_LONGEST_CLASS = 60
_NO_ROW = name_set(
    "html head body script style noscript template svg b strong i em u br hr wbr sup sub small "
    "option select button input label img picture source thead tbody tfoot colgroup col caption "
    "code kbd abbr time font center nobr path use iframe figcaption legend th"
)
_LEADERS = frozenset({"dt", *RANKS})
_LONGEST_LED, _LONGEST_GAP = 40, 6
_SAME_GAP = 0.6
_DIGITS = re.compile(r"\d+")
_STATE = re.compile(
    r"^(?:odd|even|first|last|active|alt|current|selected|featured|new|sale|hover|is-|has-|js-)"
)


Row = tuple[HtmlElement, ...]
Rows = list[Row]
Siblings = tuple[Row, Mapping[HtmlElement, int]]
"""The children of an element in order, and the place of each."""
ListSiblings = Callable[[HtmlElement], Siblings]


@dataclass(frozen=True, slots=True)
class Group:
    """Rows that look alike, in document order. A row is one element, or siblings in a row.

    `across`: each row is a column of a table."""

    path: str
    rows: tuple[Row, ...]
    truncated: bool = False
    across: bool = False


def look(element: HtmlElement) -> str:
    """The tag and the classes of an element; no digits in them, and no states such as `odd`."""
    named = element.get("class")
    if not named or not (classes := _classes(named)):
        return str(element.tag)[:_LONGEST_CLASS]
    return f"{element.tag[:_LONGEST_CLASS]}.{'.'.join(classes)}"


@lru_cache(maxsize=10_000)
def _classes(named: str) -> tuple[str, ...]:
    names = {_DIGITS.sub("", name[:_LONGEST_CLASS]) for name in named.split()[:_MOST_CLASSES]}
    return tuple(sorted(name for name in names if name and not _STATE.match(name)))


def groups(body: HtmlElement, page: OneText, fewest: int = FEWEST) -> list[Group]:
    """The groups below `body` whose rows show or link something, those of most text first."""
    kept: dict[tuple[HtmlElement, HtmlElement, int, int], tuple[int, Group]] = {}
    for path, rows in _repeated(body, page, fewest):
        whole = len(rows)
        rows = rows[:MOST_ROWS]
        key = (rows[0][0], rows[-1][0], whole, sum(map(len, rows)))
        if key not in kept:
            size = sum(_size(row, page) for row in rows)
            kept[key] = size, Group(path, tuple(rows), whole > len(rows))
    ordered = sorted(kept.values(), key=lambda item: -item[0])
    return [group for size, group in ordered[:_MOST_GROUPS] if size]


def _size(row: Sequence[HtmlElement], page: OneText) -> int:
    first, last = (page.places.get(row[at]) for at in (0, -1))
    return (last[1] - first[0]) if first and last else 1


def _repeated(body: HtmlElement, page: OneText, fewest: int) -> Iterator[tuple[str, Rows]]:
    families, paths, looks = _counted(body, page)
    siblings = cache(_siblings)  # once for all families of a parent
    for members in families.values():
        if len(members) >= fewest:
            yield _path(members[0]), [(member,) for member in members]
            yield from _led(members, siblings)
    for alike in (paths, looks):
        for members in alike.values():
            if len(members) >= fewest:
                yield look(members[0]), [(member,) for member in members]
    for element in body.iter("dl"):
        yield from _definitions(element, siblings)


def _siblings(parent: HtmlElement) -> Siblings:
    children = tuple(parent)
    return children, {child: at for at, child in enumerate(children)}


def _path(element: HtmlElement) -> str:
    parent = element.getparent()
    return f"{look(parent)}>{look(element)}" if parent is not None else look(element)


Members = dict[object, list[HtmlElement]]


def _counted(body: HtmlElement, page: OneText) -> tuple[Members, Members, Members]:
    """Elements alike: below one parent, at one path from the top, anywhere with the same class."""
    families: Members = defaultdict(list)
    paths: Members = defaultdict(list)
    looks: Members = defaultdict(list)
    numbers: dict[tuple[int, str, str | None], int] = {}
    number_of: dict[HtmlElement, int] = {body: 0}
    for element in body.iterdescendants():
        parent = element.getparent()
        if not isinstance(element.tag, str) or parent not in number_of:
            continue
        shown, part = look(element), element.get("itemprop")  # an address is no row like a rating
        number = numbers.setdefault((number_of[parent], shown, part), len(numbers) + 1)
        number_of[element] = number
        if element.tag in _NO_ROW or element not in page.places:
            continue
        families[parent, part, shown].append(element)
        paths[number].append(element)
        families[parent, part, element.tag, None].append(element)
        if named := element.get("class"):
            looks[shown].append(element)
            for name in _classes(named):
                families[parent, part, element.tag, name].append(element)
    return families, paths, looks


def _led(members: Sequence[HtmlElement], listed: ListSiblings) -> Iterator[tuple[str, Rows]]:
    """Members that other siblings follow: each leads a row up to the next one."""
    parent = members[0].getparent()
    if parent is None:
        return
    siblings, at = listed(parent)
    places = [at[member] for member in members if member in at]
    gaps = [after - before for before, after in pairwise(places)]
    if not gaps or max(gaps) == 1 or not _regular(members[0], gaps):
        return
    longest = max(gaps)
    ends = [*places[1:], min(len(siblings), places[-1] + longest)]
    rows = [
        _to_heading(siblings[a:b])
        for a, b in zip(places, ends, strict=True)
        if b - a <= _LONGEST_LED
    ]
    before = siblings[max(0, places[0] - _LONGEST_LED) : places[0]]
    if len(rows) >= FEWEST and not _begun_before(before, rows[0]):
        yield f"{_path(members[0])}+", rows


def _to_heading(row: Sequence[HtmlElement]) -> Row:
    """A row up to the next heading of the rank of its first element, or above that."""
    above = RANKS[: RANKS.index(row[0].tag) + 1] if row[0].tag in RANKS else ()
    ends = (at for at, element in enumerate(row[1:], 1) if element.tag in above)
    return tuple(row[: next(ends, len(row))])


def _begun_before(before: Sequence[HtmlElement], row: Sequence[HtmlElement]) -> bool:
    """True if what follows in a row also stands before the first: then rows begin elsewhere."""
    if row[0].tag in _LEADERS:
        return False
    followers = {look(element) for element in row[1:]}
    return any(look(element) in followers for element in before[-len(row) :])


def _regular(leader: HtmlElement, gaps: Sequence[int]) -> bool:
    if leader.tag in _LEADERS:
        return True
    length, times = Counter(gaps).most_common(1)[0]
    return 1 < length <= _LONGEST_GAP and times >= _SAME_GAP * len(gaps)


def _definitions(element: HtmlElement, listed: ListSiblings) -> Iterator[tuple[str, Rows]]:
    """A list of definitions in which the first term comes again: there a row begins."""
    terms = [child for child in element if child.tag == "dt"]
    if len(terms) < FEWEST:
        return
    first = _shown(terms[0])
    yield from _led([term for term in terms if _shown(term) == first], listed)


def _shown(element: HtmlElement) -> str:
    return " ".join("".join(element.itertext()).split())


def innermost(rows: Iterable[Sequence[HtmlElement]]) -> frozenset[HtmlElement]:
    """The elements at which a row begins or goes on."""
    return frozenset(element for row in rows for element in row)
