"""Charts that need no script and no inline style, each with its words and its table.

A chart has a spoken summary; each line has a colour and a dash of its own, and its name and last
value at its end. What is missing is a gap. Heights are pixels and widths percentages, so that text
keeps its size on any screen.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import Decimal
from typing import Final
from urllib.parse import quote

from markupsafe import Markup

from app.core.http.exports import cells
from app.core.http.fields import rfc3339
from app.web.charts import svg
from app.web.charts.axes import Number, exact, short, whole
from app.web.charts.lines import ChartLine, Look, Point, drawn
from app.web.frame.times import exact_time, zone_of

_BAR: Final = 26  # pixels from one to the next
_LABEL_LENGTH: Final = 20
_NAMES: Final = 160
"""Pixels left of the bars, a margin of the style sheet: widths of a picture inside of another are
not the style sheet's in every browser.
"""


@dataclass(frozen=True, slots=True)
class Series:
    """Values over time; None is a gap. `dash` says that they are no measurement."""

    name: str
    points: Sequence[tuple[datetime, Number | None]]
    dash: bool = False


@dataclass(frozen=True, slots=True)
class Chart:
    """A drawing, the same in a sentence, and the same as a table of text."""

    svg: Markup
    title: str
    summary: str
    columns: tuple[str, ...]
    rows: list[tuple[str, ...]]
    csv: str
    """Address of the table as a file, its times in UTC."""


def line_chart(
    title: str,
    series: Sequence[Series],
    *,
    summary: str,
    unit: str = "",
    zone: str = "UTC",
    steps: bool = False,
    levels: Sequence[tuple[str, Number]] = (),
    marks: Sequence[tuple[datetime, str]] = (),
    now: datetime | None = None,
) -> Chart:
    """Values over time; `steps` draws no slopes, `levels` are horizontal lines with a name,
    `marks` vertical ones within the time of the series.

    `zone` is the reader's setting; who reads relative times gets ages on the axis.
    """
    lines = [ChartLine(each.name, _points(each), each.dash) for each in series]
    known = [(name, value) for name, given in levels if (value := exact(given)) is not None]
    look = Look(unit, zone, now or datetime.now(UTC), steps, known, marks)
    names = tuple(f"{each.name} ({unit})" if unit else each.name for each in lines)
    values = _by_time(lines)
    return Chart(
        drawn(_spoken(title, summary), lines, look),
        title,
        summary,
        (f"Time ({zone_of(zone)})", *names),
        [(exact_time(at, zone), *_cells(row)) for at, row in values],
        _csv(("time", *names), [(rfc3339(at) or "", *_cells(row, "")) for at, row in values]),
    )


def bar_chart(
    title: str,
    labels: Sequence[str],
    values: Sequence[Number | None],
    *,
    summary: str,
    unit: str = "",
) -> Chart:
    """A few things side by side, each with its value; without a value there is no bar."""
    bars = list(zip(labels, (_exact(value) for value in values), strict=True))
    columns = ("", unit or title)
    return Chart(
        _bars(_spoken(title, summary), bars),
        title,
        summary,
        columns,
        [(label, *_cells([value])) for label, value in bars],
        _csv(columns, [(label, *_cells([value], "")) for label, value in bars]),
    )


def _points(series: Series) -> list[Point]:
    points = [(at.astimezone(UTC), _exact(value)) for at, value in series.points]
    return sorted(points, key=lambda point: point[0])


def _exact(value: Number | None) -> Decimal | None:
    return None if value is None else exact(value)


def _spoken(title: str, summary: str) -> str:
    return f"{title}. {summary}" if summary else title


def _by_time(lines: Sequence[ChartLine]) -> list[tuple[datetime, list[Decimal | None]]]:
    found = [dict(line.points) for line in lines]
    times = sorted({at for values in found for at in values})
    return [(at, [values.get(at) for values in found]) for at in times]


def _cells(values: Sequence[Decimal | None], missing: str = "–") -> list[str]:
    return [missing if value is None else whole(value) for value in values]


def _csv(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = (cells.line([cells.safe(text) for text in row]) for row in (columns, *rows))
    return "data:text/csv;charset=utf-8," + quote(b"".join(lines))


def _bars(spoken: str, bars: Sequence[tuple[str, Decimal | None]]) -> Markup:
    """A row for each: its name, a bar from zero, its value behind the bar."""
    largest = max((abs(value) for _, value in bars if value is not None), default=Decimal(0))
    names, drawn = [], []
    for number, (label, value) in enumerate(bars):
        y = number * _BAR
        names.append(svg.text(svg.shortened(label, _LABEL_LENGTH), "0", y + 17))
        share = 0.0 if value is None or not largest else float(abs(value) / largest * 100)
        drawn.append(svg.bar(y + 4, share, _BAR - 8))
        text = "–" if value is None else short(value)
        drawn.append(svg.text(text, svg.percent(share), y + 17, "end", dx=8))
    height = max(_BAR * len(bars), _BAR)
    left = svg.cut(-_NAMES, _NAMES - 8, height, Markup("").join(names))
    return svg.drawing(spoken, height, Markup("").join([left, *drawn]), kind="chart bars")
