"""Headings that say when as well: `2.1.0 (3 May 2026)` is a version and its day."""

from app.engine.extraction.text.onetext import OneText
from app.engine.extraction.text.slices import trimmed
from app.engine.text.dates import dates

_LONGEST = 100
_MARKS = " \n:|-–—•·,;()[]/¶§#"

Slice = tuple[int, int]


def day_apart(page: OneText, start: int, end: int) -> tuple[Slice, Slice] | None:
    """The name in a slice and the one day that it ends or begins with; None if it has no such day,
    or nothing else."""
    if end - start > _LONGEST:
        return None
    found = [each for each in dates(page.text[start:end]) if each.days[0].year and each.days[0].day]
    if len(found) != 1:
        return None
    day = start + found[0].start, start + found[0].end
    before, after = trimmed(page, start, day[0], _MARKS), trimmed(page, day[1], end, _MARKS)
    names = [each for each in (before, after) if each[0] < each[1]]
    return (names[0], day) if len(names) == 1 else None
