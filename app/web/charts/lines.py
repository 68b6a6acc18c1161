"""Lines over time: a colour and a dash of its own for each, name and last value at its end."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Final

from markupsafe import Markup

from app.domains.account.accounts.preferences import RELATIVE
from app.web.charts import svg
from app.web.charts.axes import short, time_ticks, value_ticks, whole
from app.web.frame.times import exact_time, zone_of

_HEIGHT: Final = 200
_BELOW: Final = 28  # for the times
_LINE: Final = 15  # the least distance of two labels
_NAME_LENGTH: Final = 14
_COLOURS: Final = 3
_DASHES: Final = ("none", "6 4", "2 3", "10 3 2 3")
_MOST_WITH_TITLES: Final = 200  # points of a line; more would be a heavy page

Point = tuple[datetime, Decimal | None]


@dataclass(frozen=True, slots=True)
class ChartLine:
    """Its points are in order of time; None is a gap."""

    name: str
    points: list[Point]
    dash: bool = False

    @property
    def last(self) -> int | None:
        known = (index for index, (_, value) in enumerate(self.points) if value is not None)
        return max(known, default=None)

    def alone(self, index: int) -> bool:
        """True if no line would lead to or from this point."""
        before, after = self.points[:index][-1:], self.points[index + 1 :][:1]
        return all(value is None for _, value in before + after)


@dataclass(frozen=True, slots=True)
class _Scale:
    """From times to percent of the width, from values to pixels from the top."""

    first: datetime
    last: datetime
    ticks: list[Decimal]

    def x(self, at: datetime) -> float:
        return (at - self.first) / (self.last - self.first) * 100

    def y(self, value: Decimal) -> float:
        lowest, highest = self.ticks[0], self.ticks[-1]
        return float((highest - value) / (highest - lowest)) * _HEIGHT


@dataclass(frozen=True, slots=True)
class Look:
    """The look of a chart of lines: for whom it is drawn, and with what beside the lines."""

    unit: str
    zone: str
    now: datetime
    steps: bool
    levels: Sequence[tuple[str, Decimal]]
    marks: Sequence[tuple[datetime, str]] = ()


def drawn(spoken: str, lines: Sequence[ChartLine], look: Look) -> Markup:
    scale = _scale(lines, look)
    content = Markup("").join(
        [
            *(svg.horizontal("grid" if tick else "axis", scale.y(tick)) for tick in scale.ticks),
            *_times(scale, look),
            *(_level(scale, name, value) for name, value in look.levels),
            *(_mark(scale, at, label) for at, label in look.marks),
            *(_line(scale, *numbered, look) for numbered in enumerate(lines)),
            *_ends(scale, lines),
            *_nothing(lines),
        ]
    )
    margins = Markup("").join([*_header(look), *_values(scale)])
    height = svg.HEADER + _HEIGHT + _BELOW
    return svg.drawing(spoken, height, margins + svg.plot(_HEIGHT, content))


def _scale(lines: Sequence[ChartLine], look: Look) -> _Scale:
    points = [point for line in lines for point in line.points]
    values = [value for _, value in points if value is not None]
    values += [value for _, value in look.levels]
    times = [at for at, _ in points] or [look.now]
    first, last = min(times), max(times)
    if first == last:
        first, last = first - timedelta(minutes=30), last + timedelta(minutes=30)
    zero = Decimal(0)
    return _Scale(first, last, value_ticks(min(values, default=zero), max(values, default=zero)))


def _header(look: Look) -> Iterator[Markup]:
    if look.unit:
        yield svg.text(look.unit, "0", 12)
    if look.zone != RELATIVE:
        yield svg.text(f"Times in {zone_of(look.zone)}", "100%", 12, anchor="end")


def _values(scale: _Scale) -> Iterator[Markup]:
    for tick in scale.ticks:
        yield svg.text(short(tick), "48", svg.HEADER + scale.y(tick) + 4, anchor="end")


def _times(scale: _Scale, look: Look) -> Iterator[Markup]:
    """Every second label is left out where there is little room."""
    ticks = time_ticks(scale.first, scale.last, look.zone, look.now)
    for number, (at, label) in enumerate(ticks):
        x = scale.x(at)
        yield svg.tick(x, _HEIGHT)
        kind = "tick other" if number % 2 else "tick"
        yield svg.text(label, svg.percent(x), _HEIGHT + 18, kind, _anchor(x))


def _anchor(x: float) -> str:
    """Labels at the edges stay inside."""
    if x < 4:
        return "start"
    return "end" if x > 96 else "middle"


def _level(scale: _Scale, name: str, value: Decimal) -> Markup:
    y = scale.y(value)
    beside = y - 5 if y > _LINE else y + _LINE
    label = svg.text(f"{svg.shortened(name, _NAME_LENGTH)} {short(value)}", "4", beside, "named")
    return svg.horizontal("level", y) + label


def _mark(scale: _Scale, at: datetime, label: str) -> Markup:
    """Marks what happened at a time, beside a line from top to bottom."""
    x = scale.x(at)
    anchor, beside = ("end", -5) if x > 85 else ("start", 5)
    name = svg.shortened(label, _NAME_LENGTH)
    text = svg.text(name, svg.percent(x), _LINE, "named", anchor, beside)
    return svg.vertical("level", x, _HEIGHT) + text


def _line(scale: _Scale, number: int, line: ChartLine, look: Look) -> Markup:
    path = Markup('<path class="line c{}" stroke-dasharray="{}" d="{}"/>').format(
        _colour(number), _dash(number, line), "".join(_moves(scale, line, look.steps))
    )
    dots = Markup("").join(_dots(scale, number, line, look.zone))
    return svg.stretched(_HEIGHT, path) + dots


def _colour(number: int) -> int:
    return number % _COLOURS + 1


def _dash(number: int, line: ChartLine) -> str:
    """No two of one colour are alike. The first is solid, if it is no forecast."""
    if line.dash and number == 0:
        return _DASHES[1]
    return _DASHES[number % len(_DASHES)]


def _moves(scale: _Scale, line: ChartLine, steps: bool) -> Iterator[str]:
    drawing = False
    for at, value in line.points:
        if value is not None:
            x, y = svg.px(scale.x(at) * 10), svg.px(scale.y(value))
            move = f"H{x}V{y}" if steps else f"L{x} {y}"
            yield move if drawing else f"M{x} {y}"
        drawing = value is not None


def _dots(scale: _Scale, number: int, line: ChartLine, zone: str) -> Iterator[Markup]:
    """Points at the end and those that no line leads to are seen; others show only their value."""
    titled = len(line.points) <= _MOST_WITH_TITLES
    for index, (at, value) in enumerate(line.points):
        if value is None:
            continue
        seen = index == line.last or line.alone(index)
        if seen or titled:
            title = f"{line.name}: {whole(value)}, {exact_time(at, zone)}"
            kind = f"{'dot' if seen else 'hover'} c{_colour(number)}"
            yield svg.dot(kind, scale.x(at), scale.y(value), 3 if seen else 6, title)


def _ends(scale: _Scale, lines: Sequence[ChartLine]) -> Iterator[Markup]:
    ends = []
    for number, line in enumerate(lines):
        known = [(at, value) for at, value in line.points if value is not None]
        for at, value in known[-1:]:
            label = f"{svg.shortened(line.name, _NAME_LENGTH)} {short(value)}"
            ends.append((scale.y(value), scale.x(at), label, f"end c{_colour(number)}"))
    ends.sort()
    for y, (_, x, label, kind) in zip(_apart([end[0] for end in ends]), ends, strict=True):
        high = " high" if y < _LINE else ""
        yield svg.text(label, svg.percent(x), y + 4, kind + high, dx=8)


def _apart(heights: list[float]) -> list[float]:
    """Rising heights, moved down where they are too near, then up where they leave the plot."""
    moved: list[float] = []
    for y in heights:
        moved.append(max(y, moved[-1] + _LINE) if moved else y)
    floor = float(_HEIGHT)
    for index in range(len(moved) - 1, -1, -1):
        moved[index] = min(moved[index], floor)
        floor = moved[index] - _LINE
    return moved


def _nothing(lines: Sequence[ChartLine]) -> Iterator[Markup]:
    if all(line.last is None for line in lines):
        text = "No measurements in this period"
        yield svg.text(text, "50%", _HEIGHT / 2, "named", "middle")
