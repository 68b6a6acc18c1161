"""The probability that rows that repeat on a page are records, rather than its sections."""

import re
from collections.abc import Collection, Sequence
from statistics import fmean

from app.engine.extraction.records.readings import Entity, FieldReading
from app.engine.extraction.schema.schema import Plan
from app.engine.extraction.values import calibration
from app.engine.extraction.values.calibration import CANDIDATE_FROM, ROWS_FROM

_MOST_JUDGED = 30
_HEADING = re.compile(r"(?:^|/)h[1-6](?:/|\.|$)")
_PARAGRAPH = re.compile(r"(?:/[a-z]+)*/p(?:#\d+)?")


def are_likely(plan: Plan, rows: Sequence[Entity]) -> bool:
    """True if the rows are probable records; no rows are none."""
    return bool(rows) and calibration.probability(evidence(plan, rows)) >= ROWS_FROM


def evidence(plan: Plan, rows: Sequence[Entity]) -> dict[str, float]:
    """The features of the rows, on average."""
    fields = sum(1 for _ in plan.every())
    judged = [_features(row, fields) for row in rows[:_MOST_JUDGED]]
    return {name: fmean(each[name] for each in judged) for name in judged[0]}


def _features(row: Entity, fields: int) -> dict[str, float]:
    best = [readings[0] for readings in row.fields.values()]
    read = [each for each in best if each.confidence >= CANDIDATE_FROM and not each.ambiguous]
    values = [each.confidence for each in read]
    return calibration.of_row(values, fields, section=_is_section(read))


def _is_section(readings: Collection[FieldReading]) -> bool:
    """True for a heading with the paragraph below it, as any text has them."""
    cells = [reading.path.rpartition("|")[2] for reading in readings if "|" in reading.path]
    return any(map(_HEADING.search, cells)) and any(map(_PARAGRAPH.fullmatch, cells))
