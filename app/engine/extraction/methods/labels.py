"""Labels in the text: "Label: value" on a line, and short texts that name what comes after them."""

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator

from lxml.html import HtmlElement

from app.engine.extraction.methods.candidates import MOST_CANDIDATES, FieldCandidate, of_page
from app.engine.extraction.methods.name_match import Names
from app.engine.extraction.methods.tables import heads_a_column
from app.engine.extraction.schema.vocabulary import words
from app.engine.extraction.text.onetext import HEADINGS, OneText
from app.engine.extraction.text.slices import trimmed
from app.engine.extraction.text.stated import Leaf
from app.engine.pages.blocks.walk import name_set
from app.engine.pages.sentences import sentences
from app.engine.text.units import unit

_COLON_PRIOR = 0.74
_REPEATED_FROM = 3  # labels alike at places alike are of the parts of a list
_REPEATED_WEIGHT = 0.7
_COLON_ABOVE_PRIOR = 0.66  # the value stands on the next line
_INLINE_PRIOR = 0.6  # an element of its own, without a colon
_ABOVE_PRIOR = 0.55
_BELOW_PRIOR = 0.42
_AMOUNT_PRIOR = 0.62
_LONGEST_AMOUNT = 40
_LONGEST_AMOUNTS = 160  # several, in one line
_MOST_WORDS = 3
_LONGEST_LABEL = 45
_LONGEST_BARE = 32
_LONGEST_VALUE = 400
_LONGEST_LINE = 4_000
_MOST_LINES = 20_000
_MOST_COLONS = 20
_LEAST_ALIKE = 0.4
_LEAST_BARE_ALIKE = 0.6
_CALLED = 0.96
_MARKS = re.compile(r"[|•·;)\]}>–—»]|[.,](?![\d-])|/ ")
_NO_VALUE_AFTER = frozenset(":：|•·")  # a colon is read elsewhere, bars part links
_RATINGS = words("ratings")
_WORD = re.compile(r"[^\W\d_]{2,}")
_IN_YEAR = re.compile(r"\((?:1[5-9]|20)\d\d[^)\n]*\)|\[\w{1,3}\]")  # Population (2020)[a]
_PART = re.compile(r"[^|•·\n]+")
_COLON = re.compile(r" ?[:：](?!//)(?!(?<=\d[:：])\d\d\b)")  # that of 19:30 is none
_FIRST_LABEL = re.compile(r"([^\W\d_][^:：\n]{0,38}?)\s?[:：]\s*(?!//)")
_OWN_LABEL = re.compile(r"([^\W\d_][^:：\n]{1,38}?) ?[:：]\s+(?=\S)")
_NAMED = re.compile(
    r"([^\W\d_]+(?: [^\W\d_A-ZÄÖÜ][^\W\d_]*)+) ([A-Z\d][^\s:]*(?: [A-Z\d][^\s:]*)?)"
)
_TERMS = name_set("dt th")
_CODE = name_set("pre code kbd samp tt")
_CELLS = name_set("td th")
_EMPHATIC = name_set("b strong label dt th em h3 h4 h5 h6")
_NAMING = _EMPHATIC | name_set("span i small div p a u font td li")

Pair = tuple[str, int, int, float]
"""What names, the slice that is named, the prior."""


def labelled(page: OneText, names: Names) -> list[FieldCandidate]:
    """Finds what labels of the visible text name, if they may be the names of fields."""
    candidates: list[FieldCandidate] = []
    for key, start, end, prior in _Labels(page, names).pairs():
        start, end = trimmed(page, start, end)
        end -= 2 * page.text.endswith(" /", start, end)
        if start < end <= start + _LONGEST_VALUE:
            leaf = Leaf(start, end, None, page.holder(start, end))
            if _is_code(leaf.element):
                continue
            candidates.append(of_page(key, (leaf,), "labels", prior))
            if len(candidates) >= MOST_CANDIDATES:
                break
    often = Counter(candidate.path for candidate in candidates)
    for candidate in candidates:
        if often[candidate.path] >= _REPEATED_FROM:
            candidate.prior *= _REPEATED_WEIGHT
    return candidates


