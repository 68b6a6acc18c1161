"""Slices of the text: without what surrounds them, and parts that may be the value alone."""

import re
from collections.abc import Iterator
from itertools import takewhile

from app.engine.extraction.text.onetext import OneText
from app.engine.extraction.text.stated import Leaf
from app.engine.pages.blocks.walk import name_set
from app.engine.text.dates import dates

_OPEN = re.compile(r"\d[–—-]")  # 2019– goes on
_MINUS = re.compile(r"(?<!\w)[-\u2212](?=\d)")
_MOST_LINES = 3
_LONGEST = 400
_LONGEST_DATED = 100
_AROUND_DAY = " \n:|-–—•·,;()[]/¶§#"
_ACTIONS = frozenset({"a", "button"})
_WHOLE = name_set("address dd p td")

Slice = tuple[int, int]


def letters(text: str) -> str:
    """The letters and digits of a text, whatever their case."""
    return "".join(filter(str.isalnum, text.casefold()))


def trimmed(page: OneText, start: int, end: int, marks: str = " \n:：|-–—•·,;") -> tuple[int, int]:
    """A slice without the white space and marks around its text; the minus of a number stays."""
    text = page.text
    while start < end and text[start] in marks and not _MINUS.match(text, start, end):
        start += 1
    while end > start and text[end - 1] in marks and not _OPEN.match(text, end - 2, end):
        end -= 1
    return start, end


def parts(page: OneText, leaf: Leaf) -> Iterator[tuple[str, Leaf]]:
    """The first lines of a slice, and what stands before a link at its end, with their names."""
    if leaf.end - leaf.start > _LONGEST:
        return
    lines = page.text[leaf.start : leaf.end].split("\n")
    if len(lines) > 1:
        start = leaf.start
        for number, line in enumerate(lines[:_MOST_LINES]):
            yield f"/line{number}", _between(page, leaf, start, start + len(line))
            start += len(line) + 1
    elif len(leaf.element) and leaf.element[-1].tag in _ACTIONS:
        end = page.places.get(leaf.element[-1], (leaf.end, leaf.end))[0]
        shorter = _between(page, leaf, leaf.start, end)
        if leaf.start < shorter.end < leaf.end:
            yield "/before", shorter


def with_lines_below(page: OneText, leaf: Leaf) -> Leaf:
    """A slice that ends with a line of its element and goes on over those below it, up to one with
    a label of its own."""
    end = page.places.get(leaf.element, (0, 0))[1]
    if leaf.element.tag not in _WHOLE or not leaf.end < end <= leaf.start + _LONGEST:
        return leaf
    lines = page.text[leaf.end : end].split("\n")
    if lines[0]:
        return leaf
    more = takewhile(lambda line: ":" not in line, lines[1:])
    return leaf._replace(end=leaf.end + sum(len(line) + 1 for line in more))


def _between(page: OneText, leaf: Leaf, start: int, end: int) -> Leaf:
    start, end = trimmed(page, start, end)
    return leaf._replace(start=start, end=end)


def day_apart(page: OneText, start: int, end: int) -> tuple[Slice, Slice] | None:
    """The name in a slice and the one day that it ends or begins with; None if it has no such day,
    or nothing else: `2.1.0 (3 May 2026)` is a version and its day."""
    if end - start > _LONGEST_DATED:
        return None
    found = [each for each in dates(page.text[start:end]) if each.days[0].year and each.days[0].day]
    if len(found) != 1:
        return None
    day = start + found[0].start, start + found[0].end
    before, after = (
        trimmed(page, start, day[0], _AROUND_DAY),
        trimmed(page, day[1], end, _AROUND_DAY),
    )
    names = [each for each in (before, after) if each[0] < each[1]]
    return (names[0], day) if len(names) == 1 else None
