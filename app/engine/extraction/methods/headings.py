"""Headings: the one that is the title of the page, and those that name what comes below them."""

from collections.abc import Iterator
from itertools import islice

from lxml.html import HtmlElement

from app.engine.extraction.methods.candidates import MOST_CANDIDATES, FieldCandidate, of_page
from app.engine.extraction.methods.name_match import Names
from app.engine.extraction.methods.tables import heads_a_column
from app.engine.extraction.schema.schema import Field
from app.engine.extraction.text.onetext import HEADINGS, RANKS, OneText
from app.engine.extraction.text.slices import letters
from app.engine.extraction.text.stated import Leaf
from app.engine.pages.blocks.walk import name_set

_MOST_TITLES = 6
_TITLE_PRIOR = 0.86  # a heading that the title of the document begins with
_FIRST_PRIOR = 0.62
_LIST_PRIOR = 0.72
_LOOSE_LIST_PRIOR = 0.6
_TEXT_PRIOR = 0.55
_LINES_PRIOR = 0.66
_FEWEST_LINES = 3
_LONGEST_LINES = 20_000
_BLOCKS_WEIGHT = 0.85
_UNITS = ("li", "tr", "p", "div", "dd", "label")
_KINDS_OF_PAGE = name_set("review reviews profile overview details information photos specs")
_LONGER_WEIGHT = 0.75
_NAMING = HEADINGS | name_set("strong b p legend span div summary dt th caption a button")
_ENDING = {rank: frozenset(RANKS[: number + 1]) for number, rank in enumerate(RANKS)}
_LONGEST_TITLE = 250
_LONGEST_NAME = 45
_LONGEST_ITEM = 3_000
_MOST_HEADINGS = 150  # looked below of, since each costs what stands there
_FARTHEST = 400  # elements from a heading to its list
_MOST_ITEMS = 1_000
_LEAST_ALIKE = 0.45
_ANOTHER = 0.9  # likeness of what names another field

Alike = tuple[tuple[Field, float], ...]


def titles(page: OneText, site: str) -> list[FieldCandidate]:
    """The headings that may be the title of what the page is about; `site` is its host."""
    whole = letters(page.named("title"))
    candidates: list[FieldCandidate] = []
    for element, (start, end) in page.places.items():
        if element.tag not in ("h1", "h2", "h3") or not 1 < end - start <= _LONGEST_TITLE:
            continue
        text = letters(page.text[start:end])
        if len(text) < 3 or (text not in whole and element.tag != "h1"):
            continue
        prior = _FIRST_PRIOR
        if text in whole:
            prior += (_TITLE_PRIOR - _FIRST_PRIOR) * (0.4 + 0.6 * len(text) / len(whole))
        if element.tag != "h1":
            prior -= 0.1
        if text in letters(site):
            prior *= 0.4
        candidates.append(of_page("title", (Leaf(start, end, None, element),), "text", prior))
    _lower_longer(page, candidates)
    return sorted(candidates, key=lambda each: -each.prior)[:_MOST_TITLES]


def _lower_longer(page: OneText, candidates: list[FieldCandidate]) -> None:
    """Lowers a heading that is another and the word Review: the other is the name of the thing."""
    texts = {page.text[each.start : each.end].casefold() for each in candidates}
    for each in candidates:
        shorter, _, last = page.text[each.start : each.end].casefold().rpartition(" ")
        if last in _KINDS_OF_PAGE and shorter in texts:
            each.prior *= _LONGER_WEIGHT


