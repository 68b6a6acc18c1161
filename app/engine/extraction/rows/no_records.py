"""Rows that repeat and are no records: properties of one thing, prose, menus, rows of several."""

from collections import Counter
from collections.abc import Mapping, Sequence

from lxml.html import HtmlElement

from app.engine.extraction.rows.cells import Cell
from app.engine.extraction.rows.column_fit import Answers, RecordFields
from app.engine.extraction.rows.groups import Group
from app.engine.extraction.text.onetext import HEADINGS, OneText
from app.engine.pages.blocks.walk import name_set

_FURNITURE = name_set("nav header footer aside menu form")
_NAMED_ROWS = 0.2
_MOST_OWN = 0.5


def are_properties(sample: Sequence[Sequence[Cell]], page: OneText, wanted: RecordFields) -> bool:
    """True if the rows are the properties of one thing: they begin with names of its fields, or
    most with a label of their own, one of which names a field."""
    firsts = [row[0] for row in sample if row]
    labels = [each.labels or [page.text[each.start : each.end][:60]] for each in firsts]
    named = [names for each in labels if (names := wanted.named(each))]
    own = {each[0] for each in labels if each[0].rstrip().endswith((":", "："))}
    if named and len(own) > _MOST_OWN * len(labels):
        return True
    if firsts and firsts[0].element.tag in HEADINGS and set().union(*named) - {wanted.chief}:
        return True
    return len(set().union(*named)) > 1 and len(named) >= _NAMED_ROWS * len(labels)


def are_prose(
    group: Group, answers: Answers, wanted: RecordFields, slots: Mapping[str, str]
) -> bool:
    """True if the rows are plain paragraphs of which nothing says that they are more."""
    is_plain = len(group.rows[0]) == 1 and group.rows[0][0].tag == "p" and not slots
    return is_plain and not any(
        pointer in wanted.named((*column.labels, *column.names))
        for pointer, (_, column) in answers.items()
    )


def hold_several(answers: Answers, sample: Sequence[Sequence[Cell]]) -> bool:
    """True if every answer comes again in a row: then it holds several records."""
    plain = {column.path.partition("#")[0] for _, column in answers.values()}
    again = Counter(
        path for row in sample for path in {c.path.partition("#")[0] for c in row if "#" in c.path}
    )
    return len(plain) > 1 and all(2 * again[path] > len(sample) for path in plain)


def in_furniture(element: HtmlElement) -> bool:
    return any(ancestor.tag in _FURNITURE for ancestor in element.iterancestors())
