"""Differences between two texts by line and word, as rows that a page can show."""

import difflib
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import Final, Literal

from markupsafe import Markup

from app.web.citations.text_blocks import visible

_NOTHING: Final = Markup("")
Kind = Literal["same", "gone", "come", "became", "cut"]

AROUND: Final = 3
"""Lines shown before and behind what differs."""
MOST_LINES: Final = 5_000
_MOST_LETTERS: Final = 2_000
_ALIKE: Final = 0.5
_WORDS: Final = re.compile(r"\w+|\s+|[^\w\s]")


@dataclass(frozen=True, slots=True)
class DifferenceRow:
    """A line then and now, with what differs in it marked; of `cut`, `lines` are left out."""

    kind: Kind
    before: Markup = _NOTHING
    after: Markup = _NOTHING
    lines: int = 0


def between(before: str, after: str, *, everything: bool = False) -> list[DifferenceRow]:
    """The rows of two texts; without `everything`, only what differs and a little around it."""
    old, new = _lines(before), _lines(after)
    matcher = difflib.SequenceMatcher(None, old, new, autojunk=len(old) > 500)
    rows: list[DifferenceRow] = []
    for tag, a, b, c, d in matcher.get_opcodes():
        if tag == "equal":
            rows += [DifferenceRow("same", visible(line), visible(line)) for line in old[a:b]]
        else:
            rows += _changed(old[a:b], new[c:d])
    return rows if everything else list(_shortened(rows))


def written(unified: str) -> list[DifferenceRow]:
    """The rows of a difference written as lines after `- ` and `+ `, old above new."""
    rows: list[DifferenceRow] = []
    gone: list[str] = []
    for line in unified.splitlines():
        sign, text = line[:2], line[2:]
        if sign == "+ " and gone and _alike(gone[-1], text):
            rows += [*map(_gone, gone[:-1]), _became(gone[-1], text)]
            gone = []
            continue
        if sign != "- ":
            rows += map(_gone, gone)
            gone = []
        if sign == "- ":
            gone.append(text)
        else:
            rows.append(
                _come(text) if sign == "+ " else DifferenceRow("same", visible(line), visible(line))
            )
    return [*rows, *map(_gone, gone)]


def _lines(text: str) -> list[str]:
    return [line.strip() for line in text.splitlines()[:MOST_LINES] if line.strip()]


def _changed(old: Sequence[str], new: Sequence[str]) -> Iterator[DifferenceRow]:
    """Lines at one place: each beside the one that came there, if they are alike."""
    for before, after in zip_longest(old, new):
        if before is not None and after is not None and _alike(before, after):
            yield _became(before, after)
            continue
        if before is not None:
            yield _gone(before)
        if after is not None:
            yield _come(after)


def _alike(before: str, after: str) -> bool:
    matcher = difflib.SequenceMatcher(None, before[:_MOST_LETTERS], after[:_MOST_LETTERS], False)
    return matcher.quick_ratio() >= _ALIKE and matcher.ratio() >= _ALIKE


def _gone(line: str) -> DifferenceRow:
    return DifferenceRow("gone", before=Markup("<del>{}</del>").format(visible(line)))


def _come(line: str) -> DifferenceRow:
    return DifferenceRow("come", after=Markup("<ins>{}</ins>").format(visible(line)))


def _became(before: str, after: str) -> DifferenceRow:
    old, new = _WORDS.findall(before), _WORDS.findall(after)
    left, right = _NOTHING, _NOTHING
    for tag, a, b, c, d in difflib.SequenceMatcher(None, old, new, False).get_opcodes():
        one, other = visible("".join(old[a:b])), visible("".join(new[c:d]))
        if tag != "equal":
            one = Markup("<del>{}</del>").format(one) if one else one
            other = Markup("<ins>{}</ins>").format(other) if other else other
        left, right = left + one, right + other
    return DifferenceRow("became", left, right)


def _shortened(rows: Sequence[DifferenceRow]) -> Iterator[DifferenceRow]:
    """Without lines that are the same and far from what differs; how many were left out is said."""
    near = {
        at
        for place, row in enumerate(rows)
        if row.kind != "same"
        for at in range(place - AROUND, place + AROUND + 1)
    }
    left_out = 0
    for place, row in enumerate(rows):
        if place not in near:
            left_out += 1
            continue
        if left_out:
            yield DifferenceRow("cut", lines=left_out)
            left_out = 0
        yield row
    if left_out:
        yield DifferenceRow("cut", lines=left_out)