class _Labels:
    def __init__(self, page: OneText, names: Names) -> None:
        self._page, self._text, self._names = page, page.text, names
        self._lines = list(_lines(page))
        self._beside_nothing = {
            start for cell, (start, _) in page.places.items() if _has_empty_cell(page, cell)
        }
        self._columns = {
            start for element, (start, _) in page.places.items() if heads_a_column(element)
        }
        self._terms, self._headings = self._begins(_TERMS), self._begins(HEADINGS)
        self._menu_ends = {end for each, (_, end) in page.places.items() if each.tag == "nav"}
        # Where a value may end within its line, because another label begins.
        self._stops = sorted(self._begins(_EMPHATIC))

    def _begins(self, tags: frozenset[str]) -> set[int]:
        """The places at which elements begin."""
        return {start for each, (start, _) in self._page.places.items() if each.tag in tags}

    def pairs(self) -> Iterator[Pair]:
        for number, (start, end) in enumerate(self._lines):
            yield from self._with_colon(number, start, end)
            if named := self._with_name(start, end):
                yield named
            elif end - start <= _LONGEST_BARE:
                yield from self._bare(number, start, end)
            for part_start, part_end in () if start in self._terms else self._parts(start, end):
                yield from self._amount(part_start, part_end)
        yield from self._inline()

    def _with_colon(self, number: int, start: int, end: int) -> Iterator[Pair]:
        labels = list(self._labels(start, end))
        for index, (key, begin, after) in enumerate(labels):
            if not self._alike(key, _LEAST_ALIKE):
                continue
            stop = labels[index + 1][1] if index + 1 < len(labels) else end
            stop = self._next_label(after, stop)
            if self._text[after:stop].strip():
                in_row = stop < end or self._text[start:begin].rstrip().endswith(".")
                stop = self._sentence_end(after, stop, end) if in_row else stop
                yield key, after, stop, _COLON_PRIOR
            elif stop == end and self._has_value_below(number):
                yield key, *self._lines[number + 1], _COLON_ABOVE_PRIOR

    def _sentence_end(self, after: int, stop: int, end: int) -> int:
        """The end of a value in a row of sentences: before its full stop. What follows the first
        one without another label is no more of it."""
        value = self._text[after:stop].rstrip()
        most = min(end, stop + _LONGEST_LABEL, after + _LONGEST_VALUE)
        _, first = next(iter(sentences(self._text[after:most])), (0, len(value)))
        is_all = first == len(value) or (stop == end and first < len(value))
        return after + first - 1 if is_all and value.endswith(".", 0, first) else stop

    def _labels(self, start: int, end: int) -> Iterator[tuple[str, int, int]]:
        """(label, its start, where its value starts) of each label with a colon in a line."""
        before = start
        for colon, _ in zip(
            _COLON.finditer(self._text, start, end), range(_MOST_COLONS), strict=False
        ):
            is_short = self._text[colon.start() - 1] == "."  # Tel.: 555
            marks = _MARKS.finditer(self._text, before, colon.start() - is_short)
            label_start = max((mark.start() + 1 for mark in marks), default=before)
            label = self._text[label_start : colon.start()]
            after_value = start < before == label_start
            is_whole = not after_value and len(label) <= _LONGEST_LABEL
            if not (is_whole and self._alike(label.strip(), _LEAST_ALIKE)):
                label, label_start = self._ending(label, label_start, after_value=after_value)
            if label.strip():
                yield label.strip(), label_start, colon.end()
                before = colon.end()

    def _ending(self, label: str, start: int, *, after_value: bool) -> tuple[str, int]:
        """The last words before a colon, if they are what a field is called, or begin with an
        emphasis. What is neither, after the value of another label, is the rest of that."""
        words = [match.start() for match in re.finditer(r"\S+", label[-_LONGEST_LABEL:])]
        offset = max(0, len(label) - _LONGEST_LABEL)
        for position in words[-3:]:
            ending = label[offset + position :]
            if self._alike(ending, _LEAST_BARE_ALIKE):
                return ending, start + offset + position
        stop = bisect_left(self._stops, start + len(label)) - 1
        if stop >= 0 and self._stops[stop] >= start:
            return label[self._stops[stop] - start :], self._stops[stop]
        return ("", start) if after_value or len(label) > _LONGEST_LABEL else (label, start)

    def _bare(self, number: int, start: int, end: int) -> Iterator[Pair]:
        """A short line that is a name: the value is the line after it, or the one before."""
        key = self._text[start:end]
        if (
            start in self._beside_nothing
            or start in self._columns
            or key.endswith((":", "："))
            or not self._alike(key, _LEAST_BARE_ALIKE)
        ):
            return
        if self._has_value_below(number) and end not in self._menu_ends:
            yield key, *self._lines[number + 1], _ABOVE_PRIOR
        if number and start not in self._terms and start not in self._headings:
            yield key, *self._lines[number - 1], _BELOW_PRIOR

    def _has_value_below(self, number: int) -> bool:
        """True if the next line is no label itself: then this one has no value."""
        if number + 1 >= len(self._lines):
            return False
        start, end = self._lines[number + 1]
        line = self._text[start:end]
        label = _FIRST_LABEL.match(line)
        if label is None:
            return start not in self._terms
        return not (label.end() == len(line) or self._alike(label[1], _LEAST_BARE_ALIKE))

    def _with_name(self, start: int, end: int) -> Pair | None:
        """A short line of a name in small letters and a value: `Energy rating C`."""
        match = _NAMED.fullmatch(self._text, start, end) if end - start <= _LONGEST_AMOUNT else None
        if match is None or not self._alike(match[1], _CALLED):
            return None
        return match[1], match.start(2), end, _AMOUNT_PRIOR

    def _parts(self, start: int, end: int) -> Iterator[tuple[int, int]]:
        """A short line, or the short parts of one that bars or dots divide."""
        if end - start <= _LONGEST_AMOUNTS:
            for part in _PART.finditer(self._text, start, end):
                if part.end() - part.start() <= _LONGEST_AMOUNT:
                    yield part.span()

    def _amount(self, start: int, end: int) -> Iterator[Pair]:
        """A short line of a number and what is counted: "4 servings", "Serves 4", "12 reviews"."""
        line = _IN_YEAR.sub("", self._text[start:end])
        if not any(map(str.isdigit, line)) or ":" in line:
            return
        names = [word for word in _WORD.findall(line) if unit(word) is None]
        key = " ".join(names[:_MOST_WORDS])
        if words(key) == _RATINGS:
            key = "rating count"
        if names and len(names) <= _MOST_WORDS and self._alike(key, _LEAST_BARE_ALIKE):
            yield key, start, end, _AMOUNT_PRIOR

    def _inline(self) -> Iterator[Pair]:
        """An element that is a name, with its value after it on the line."""
        text, seen = self._text, set[tuple[int, int]]()
        for element, (start, end) in self._page.places.items():
            if end - start > _LONGEST_BARE or element.tag not in _NAMING or (start, end) in seen:
                continue
            if start in self._columns or _is_in_menu(element):
                continue
            seen.add((start, end))
            if text[end : end + 1] in ("", "\n") or end >= self._page.visible_end:
                continue
            key = text[start:end]
            if key.endswith((":", "：")) or text[end : end + 2].lstrip()[:1] in _NO_VALUE_AFTER:
                continue
            if self._alike(key, _LEAST_BARE_ALIKE) and not (
                _is_code(element) or self._names_another(end)
            ):
                stop = text.find("\n", end, self._page.visible_end)
                stop = self._page.visible_end if stop < 0 else stop
                yield key, end, self._next_label(end, stop), _INLINE_PRIOR

    def _names_another(self, end: int) -> bool:
        """True if the next element is another name: then both head columns."""
        following = next(self._page.after(end), None)
        if following is None or self._page.places[following][0] > end + 1:
            return False
        named = self._page.of(following)
        return len(named) <= _LONGEST_BARE and self._alike(named, _CALLED)

    def _next_label(self, after: int, stop: int) -> int:
        index = bisect_left(self._stops, after + 2)
        following = self._stops[index] if index < len(self._stops) else stop
        return min(stop, following) if self._text[after:following].strip() else stop

    def _alike(self, key: str, least: float) -> bool:
        return any(alike >= least for _, alike in self._names.alike(key, "name"))


