"""The cells of a row: what it shows and links, where, and by which words each could be known."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice

from lxml.html import HtmlElement

from app.engine.extraction.rows.groups import look
from app.engine.extraction.rows.headers import Header, Headers, holds_heads, table_labels
from app.engine.extraction.rows.terms import CODE
from app.engine.extraction.text.onetext import HEADINGS, OneText
from app.engine.extraction.text.slices import day_apart
from app.engine.pages.blocks.walk import name_set

_MOST_CELLS = 60
_MOST_ELEMENTS = 400
_LONGEST, _LONGEST_PATH = 5_000, 2_000
_SKIPPED = name_set("script style noscript template svg head iframe textarea select option button")
_TERMS = name_set("dt th")
_WHOLE = name_set("td th dd dt li p h1 h2 h3 h4 h5 h6")
_INLINE = name_set(
    "a abbr b bdi code em font i img mark q s small span strong sub sup time u br wbr"
)
_NAMED = ("itemprop", "property", "data-testid", "data-label", "data-title", "rel", "class", "id")
_ADDRESSES = {
    "a": ("href",),
    "img": ("data-pin-media", "srcset", "data-src", "src"),
    "time": ("datetime",),
}
_LABELLED = re.compile(r"([^\W\d_][^:：\n]{0,38}?)\s{0,2}[:：]\s{1,3}(?=\S)")
_NO_LETTER = re.compile(r"\W+")
_AND = re.compile(r" (?:and|und|et|y|e|&) ")
_LABEL_ALONE = re.compile(r"([^\W\d_][^:：\n]{0,38}?)\s{0,2}[:：]")


@dataclass(slots=True)
class Cell:
    """A slice of the one text within a row.

    `path` leads to it from the row and is the same in every row of the region; of several at one
    place it ends with the label of each, or with its number. `labels` were written for readers,
    `names` for programs.
    """

    start: int
    end: int
    path: str
    element: HtmlElement
    attribute: str | None = None
    is_label: bool = False
    labels: list[str] = field(default_factory=list)
    names: list[str] = field(default_factory=list)


Slice = tuple[int, int, str | None]
"""Start, end, and the name of the attribute that states it."""


class Cells:
    """Reads the cells of rows of one page, each element once."""

    def __init__(self, page: OneText, *, dated: bool = False) -> None:
        """`dated`: a record has a day, which a heading may say beside a name."""
        self._page, self._table_labels, self._dated = page, table_labels(page), dated
        self.headers = Headers(page)
        self._below: dict[HtmlElement, list[tuple[HtmlElement, str]]] = {}
        self._slices: dict[HtmlElement, tuple[Slice, ...]] = {}
        self._names: dict[HtmlElement, tuple[str, ...]] = {}
        self._beside: dict[HtmlElement, str] = {}

    def name(self, labels: Mapping[HtmlElement, str]) -> None:
        """Note what the cells of columns that are rows are called."""
        self._beside.update(labels)

    def of(
        self,
        row: Sequence[HtmlElement],
        begun: frozenset[HtmlElement],
        header: Header = (),
    ) -> list[Cell]:
        """The cells of a row in the order of the text; `begun` are elements at which rows begin."""
        found: dict[tuple[int, int], Cell] = {}
        seen: Counter[str] = Counter()
        headed: Counter[HtmlElement] = Counter()
        across = row[0] in self._beside
        for element, path in self._walked(row, begun):
            for start, end, attribute in self._slices_of(element):
                cell = found.get((start, end))
                if cell is None:
                    seen[path] += 1
                    cell = found[start, end] = _cell(
                        element, path, seen[path], start, end, attribute
                    )
                    cell.is_label = element.tag in _TERMS or element in self._table_labels
                    if across:
                        cell.labels.append(self._beside_of(element))
                    elif header and (holder := self.headers.cell(row[0], element)) is not None:
                        at, number = self.headers.column(holder), headed[holder]
                        names = header[at] if at < len(header) else ()
                        cell.labels.extend(_part_of(names, number, whole=element is holder))
                        headed[holder] += 1
                cell.names.extend(self._names_of(element))
            if len(found) >= _MOST_CELLS:
                break
        listed = list(found.values())
        _label(listed, self._page)
        return [part for cell in listed for part in self._parts(cell)]

    def _parts(self, cell: Cell) -> Iterator[Cell]:
        """A cell, and the day that is a part of it if it is a heading."""
        is_dated = self._dated and not cell.attribute and _is_heading(cell.element)
        found = day_apart(self._page, cell.start, cell.end) if is_dated else None
        if found:
            cell.start, cell.end = found[0]
        yield cell
        if found:
            yield Cell(*found[1], f"{cell.path}/day", cell.element)

    def _walked(
        self, row: Sequence[HtmlElement], begun: frozenset[HtmlElement]
    ) -> Iterator[tuple[HtmlElement, str]]:
        """The elements of a row with their paths, none of a row that stands inside this one."""
        left = _MOST_ELEMENTS
        stack = [(element, self._start(element, at)) for at, element in enumerate(row)][::-1]
        own = frozenset(row)
        while stack and left:
            element, path = stack.pop()
            left -= 1
            yield element, path
            below = self._below_of(element) if len(path) < _LONGEST_PATH else ()
            for child, step in reversed(below):
                if child not in begun or child in own:
                    stack.append((child, f"{path}/{step}"))

    def _beside_of(self, element: HtmlElement) -> str:
        """The name of the cell that an element is or stands in; a cell may hold tables."""
        while element not in self._beside:
            element = element.getparent()
        return self._beside[element]

    def _start(self, element: HtmlElement, at: int) -> str:
        if element in self._beside:
            return f"[{_NO_LETTER.sub('-', self._beside[element].casefold())}]"
        return look(element) if at else ""

    def _below_of(self, element: HtmlElement) -> Sequence[tuple[HtmlElement, str]]:
        if not len(element):
            return ()
        below = self._below.get(element)
        if below is None:
            children = self.headers.cells(element) if element.tag == "tr" else element
            below = self._below[element] = [
                (child, self._step(child))
                for child in islice(children, _MOST_ELEMENTS)
                if child.tag not in _SKIPPED
                and isinstance(child.tag, str)
                and not (child.tag == "tr" and holds_heads(child))  # what is below them is of rows
            ]
        return below

    def _step(self, element: HtmlElement) -> str:
        is_cell = element.tag in ("td", "th")
        return f"cell[{self.headers.column(element)}]" if is_cell else look(element)

    def _slices_of(self, element: HtmlElement) -> tuple[Slice, ...]:
        slices = self._slices.get(element)
        if slices is None:
            slices = self._slices[element] = tuple(_slices_of(element, self._page))
        return slices

    def _names_of(self, element: HtmlElement) -> tuple[str, ...]:
        names = self._names.get(element)
        if names is None:
            names = self._names[element] = tuple(_names(element))
        return names


def _cell(
    element: HtmlElement, path: str, number: int, start: int, end: int, attribute: str | None
) -> Cell:
    place = f"{path}@{attribute}" if attribute else path
    return Cell(start, end, f"{place}#{number}" if number > 1 else place, element, attribute)


def _slices_of(element: HtmlElement, page: OneText) -> Iterator[Slice]:
    place = page.places.get(element)
    if place and place[1] - place[0] <= _LONGEST and _speaks(element):
        yield *place, None
    names = _ADDRESSES.get(element.tag, ())
    for name in (*names, "content") if element.get("itemprop") else names:
        if leaf := page.attributes.get((element, name)):
            yield leaf.start, leaf.end, name


def _speaks(element: HtmlElement) -> bool:
    """True if an element has text of its own, not only elements that have."""
    if not len(element):
        return True
    if element.tag in _WHOLE and all(child.tag in _INLINE for child in element):
        return True
    return bool(
        (element.text or "").strip() or any((child.tail or "").strip() for child in element)
    )


def _names(element: HtmlElement) -> Iterator[str]:
    if _is_mention(element):
        return
    for name in _NAMED:
        if value := element.get(name):
            yield from value.split()[:6] if name != "data-label" else (value,)


def _is_mention(element: HtmlElement) -> bool:
    """True for a word of programs in the midst of a sentence, which speaks of something else."""
    if element.tag not in CODE:
        return False
    begins = True
    while element is not None and element.tag in _INLINE:
        before = element.getprevious()
        said = element.getparent().text if before is None else before.tail
        begins = begins and before is None and not (said or "").strip()
        element = element.getparent()
    return not begins and element is not None and element.tag == "p"


def _part_of(names: Sequence[str], number: int, *, whole: bool) -> Iterator[str]:
    """The names of a column; of several parts of a cell each has its own: "Name and address"."""
    for name in names:
        yield from ([name] if whole else _AND.split(name))[number : number + 1]


def _label(listed: list[Cell], page: OneText) -> None:
    """Give cells the label that stands in them or before them; what is only a label is none."""
    before: Cell | None = None
    value_from = 0  # what ends before it is the label of a value that is known already
    own: dict[str, list[Cell]] = defaultdict(list)
    for cell in list(listed):
        if cell.attribute:
            continue
        if cell.end <= value_from:
            listed.remove(cell)
            continue
        label = _label_in(before, page) if before and cell.start >= before.end else None
        if label and before and not _begins_another(cell, before, page):
            cell.labels.append(label)
            own[cell.path.partition("#")[0]].append(cell)
        text = page.text[cell.start : cell.end]
        match = None if _is_heading(cell.element) else _LABELLED.match(text)
        if match:  # a title may have a colon: `Film club: The Third Man`
            cell.labels.append(match[1])
            cell.start += match.end()
            value_from = cell.start
            own[cell.path.partition("#")[0]].append(cell)
        before = cell
    for place, cells in own.items():
        _tell_apart(place, cells)


def _is_heading(element: HtmlElement) -> bool:
    return not HEADINGS.isdisjoint((element.tag, element.getparent().tag))


def _begins_another(cell: Cell, label: Cell, page: OneText) -> bool:
    """True if a cell is the label of what follows: then that before it has no value."""
    if _LABEL_ALONE.fullmatch(page.text[cell.start : cell.end]):
        return True
    if not (cell.is_label and label.is_label and cell.element.tag == label.element.tag):
        return False
    return cell.element.tag == "dt" or cell.element.getparent() is not label.element.getparent()


def _tell_apart(place: str, cells: Sequence[Cell]) -> None:
    """Cells at one place are known by their labels, as numbers fail where a row lacks one."""
    if len({cell.labels[-1] for cell in cells}) > 1:
        for cell in cells:
            cell.path = f"{place}#{_NO_LETTER.sub('-', cell.labels[-1].casefold())}"


def _label_in(cell: Cell, page: OneText) -> str | None:
    """The label a cell consists of: a term, the head of a row, or text that ends with a colon."""
    shown = page.text[cell.start : cell.end]
    if len(shown) > 40:
        return None
    if match := _LABEL_ALONE.fullmatch(shown):
        return match[1]
    return shown if cell.is_label else None
