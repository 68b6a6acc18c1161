"""The probability that rows that repeat on a page are records, rather than its sections; pages that
say nothing of a record.
"""

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from statistics import fmean
from typing import Protocol

from app.engine.extraction.methods.name_match import Names
from app.engine.extraction.records.readings import Entity, FieldReading
from app.engine.extraction.rows.column_fit import RecordFields
from app.engine.extraction.rows.kind import SAID, Kind
from app.engine.extraction.rows.pairs import pair_of
from app.engine.extraction.schema.schema import Plan
from app.engine.extraction.text.onetext import OneText
from app.engine.extraction.values import calibration
from app.engine.extraction.values.calibration import (
    CANDIDATE_FROM,
    MOST_UNSURE,
    ROWS_FROM,
    SURE_ROWS_FROM,
)

_MOST_JUDGED = 30
_HEADING = re.compile(r"(?:^|/)h[1-6](?:/|\.|$)")
_PARAGRAPH = re.compile(r"(?:/[a-z]+)*/p(?:#\d+)?|.*/(?:pre|code)(?:[.#][^/]*)?")
_LINE = "text:top line@"
_UNNAMED = ("text:title@", _LINE, "opengraph:title")  # whatever the field is called
_ANY_PAGES = ("text:title@", "opengraph:title", "text:description@", "opengraph:")


Found = tuple[FieldReading, ...]


class Learnt(Protocol):
    """The knowledge of where fields stand that an example or other pages of the site give."""

    def paths(self, pointer: str) -> Mapping[str, float]:
        """Paths of the values of a field, with how sure each is."""
        ...

    @property
    def rows(self) -> Mapping[str, Mapping[str, str]]:
        """By path of a region of records where in a row each field stands, by pointer."""
        ...


def are_likely(features: Mapping[str, float]) -> bool:
    """True if rows with these features are probable records; no rows have none."""
    return bool(features) and calibration.probability(features) >= ROWS_FROM


def no_surer(entities: Sequence[Entity], features: Mapping[str, float]) -> tuple[Entity, ...]:
    """Entities whose values are unsure if it is too improbable that they are records; where there
    are no features, that is not known."""
    is_one = not features.get("thing, part")  # a page with a part about functions is rarely one
    if not features or (is_one and calibration.probability(features) >= SURE_ROWS_FROM):
        return tuple(entities)
    return tuple(
        replace(each, fields={pointer: _unsure(its) for pointer, its in each.fields.items()})
        for each in entities
    )


def _unsure(readings: Found) -> Found:
    return tuple(
        replace(each, confidence=min(MOST_UNSURE, each.confidence), items=_unsure(each.items))
        for each in readings
    )


def evidence(
    plan: Plan,
    rows: Sequence[Entity],
    said: Mapping[str, float],
    share: float,
) -> dict[str, float]:
    """The features of the rows, on average: `said` is where the page says what they are, `share`
    how much of its text they show."""
    fields = sum(1 for _ in plan.every())
    judged = [_features(row, fields) for row in rows[:_MOST_JUDGED]]
    if not judged:
        return {}
    own = {name: fmean(each[name] for each in judged) for name in judged[0]}
    own["row, section"] *= 1 - max(said.get(where, 0.0) for where in SAID)
    return own | calibration.of_kind(said, share)


def evidence_of_page(page: OneText, plan: Plan, whole: Entity) -> dict[str, float]:
    """The features of a page as a record by itself: none if a label or a class names what it is
    called, if it may be a thing of any kind, or if a field asks for more than any text has."""
    wanted = RecordFields.by(plan)
    kind = Kind(page, wanted)
    name = whole.fields.get(wanted.chief or "", ())
    is_term = pair_of(wanted.fields)[0] is not None
    if kind.is_any or not is_term or (name and not name[0].path.startswith(_UNNAMED)):
        return {}
    is_line = bool(name) and name[0].path.startswith(_LINE)
    return calibration.of_thing(kind.of_page(), line=is_line)


def of_one(plan: Plan, fields: Mapping[str, Found]) -> dict[str, Found]:
    """The readings of a page that explains one term, which is no text of several lines."""
    wanted = RecordFields.by(plan)
    chief = wanted.chief
    if chief is None or chief not in fields or pair_of(wanted.fields)[0] is None:
        return dict(fields)
    kept = tuple(
        each for each in fields[chief] if each.path.startswith(_UNNAMED) or "\n" not in each.quote
    )
    others = {pointer: its for pointer, its in fields.items() if pointer != chief}
    return {chief: kept, **others} if kept else others


def _features(row: Entity, fields: int) -> dict[str, float]:
    best = [readings[0] for readings in row.fields.values()]
    read = [each for each in best if each.confidence >= CANDIDATE_FROM and not each.ambiguous]
    values = [each.confidence for each in read]
    return calibration.of_row(values, fields, section=_is_section(read))


def _is_section(readings: Collection[FieldReading]) -> bool:
    """True for a heading with the paragraph or the program below it, as any text has them."""
    cells = [reading.path.rpartition("|")[2] for reading in readings if "|" in reading.path]
    return any(map(_HEADING.search, cells)) and any(map(_PARAGRAPH.fullmatch, cells))


def says_more(
    names: Names, whole: Entity, in_furniture: Callable[[FieldReading], bool] | None = None
) -> bool:
    """True if a page answers more of a record than any page would: each has a title, most a text
    that leads in, whatever they are about, and menus and side boxes are those of the site."""
    if names.count == 1 or any(whole.objects.values()):
        return True
    generic = _ANY_PAGES if names.heading else _ANY_PAGES[:2]
    read = (readings[0] for readings in whole.fields.values())
    return any(
        best.confidence >= CANDIDATE_FROM
        and not best.path.startswith(generic)
        and not (in_furniture and in_furniture(best))
        for best in read
    )


def stands_as_shown(whole: Entity, learnt: Learnt) -> bool:
    """True if a value stands where an example shows its field, or in a row of its own."""
    return any(
        reading.path in learnt.paths(pointer) or "|" in reading.path
        for pointer, readings in whole.fields.items()
        for reading in readings
    )
