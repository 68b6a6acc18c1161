"""Parts of a slice that may be the value alone."""

import re
from collections.abc import Iterator

from app.engine.extraction.methods.candidates import trimmed
from app.engine.extraction.schema.patterns import compiled
from app.engine.extraction.schema.vocabulary import words
from app.engine.extraction.text.onetext import OneText
from app.engine.extraction.text.stated import Leaf

_MOST_LINES = 3
_LONGEST = 400
_LONGEST_WITH_NUMBER = 80
_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
_LABEL = re.compile(r"([^\W\d_][^:：\n]{1,38}?) ?[:：]\s+(?=\S)")
_LEAST_MATCH = 3
_ACTIONS = frozenset({"a", "button"})


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


def first_number(page: OneText, leaf: Leaf) -> Leaf | None:
    """The first number in a short slice that holds more: 4.5 of "4.5 out of 5"."""
    if leaf.end - leaf.start > _LONGEST_WITH_NUMBER:
        return None
    match = _NUMBER.search(page.text, leaf.start, leaf.end)
    if match is None or match.end() - match.start() == leaf.end - leaf.start:
        return None
    return leaf._replace(start=match.start(), end=match.end())


def without_label(page: OneText, leaf: Leaf, names: frozenset[str]) -> Leaf:
    """A slice without the label before its value, if that is the name of the field."""
    match = _LABEL.match(page.text, leaf.start, leaf.end)
    if match is None or names.isdisjoint(words(match[1])):
        return leaf
    return leaf._replace(start=match.end())


def _between(page: OneText, leaf: Leaf, start: int, end: int) -> Leaf:
    start, end = trimmed(page, start, end)
    return leaf._replace(start=start, end=end)


def narrowed(text: str, leaf: Leaf, pattern: str) -> Leaf | None:
    """The part of a slice that a pattern matches, if the pattern does not ask for all of it."""
    match = compiled(pattern).search(text[leaf.start : leaf.end])
    if match is None or match.end() - match.start() < _LEAST_MATCH:
        return None
    return leaf._replace(start=leaf.start + match.start(), end=leaf.start + match.end())
