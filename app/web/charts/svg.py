"""Pieces of SVG without inline styles: colours and fonts are the style sheet's, by class."""

from typing import Final

from markupsafe import Markup

HEADER: Final = 24
"""Pixels above a plot: its unit and zone."""


def drawing(spoken: str, height: int, content: Markup, kind: str = "chart") -> Markup:
    """A whole picture, as wide as its place; `spoken` is what a screen reader says of it."""
    return Markup(
        '<svg class="{}" role="img" width="100%" height="{}" aria-label="{}">{}</svg>'
    ).format(kind, height, spoken, content)


def plot(height: int, content: Markup, kind: str = "plot", x: int = 56, y: int = HEADER) -> Markup:
    """The area right of the labels. The style sheet sets its width to what the margins leave."""
    return Markup(
        '<svg class="{}" x="{}" y="{}" width="75%" height="{}" overflow="visible">{}</svg>'
    ).format(kind, x, y, height, content)


def cut(x: int, width: int, height: int, content: Markup) -> Markup:
    """A column that shows nothing beyond its sides, however wide the letters of a name are."""
    return Markup('<svg x="{}" width="{}" height="{}" overflow="hidden">{}</svg>').format(
        x, width, height, content
    )


def stretched(height: int, content: Markup) -> Markup:
    """Stretches paths, whose coordinates are no percentages: 1,000 units are the width."""
    return Markup(
        '<svg width="100%" height="{h}" viewBox="0 0 1000 {h}" preserveAspectRatio="none" '
        'overflow="visible">{}</svg>'
    ).format(content, h=height)


def text(
    content: str, x: str, y: float, kind: str = "", anchor: str = "start", dx: int = 0
) -> Markup:
    """Text of this class; `x` is in pixels or percent."""
    return Markup('<text class="{}" x="{}" dx="{}" y="{}" text-anchor="{}">{}</text>').format(
        kind, x, dx, px(y), anchor, content
    )


def horizontal(kind: str, y: float) -> Markup:
    return Markup('<line class="{}" x1="0" x2="100%" y1="{y}" y2="{y}"/>').format(kind, y=px(y))


def vertical(kind: str, x: float, height: int) -> Markup:
    return Markup('<line class="{}" x1="{x}" x2="{x}" y1="0" y2="{}"/>').format(
        kind, height, x=percent(x)
    )


def tick(x: float, y: float) -> Markup:
    return Markup('<line class="axis" x1="{x}" x2="{x}" y1="{}" y2="{}"/>').format(
        px(y), px(y + 4), x=percent(x)
    )


def bar(y: float, share: float, height: int) -> Markup:
    """`share` is its length in percent."""
    return Markup('<rect x="0" y="{}" width="{}" height="{}"/>').format(
        px(y), percent(share), height
    )


def dot(kind: str, x: float, y: float, radius: int, title: str) -> Markup:
    """A point that says `title` under the pointer."""
    return Markup('<circle class="{}" cx="{}" cy="{}" r="{}"><title>{}</title></circle>').format(
        kind, percent(x), px(y), radius, title
    )


def shortened(label: str, most: int) -> str:
    return label if len(label) <= most else label[: most - 1] + "…"


def px(number: float) -> str:
    """With one decimal, and never `-0`."""
    return f"{round(number, 1) + 0:.10g}"


def percent(number: float) -> str:
    return f"{round(number, 2) + 0:.10g}%"