def _has_empty_cell(page: OneText, cell: HtmlElement) -> bool:
    """True for the first of the two cells of a row if the other one is empty."""
    row, other = cell.getparent(), cell.getnext()
    return (
        cell.tag in _CELLS
        and other is not None
        and other.tag in _CELLS
        and row[0] is cell
        and other.getnext() is None
        and other not in page.places
    )


def without_label(page: OneText, leaf: Leaf, names: frozenset[str]) -> Leaf:
    """A slice without the label before its value, if that is the name of the field."""
    match = _OWN_LABEL.match(page.text, leaf.start, leaf.end)
    if match is None or names.isdisjoint(words(match[1])):
        return leaf
    return leaf._replace(start=match.end())


def _is_in_menu(element: HtmlElement) -> bool:
    """True for a link between links with nothing said between them."""
    before, after = element.getprevious(), element.getnext()
    return element.tag == "a" and all(
        link is not None and link.tag == "a" and not (said or "").strip()
        for link, said in ((before, None if before is None else before.tail), (after, element.tail))
    )


def _is_code(element: HtmlElement) -> bool:
    """True for a part of a program, in which names say something else."""
    return element.tag in _CODE or any(above.tag in _CODE for above in element.iterancestors())


def _lines(page: OneText) -> Iterator[tuple[int, int]]:
    start = 0
    for line in page.text[: page.visible_end].split("\n")[:_MOST_LINES]:
        yield start, start + min(len(line), _LONGEST_LINE)
        start += len(line) + 1
