"""The steps of a workflow as a graph without cycles: its problems, and the needs of each step."""

from collections.abc import Iterator, Mapping, Sequence
from graphlib import CycleError, TopologicalSorter
from typing import Any, Final

Step = Mapping[str, Any]
Path = tuple[str | int, ...]
Problem = tuple[Path, str]

PLACEHOLDERS: Final = "{/"


def problems(steps: Sequence[Step]) -> list[Problem]:
    """Lists where the steps cannot be a workflow, as paths into the list, and why."""
    found = [*_names(steps), *_needs(steps)]
    if not found:
        found = [*_cycles(steps)]
    if not found:
        found = [*_inputs(steps), *_ends(steps)]
    return found


def _names(steps: Sequence[Step]) -> Iterator[Problem]:
    known: set[str] = set()
    for place, step in enumerate(steps):
        if step["id"] in known:
            yield (place, "id"), "Another step has this id."
        known.add(step["id"])


def _needs(steps: Sequence[Step]) -> Iterator[Problem]:
    known = {step["id"] for step in steps}
    for place, step in enumerate(steps):
        for index, need in enumerate(step["needs"]):
            if need not in known:
                yield (place, "needs", index), "No step has this id."
            elif need in step["needs"][:index]:
                yield (place, "needs", index), "Is named twice."


def _cycles(steps: Sequence[Step]) -> Iterator[Problem]:
    try:
        TopologicalSorter({step["id"]: step["needs"] for step in steps}).prepare()
    except CycleError as error:
        cycle = list(reversed(error.args[1]))
        place = next(place for place, step in enumerate(steps) if step["id"] == cycle[0])
        yield (place, "needs"), f"These steps need each other: {' needs '.join(cycle)}."


def _inputs(steps: Sequence[Step]) -> Iterator[Problem]:
    """Checks that each step gets something to work on, from one place."""
    for place, step in enumerate(steps):
        needs, options = bool(step["needs"]), step["with"]
        if step["type"] == "extraction" and needs == ("source" in options):
            yield (place, "with"), "Give either `source` or the addresses of the steps it `needs`."
        elif step["type"] == "search" and needs != (PLACEHOLDERS in options["query"]):
            yield (
                (place, "with", "query"),
                "Must have placeholders such as {/name} if it `needs` steps.",
            )
        elif step["type"] in ("filter", "dedupe", "validate") and not needs:
            yield (place, "needs"), "Must name at least one step."


def _ends(steps: Sequence[Step]) -> Iterator[Problem]:
    """Checks that records come of it: those of the last steps are the workflow's."""
    types = {step["id"]: step["type"] for step in steps}
    for place, step in enumerate(steps):
        sources = {types[id] for id in [step["id"], *upstream(steps, step["id"])]}
        if "extraction" in sources:
            continue
        if step["type"] == "validate":
            yield (place, "needs"), "No extraction comes before this step."
        elif step["id"] in last(steps):
            yield (place, "type"), "No step reads what this one returns, and it makes no records."


def last(steps: Sequence[Step]) -> list[str]:
    needed = {need for step in steps for need in step["needs"]}
    return [step["id"] for step in steps if step["id"] not in needed]


def record_sources(steps: Sequence[Step]) -> list[Step]:
    """The extractions whose records the workflow's last steps return, in order."""
    by_id = {step["id"]: step for step in steps}
    waiting, sources = last(steps), set[str]()
    while waiting:
        step = by_id[waiting.pop()]
        if step["type"] == "extraction":
            sources.add(step["id"])
        elif step["type"] != "search":  # which makes items of its own
            waiting.extend(step["needs"])
    return [step for step in steps if step["id"] in sources]


def upstream(steps: Sequence[Step], id: str) -> set[str]:
    """All that a step needs, directly or not."""
    needs = {step["id"]: step["needs"] for step in steps}
    return _reached(needs, id)


def downstream(steps: Sequence[Step], id: str) -> set[str]:
    """All that need a step, directly or not."""
    needed_by: dict[str, list[str]] = {step["id"]: [] for step in steps}
    for step in steps:
        for need in step["needs"]:
            needed_by[need].append(step["id"])
    return _reached(needed_by, id)


def _reached(edges: Mapping[str, Sequence[str]], id: str) -> set[str]:
    reached: set[str] = set()
    waiting = list(edges[id])
    while waiting:
        if (next_id := waiting.pop()) not in reached:
            reached.add(next_id)
            waiting.extend(edges[next_id])
    return reached
