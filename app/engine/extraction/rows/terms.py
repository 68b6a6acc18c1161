"""Terms with what is said of them: entries of lists of definitions, paragraphs that begin with what
they explain, headings, rows of tables. Each is told by its shape, whatever it is about.
"""

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence

from lxml.html import HtmlElement

from app.engine.extraction.rows.groups import FEWEST, MOST_ROWS, Group, Row, Rows, look
from app.engine.extraction.text.onetext import HEADINGS, OneText
from app.engine.extraction.text.slices import trimmed
from app.engine.pages.blocks.entries import classes_of
from app.engine.pages.blocks.walk import name_set

_LONGEST_TERM = 120
_PAIR = 2
_TERMS = name_set("b strong em dfn i code kbd tt var a")
CODE = name_set("code kbd tt")
_EXPLAINED = name_set("p li div")
_HOLDING = name_set("li div")
_INLINE = name_set(
    "a abbr b bdi br cite code dfn em font i img kbd mark q s samp small span strong sub sup time "
    "tt u var wbr"
)
_DECLARED = re.compile(r"((?:[a-z]+ )?[\w.$-]+) ?[=:] ")  # a name with its value or type behind it
_END_OF_TERM, _BEGIN_OF_TEXT = " \n:：", " \n:：|-–—•·"

Part = tuple[int, int, HtmlElement]
Slices = list[Part]
"""The start and the end of each part of a row, and an element that holds it."""


def entries(body: HtmlElement) -> Iterator[Group]:
    """The entries of all lists of definitions of one look, and the paragraphs and items of one
    parent that begin with a term; each three or more, in order of the page.
    """
    alike: dict[str, Rows] = defaultdict(list)
    explained: dict[tuple[HtmlElement, str], Rows] = defaultdict(list)
    for element in body.iter("dl", "p", "li"):
        if element.tag == "dl":
            depth = sum(1 for _ in element.iterancestors("dl"))
            alike[f"{'dd ' * depth}{look(element)}>dt+"].extend(_definitions(element))
        elif (parent := element.getparent()) is not None and _lead_of(element) is not None:
            explained[parent, look(element)].append((element,))
    for (parent, shown), rows in explained.items():
        alike[f"{look(parent)}>{shown}:"].extend(rows if len(rows) >= FEWEST else ())
    for path, rows in alike.items():
        if len(rows) >= FEWEST:
            yield Group(path, tuple(rows[:MOST_ROWS]), len(rows) > MOST_ROWS)


def _definitions(element: HtmlElement) -> Iterator[Row]:
    """Rows of a list: the terms that stand together, with the definitions below them."""
    row: list[HtmlElement] = []
    for child in element:
        if child.tag == "dt" and row and row[-1].tag == "dd":
            yield tuple(row)
            row = []
        if child.tag == "dt" or (child.tag == "dd" and row):
            row.append(child)
    if row and row[-1].tag == "dd":
        yield tuple(row)


def parts(row: Row, page: OneText) -> Slices:
    """The term of a row and what is said of it, or its cells; [] if it has no such parts."""
    found: Slices = []
    for start, end, element in _parts(row, page):
        end = _before_list(start, end, element, page)
        start, end = trimmed(page, start, end, _BEGIN_OF_TEXT if found else _END_OF_TERM)
        if start < end:
            found.append((start, end, element))
    if len(found) < _PAIR:
        return []
    is_term = found[0][2].tag == "dt" or found[0][1] - found[0][0] <= _LONGEST_TERM
    return found if is_term else []


def _before_list(start: int, end: int, element: HtmlElement, page: OneText) -> int:
    """The end of a slice before the first list of definitions in it, which says more of its parts:
    parameters, what is returned."""
    lists = (page.places.get(each, (0, 0))[0] for each in element.iter("dl"))
    return min((place for place in lists if start < place < end), default=end)


def _parts(row: Row, page: OneText) -> Slices:
    lead, places = row[0], page.places
    if lead.tag in HEADINGS:
        said = [each for each in row[1:] if each in places]
        if lead not in places or not said:
            return []
        return [(*places[lead], lead), (places[said[0]][0], places[said[-1]][1], said[0])]
    if (term := _summary_of(lead) if lead.tag == "details" else _lead_of(lead)) is not None:
        if term not in places or len(row) > 1:
            return []
        return [(*places[term], term), (places[term][1], places[lead][1], lead)]
    return [(*places[each], each) for each in _cells(row) if each in places]


def _cells(row: Row) -> Sequence[HtmlElement]:
    lead = row[0]
    if lead.tag == "tr":
        return list(lead.iterchildren("td", "th"))
    if len(row) == 1 and lead.tag in _HOLDING and len(lead) == _PAIR and _are_blocks(lead):
        return list(lead)
    listed = row if lead.tag == "dt" else tuple(lead)
    firsts = (next((each for each in listed if each.tag == tag), None) for tag in ("dt", "dd"))
    return [each for each in firsts if each is not None]


def _are_blocks(element: HtmlElement) -> bool:
    """True if an element is made of two blocks of text, and shows nothing beside them."""
    said = (element.text, *(child.tail for child in element))
    return all(child.tag == "div" for child in element) and not "".join(filter(None, said)).strip()


def _summary_of(element: HtmlElement) -> HtmlElement | None:
    """The line of a disclosure that shows the rest."""
    return next(element.iterchildren("summary"), None)


def _lead_of(element: HtmlElement) -> HtmlElement | None:
    """The words in other type, or the link, that a plain paragraph begins with."""
    if element.tag not in _EXPLAINED or (element.text or "").strip():
        return None
    first = next(iter(element), None)
    if first is not None and first.tag == "p" and len(element) == 1:
        return _lead_of(first)
    is_term = first is not None and first.tag in _TERMS and all(e.tag in _INLINE for e in element)
    return first if is_term else None


def name_in(term: Part, page: OneText) -> Part:
    """The part of a declaration that a class calls its name, with what it belongs to; else all of
    it, but for the value or the type behind it."""
    start, end, element = term
    places = [
        page.places[each] for each in element.iter() if each in page.places and _is_name(each)
    ]
    named = [each for each in places if not _is_open(page.text[start : each[0]])]
    if named:
        first, name_end = named[0]
        for begin, stop in named[1:]:  # what it belongs to comes first
            name_end = stop if begin == name_end else name_end
        return first, name_end, element
    declared = _DECLARED.match(page.text, start, end)
    return start, declared.end(1) if declared else end, element


def _is_name(element: HtmlElement) -> bool:
    return element.tag in _INLINE and any(each.endswith("name") for each in classes_of(element))


def _is_open(text: str) -> bool:
    """True if a bracket is open at the end: what stands in it is a part of the declaration."""
    return sum(map(text.count, "<([")) > sum(map(text.count, ">)]"))
