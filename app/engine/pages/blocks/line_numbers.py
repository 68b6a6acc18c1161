"""The numbers of lines beside listings, which are no part of a text."""

import re
from itertools import pairwise

from lxml.html import HtmlElement

from app.engine.pages.blocks.walk import name_set

_NAMES = name_set("linenos lineno linenumber linenr line-numbers-rows")
# What is not in a program may be called so as well, such as the lines of an invoice.
_IN_LISTINGS = re.compile(r"(?:^|[-_])(?:source)?(?:line|ln)[-_]?(?:no|num|number)s?(?:$|[-_])")
_LISTINGS = name_set("pre code")
_NO_NUMBER = re.compile(r"[^\s0-9]|[0-9]{8}")


def without_line_numbers(root: HtmlElement) -> None:
    """Empty the elements below `root` that number lines, in place.

    Their classes say so; or a cell of a table counts in a listing the lines of that beside it.
    """
    for element in list(root.iter()):
        if (_is_called_so(element) and _numbers(element)) or _counts_beside(element):
            element.clear(keep_tail=True)


def _is_called_so(element: HtmlElement) -> bool:
    names = (element.get("class") or "").lower().split()
    return not _NAMES.isdisjoint(names) or (
        any(map(_IN_LISTINGS.search, names))
        and any(above.tag in _LISTINGS for above in element.iterancestors())
    )


def _counts_beside(cell: HtmlElement) -> bool:
    beside = cell.getnext() if cell.tag == "td" else None
    if beside is None or any(next(each.iter("pre"), None) is None for each in (cell, beside)):
        return False
    numbers = _numbers(cell)
    return (
        len(numbers) > 1
        and all(after - before == 1 for before, after in pairwise(numbers))
        and abs(_lines(cell) - _lines(beside)) <= 1
    )


def _lines(cell: HtmlElement) -> int:
    listing = next(cell.iter("pre"))
    return "".join(listing.itertext()).rstrip().count("\n")


def _numbers(element: HtmlElement) -> list[int]:
    """The numbers that an element consists of; none if it says anything else."""
    found: list[int] = []
    for text in element.itertext():
        if _NO_NUMBER.search(text):
            return []
        found += map(int, text.split())
    return found
