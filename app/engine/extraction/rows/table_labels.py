"""The labels of tables without a head: first cells whose text comes again in other tables."""

import re
from collections import Counter, defaultdict

from lxml.html import HtmlElement

from app.engine.extraction.rows.headers import Headers
from app.engine.extraction.text.onetext import OneText

_LABEL = re.compile(r"[^\W\d_][^\n]{0,39}")
_FEWEST_TABLES = 2
_LEAST = 0.5  # the share of a table's rows that must begin with a label

Firsts = dict[HtmlElement, str]
"""First cells with their texts."""


def table_labels(page: OneText) -> frozenset[HtmlElement]:
    """The cells that name the one beside them, although their tag is that of a value.

    At least half the rows of a table must begin with a text of their own that comes again: values
    do that by chance.
    """
    tables = _tables(page)
    often = Counter(text for firsts in tables for text in set(firsts.values()))
    found: set[HtmlElement] = set()
    for firsts in tables:
        labels = [cell for cell, text in firsts.items() if text and often[text] >= _FEWEST_TABLES]
        different = len({firsts[cell] for cell in labels}) == len(labels)
        if different and len(labels) >= _LEAST * len(firsts):
            found.update(labels)
    return frozenset(found)


def _tables(page: OneText) -> list[Firsts]:
    """The first cells of the rows of two cells, table by table; of tables without a head."""
    headers = Headers(page)
    tables: dict[HtmlElement, Firsts] = defaultdict(dict)
    for row in page.places:
        if row.tag != "tr" or headers.of([row]):
            continue
        cells = list(row.iterchildren("td", "th"))
        table = next(row.iterancestors("table"), None)
        if table is not None and len(cells) == 2 and {cell.tag for cell in cells} == {"td"}:
            text = page.of(cells[0])
            tables[table][cells[0]] = text if _LABEL.fullmatch(text) else ""
    return list(tables.values())
