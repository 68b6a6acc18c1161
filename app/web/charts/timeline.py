"""Spans of time under one another: each with its name, its duration and a bar at its place."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from markupsafe import Markup

from app.web.charts import svg
from app.web.frame import chips, times

HEIGHT: Final = 44
"""Of a row: its words, and the bar below them."""
_BAR: Final = 10
_LEAST: Final = 0.6
"""Percent of the width: what took no time can still be seen."""
_ROW: Final = Markup(
    '{name}{took}<rect class="track" x="0" y="{y}" width="100%" height="{height}" rx="3"/>'
    '<rect class="span {kind}" x="{x}" y="{y}" width="{width}" height="{height}" rx="3"/>'
)


@dataclass(frozen=True, slots=True)
class TimeSpan:
    """`state` is that of a chip; one without `ends` goes on."""

    name: str
    state: str
    begins: datetime
    ends: datetime | None = None


def timeline(spans: Sequence[TimeSpan], now: datetime) -> Markup | None:
    """The picture; None of nothing."""
    if not spans:
        return None
    begins = min(span.begins for span in spans)
    whole = max((max(span.ends or now for span in spans) - begins).total_seconds(), 0.001)
    rows = (_row(at, span, begins, whole, now) for at, span in enumerate(spans))
    spoken = "; ".join(f"{span.name}: {_words(span, now)}" for span in spans)
    picture = svg.drawing(f"Timeline. {spoken}", len(spans) * HEIGHT, Markup("").join(rows))
    return Markup('<div class="timeline">{}</div>').format(picture)


def _row(at: int, span: TimeSpan, begins: datetime, whole: float, now: datetime) -> Markup:
    top = at * HEIGHT
    before = (span.begins - begins).total_seconds() / whole * 100
    width = max(_LEAST, _seconds(span, now) / whole * 100)
    return _ROW.format(
        name=svg.text(span.name, "0", top + 16, "name"),
        took=svg.text(_words(span, now), "100%", top + 16, anchor="end"),
        kind=chips.chip(span.state).kind,
        x=svg.percent(min(before, 100 - width)),
        y=top + 24,
        width=svg.percent(min(width, 100)),
        height=_BAR,
    )


def _words(span: TimeSpan, now: datetime) -> str:
    chip = chips.chip(span.state)
    return f"{chip.word}, {times.duration(round(_seconds(span, now), 3))}"


def _seconds(span: TimeSpan, now: datetime) -> float:
    return max(0.0, ((span.ends or now) - span.begins).total_seconds())
