"""Tables whose columns are the records: things side by side, each row a property of all of them."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from lxml.html import HtmlElement

from app.engine.extraction.rows.column_fit import RecordFields
from app.engine.extraction.rows.groups import FEWEST, Group, look
from app.engine.extraction.rows.headers import is_title
from app.engine.extraction.schema.vocabulary import split, words
from app.engine.extraction.text.grid import grid
from app.engine.extraction.text.onetext import OneText
from app.engine.pages.blocks.walk import name_set

_FEWEST_NAMED = 2  # fields
_MOST_NAMED = 0.5  # the share of fields that must be named, but for the one of the heads
_LONGEST_HEAD, _MOST_ROWS = 80, 200
# Heads of columns that say more of the thing in their row.
_OF_ROWS = name_set(
    "min typ max nom minimum typical maximum nominal average mean total unit units value values "
    "metric imperial default note notes description type required optional result status"
)


@dataclass(frozen=True, slots=True)
class Side:
    """The columns of a table as rows, and by cell what the first one beside it names it."""

    group: Group
    labels: Mapping[HtmlElement, str]


def sides(page: OneText, body: HtmlElement, wanted: RecordFields) -> Iterator[Side]:
    """The tables of a page whose first column names fields, and whose first row names things."""
    for table in body.iter("table"):
        rows = [row for row in grid(table).rows if row in page.places and not is_title(row)]
        cells = [list(row.iterchildren("td", "th")) for row in rows[:_MOST_ROWS]]
        width = len(cells[0]) if cells else 0
        if width > FEWEST and len(cells) > _FEWEST_NAMED and all(len(x) == width for x in cells):
            firsts = [page.of(row[0]).rstrip(" :：") for row in cells]
            if head := _head(firsts, [page.of(cell) for cell in cells[0][1:]], wanted):
                names = [head, *firsts[1:]]
                labels = {x: name for row, name in zip(cells, names, strict=True) for x in row[1:]}
                columns = zip(*(row[1:] for row in cells), strict=True)
                shown = (tuple(x for x in column if x in page.places) for column in columns)
                group = Group(f"{look(table)}>columns", tuple(filter(None, shown)), across=True)
                yield Side(group, labels)


def _head(firsts: list[str], heads: list[str], wanted: RecordFields) -> str:
    """The name of the first row, which the others are said of; "" if they are no such columns."""
    chief = next((each for each in wanted.fields if each.pointer == wanted.chief), None)
    own = wanted.named(firsts[:1])
    named = _meant(firsts[1:], wanted) - own
    are_names = len(set(heads)) == len(heads) and all(
        0 < len(head) <= _LONGEST_HEAD and _OF_ROWS.isdisjoint(split(head)) for head in heads
    )
    few = len(named) < max(_FEWEST_NAMED, _MOST_NAMED * (len(wanted.fields) - 1))
    if few or not are_names or wanted.named(heads):
        return ""
    if own:
        return firsts[0]
    are_words = all(any(map(str.isalpha, head)) for head in heads)
    return chief.name if chief and chief.pointer not in named and are_words else ""


def _meant(labels: list[str], wanted: RecordFields) -> set[str]:
    """The fields that the labels may name: those of a field may say its unit as well."""
    known = [its for label in labels if (its := words(label))]
    return {each.pointer for each in wanted.fields if any(its <= each.words for its in known)}
