"""The steps of a workflow as a picture: layers by what needs what; states as sign and word."""

from collections.abc import Mapping, Sequence
from graphlib import TopologicalSorter
from typing import Any, Final

from markupsafe import Markup

from app.web.charts import svg
from app.web.frame import chips

WIDTH: Final = 196
HEIGHT: Final = 76
ACROSS: Final = 56
"""Between layers, where the arrows are."""
BELOW: Final = 20
EDGE: Final = 8

_SVG: Final = Markup(
    '<svg class="steps" role="img" aria-label="{label}" viewBox="0 0 {width} {height}"'
    ' width="{width}" height="{height}">'
    '<defs><marker id="arrow" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" markerHeight="8"'
    ' orient="auto"><path d="M0 0 8 4 0 8z"/></marker></defs>{edges}{nodes}</svg>'
)
_EDGE: Final = Markup('<path class="needs" marker-end="url(#arrow)" d="{d}"/>')
_NODE: Final = Markup(
    '<g class="step {kind}"><rect x="{x}" y="{y}" width="{width}" height="{height}" rx="6"/>'
    '<text class="name" x="{left}" y="{first}">{name}</text>'
    '<text x="{left}" y="{second}">{what}</text>'
    '<text class="state" x="{left}" y="{third}">{glyph} {word}</text></g>'
)

Step = Mapping[str, Any]
Place = tuple[int, int]


def graph(steps: Sequence[Step], *, down: bool = False) -> Markup:
    """The picture, from left to right or `down`; its label says the same in words."""
    shape = _DOWN if down else _RIGHT
    corners = {id: shape.corner(place) for id, place in _places(steps).items()}
    return _SVG.format(
        label=_sentence(steps),
        width=max(x for x, _ in corners.values()) + WIDTH + EDGE,
        height=max(y for _, y in corners.values()) + HEIGHT + EDGE,
        edges=Markup("").join(
            _EDGE.format(d=shape.edge(corners[need], corners[step["id"]]))
            for step in steps
            for need in step["needs"]
        ),
        nodes=Markup("").join(_node(step, corners[step["id"]]) for step in steps),
    )


def layers(steps: Sequence[Step]) -> list[list[str]]:
    """Ids by how many steps come before them at most; in the order of the request."""
    needs = {step["id"]: list(step["needs"]) for step in steps}
    depth: dict[str, int] = {}
    for id in TopologicalSorter(needs).static_order():
        depth[id] = max((depth[need] + 1 for need in needs[id]), default=0)
    found: list[list[str]] = [[] for _ in range(max(depth.values(), default=-1) + 1)]
    for step in steps:
        found[depth[step["id"]]].append(step["id"])
    return found


def _places(steps: Sequence[Step]) -> dict[str, Place]:
    """Layer and row of each step; in a layer, below one another as their needs are."""
    needs = {step["id"]: step["needs"] for step in steps}
    places: dict[str, Place] = {}
    for column, layer in enumerate(layers(steps)):
        above = {id: [places[need][1] for need in needs[id]] for id in layer}
        mean = {id: sum(rows) / len(rows) if rows else 0.0 for id, rows in above.items()}
        for row, id in enumerate(sorted(layer, key=lambda id: mean[id])):
            places[id] = (column, row)
    return places


class _Right:
    """Layers stand beside one another."""

    def corner(self, place: Place) -> Place:
        layer, row = place
        return EDGE + layer * (WIDTH + ACROSS), EDGE + row * (HEIGHT + BELOW)

    def edge(self, before: Place, after: Place) -> str:
        (x, y), (to_x, to_y) = before, after
        x, y, to_y = x + WIDTH, y + HEIGHT // 2, to_y + HEIGHT // 2
        bend = to_x - ACROSS // 2
        return f"M{x} {y}C{bend} {y} {bend} {to_y} {to_x - 2} {to_y}"


class _Down:
    """Layers stand below one another."""

    def corner(self, place: Place) -> Place:
        layer, row = place
        return EDGE + row * (WIDTH + BELOW), EDGE + layer * (HEIGHT + ACROSS)

    def edge(self, before: Place, after: Place) -> str:
        (x, y), (to_x, to_y) = before, after
        x, y, to_x = x + WIDTH // 2, y + HEIGHT, to_x + WIDTH // 2
        bend = to_y - ACROSS // 2
        return f"M{x} {y}C{x} {bend} {to_x} {bend} {to_x} {to_y - 2}"


_RIGHT: Final = _Right()
_DOWN: Final = _Down()


def _node(step: Step, corner: Place) -> Markup:
    x, y = corner
    chip = chips.chip(step["state"])
    return _NODE.format(
        kind=chip.kind,
        x=x,
        y=y,
        width=WIDTH,
        height=HEIGHT,
        left=x + 12,
        first=y + 23,
        second=y + 43,
        third=y + 63,
        name=svg.shortened(step["id"], 22),
        what=_facts(step),
        glyph=chip.glyph,
        word=chip.word,
    )


def _facts(step: Step) -> str:
    """Its type and its items; a draft has none."""
    if step["items_in"] is None:
        return str(step["type"])
    return f"{step['type']} · {step['items_in']:,} in, {step['items_out']:,} out"


def _sentence(steps: Sequence[Step]) -> str:
    """Describes the picture, for whoever does not see it."""
    told = [
        f"{step['id']} is {chips.chip(step['state']).word.lower()}"
        + (f" and needs {', '.join(step['needs'])}" if step["needs"] else "")
        for step in steps
    ]
    return f"{len(steps)} steps: {'; '.join(told)}."