def below(page: OneText, names: Names) -> list[FieldCandidate]:
    """The lists and paragraphs below headings that may be the names of fields."""
    candidates: list[FieldCandidate] = []
    seen: set[int] = set()
    for element, (start, end) in page.places.items():
        if element.tag not in _NAMING or end - start > _LONGEST_NAME or end in seen:
            continue
        if page.text[end : end + 1] not in ("\n", "") or heads_a_column(element):
            continue
        key = page.text[start:end].rstrip(":： ")
        if not any(alike >= _LEAST_ALIKE for _, alike in names.alike(key, "name")):
            continue
        seen.add(end)
        candidates.extend(_named(page, element, key, names))
        if len(seen) >= _MOST_HEADINGS or len(candidates) >= MOST_CANDIDATES:
            break
    return candidates


def _named(page: OneText, heading: HtmlElement, key: str, names: Names) -> Iterator[FieldCandidate]:
    is_heading = heading.tag in HEADINGS
    units = _units_below(page, heading, names.alike(key, "name"), names)
    if len(units) > 1:
        prior = _LIST_PRIOR if is_heading else _LOOSE_LIST_PRIOR
        if units[0].element.tag not in ("li", "tr"):
            prior *= _BLOCKS_WEIGHT
        yield of_page(key, tuple(units), "labels", prior, many=True)
    if lines := _lines_below(page, heading):
        yield of_page(key, lines, "labels", _LINES_PRIOR, many=True)
    if units and is_heading:
        yield of_page(key, (units[0],), "labels", _TEXT_PRIOR)


def _lines_below(page: OneText, heading: HtmlElement) -> tuple[Leaf, ...]:
    """The lines of the paragraph right below a heading, if it is a list without markup."""
    block = next(page.after(page.places[heading][1]), None)
    if block is None or next(block.iterdescendants(*_UNITS, *HEADINGS), None) is not None:
        return ()
    leaves: list[Leaf] = []
    start, end = page.places[block]
    for line in page.text[start : min(end, start + _LONGEST_LINES)].split("\n"):
        leaves.append(Leaf(start, start + len(line), None, block))
        start += len(line) + 1
    return tuple(leaves) if len(leaves) >= _FEWEST_LINES else ()


def _units_below(page: OneText, heading: HtmlElement, named: Alike, names: Names) -> list[Leaf]:
    """The items, rows or blocks of one kind below a heading, up to the next of its rank, or to
    what names another field."""
    kinds: dict[str, list[Leaf]] = {}
    enders = _ENDING.get(heading.tag, HEADINGS)
    done = page.places[heading][1]
    section = page.section_end(heading)  # below stand side boxes, and the foot of the page
    for element in islice(page.after(done), _FARTHEST):
        start, end = page.places[element]
        if element.tag in enders or _names_another(page, element, named, names):
            break
        if kinds and start >= section:
            break
        if start >= done and element.tag in _UNITS and _is_unit(element):
            done = end
            if end - start <= _LONGEST_ITEM:
                kinds.setdefault(_kind(element), []).append(Leaf(start, end, None, element))
    return max(kinds.values(), key=_weight, default=[])[:_MOST_ITEMS]


def _names_another(page: OneText, element: HtmlElement, named: Alike, names: Names) -> bool:
    start, end = page.places[element]
    if (
        element.tag not in _NAMING
        or end - start > _LONGEST_NAME
        or page.text[end : end + 1] != "\n"
    ):
        return False
    own = {field.pointer for field, _ in named}
    others = names.alike(page.text[start:end].rstrip(":： "), "name")
    return any(alike >= _ANOTHER and field.pointer not in own for field, alike in others)


def _weight(units: list[Leaf]) -> int:
    return sum(min(100, unit.end - unit.start) for unit in units)


def _is_unit(element: HtmlElement) -> bool:
    """True if an element is an item or a row, or a block that holds no other."""
    if element.tag in ("li", "tr"):
        return next(element.iterdescendants("li", "tr"), None) is None
    return next(element.iterdescendants(*_UNITS), None) is None


def _kind(element: HtmlElement) -> str:
    above = element.getparent()
    looks = element.get("class") or "" if element.tag == "div" else ""
    return f"{element.tag}.{looks}<{above.tag if above is not None else ''}"
