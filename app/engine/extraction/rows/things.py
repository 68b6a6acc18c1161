"""The rows of a region as things: each cell with the names it may be known by."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from app.engine.extraction.methods.candidates import FieldCandidate, Thing
from app.engine.extraction.rows.cells import Cell
from app.engine.extraction.rows.column_fit import RecordFields
from app.engine.extraction.rows.pairs import is_part
from app.engine.extraction.text.stated import Leaf
from app.engine.pages.blocks.entries import classes_of

_NAMED_PRIOR, _LABELLED_PRIOR, _TABLE_PRIOR, _GUESSED_PRIOR = 0.55, 0.75, 0.8, 0.8


@dataclass(frozen=True, slots=True)
class Guess:
    """The field that a column answers, how well, and whether a label of the column names it.

    `tail` is how many characters at the end of each of its texts repeat the name of the field:
    `Alias Directive`. `is_kind`: a label of the column says what is asked for.
    """

    pointer: str
    name: str
    score: float
    labelled: bool
    tail: int = 0
    is_kind: bool = False

    def is_of(self, cell: Cell, wanted: RecordFields) -> bool:
        """True if the cell's own label does not say that it is of another field, or kind."""
        named = wanted.named(cell.labels)
        if self.pointer in named or not cell.labels:
            return True
        if self.is_kind:
            return any(map(wanted.is_kind, cell.labels))
        return not (named or self.labelled)


def thing(
    listed: Sequence[Cell], guesses: Mapping[str, Guess], wanted: RecordFields, path: str
) -> Thing:
    """The thing that a row says, by all names that each of its cells may be known by."""
    made = Thing(place=min(cell.start for cell in listed))
    for cell in listed:
        tail = guesses[cell.path].tail if cell.path in guesses else 0
        leaves = (Leaf(cell.start, cell.end - tail, None, cell.element),)
        method = "table" if cell.element.tag in ("td", "th") else "repeated"
        for key, prior, kind in _keys(cell, guesses, wanted):
            made.candidates.append(
                FieldCandidate(
                    key,
                    leaves,
                    method,
                    prior,
                    f"{path}|{cell.path}",
                    False,
                    kind,
                    prose=is_part(cell),
                    label=" ".join(cell.labels),
                )
            )
    made.candidates.extend(_lists(listed, path, wanted))
    return made


def _keys(
    cell: Cell, guesses: Mapping[str, Guess], wanted: RecordFields
) -> Iterator[tuple[str, float, str]]:
    """By which names a cell may be known: the key, how sure it is, and its kind."""
    guess = guesses.get(cell.path)
    if guess and guess.is_of(cell, wanted):
        yield guess.name, min(_GUESSED_PRIOR, 0.3 + 0.6 * guess.score), "name"
    if cell.labels:
        prior = _TABLE_PRIOR if cell.element.tag in ("td", "th") else _LABELLED_PRIOR
        yield from ((label, prior, "name") for label in cell.labels)
    else:
        yield from ((name, _NAMED_PRIOR, "class") for name in dict.fromkeys(cell.names))


def _lists(listed: Sequence[Cell], path: str, wanted: RecordFields) -> Iterator[FieldCandidate]:
    """Cells of one look in a row, as the items of a list: of the only one, if one is asked for."""
    alike: dict[str, list[Cell]] = defaultdict(list)
    for cell in listed:
        if not cell.labels:
            alike[cell.path.partition("#")[0]].append(cell)
    items = [plain for plain, its in alike.items() if its[0].element.tag == "li"]
    asked = [each.name for each in wanted.fields if each.item]
    for plain, its in alike.items():
        leaves = tuple(Leaf(each.start, each.end, None, each.element) for each in its)
        names = [name for each in its[:1] for name in dict.fromkeys(each.names)] if its[1:] else []
        for name in names + _names_above(its[0]) * bool(its[1:]):
            yield FieldCandidate(
                name, leaves, "repeated", _NAMED_PRIOR, f"{path}|{plain}", True, "class"
            )
        if items == [plain] and len(asked) == 1:
            place = f"{path}|{plain}"
            yield FieldCandidate(asked[0], leaves, "repeated", _NAMED_PRIOR, place, True)


def _names_above(cell: Cell) -> list[str]:
    """The classes of what holds a list."""
    holder = cell.element.getparent()
    return classes_of(holder)[:4] if holder is not None else []
