"""What is refused as a workflow, and where."""

from typing import Any

import pytest

from app.domains.records.workflows import graph


def step(id: str, *needs: str, type: str = "filter", **options: Any) -> dict[str, Any]:
    return {"id": id, "type": type, "needs": list(needs), "with": options}


def read(id: str = "read", *needs: str) -> dict[str, Any]:
    return step(id, *needs, type="extraction", **({} if needs else {"source": {"type": "url"}}))


def problems(*steps: dict[str, Any]) -> list[graph.Path]:
    return [path for path, _ in graph.problems(steps)]


@pytest.mark.parametrize(
    "steps",
    [
        [read(), step("some", "read"), step("once", "some", type="dedupe")],
        [read(), step("a", "read"), step("b", "read"), step("c", "a", "b", type="dedupe")],
        [read(), step("a", "read"), step("v", "a", type="validate")],
        [read(), *(step(f"s{n}", f"s{n - 1}" if n else "read") for n in range(29))],
    ],
    ids=["a row", "parts that meet again", "records from far above", "a long chain"],
)
def test_steps_are_a_workflow(steps: list[dict[str, Any]]) -> None:
    assert problems(*steps) == []


LAMPS = step("s", type="search", query="lamps")
TWICE = step("b", "read", type="extraction", source={"type": "url"})
OF_ITEMS = step("s", type="search", query="{/name} review")
OF_NONE = step("s", "read", type="search", query="reviews")


@pytest.mark.parametrize(
    ("steps", "problem"),
    [
        pytest.param([read("a"), step("a", "a")], (1, "id"), id="an id given twice"),
        pytest.param([read(), step("a", "read", "reed")], (1, "needs", 1), id="a need of no step"),
        pytest.param([read(), step("a", "read", "read")], (1, "needs", 1), id="a need named twice"),
        pytest.param([read(), TWICE], (1, "with"), id="pages from two places"),
        pytest.param([step("none", type="extraction")], (0, "with"), id="pages from nowhere"),
        pytest.param([OF_ITEMS, read("a", "s")], (0, "with", "query"), id="a placeholder of none"),
        pytest.param([read(), OF_NONE, read("a", "s")], (1, "with", "query"), id="no placeholder"),
        pytest.param([LAMPS], (0, "type"), id="a last step without records"),
        pytest.param(
            [LAMPS, step("v", "s", type="validate"), read("read", "v")],
            (1, "needs"),
            id="what is validated is no record",
        ),
    ],
)
def test_a_problem_is_told_where_it_is(steps: list[dict[str, Any]], problem: graph.Path) -> None:
    assert problems(*steps) == [problem]


@pytest.mark.parametrize("needs", [("a",), ("b",)], ids=["itself", "each other"])
def test_steps_that_need_each_other_are_refused(needs: tuple[str, ...]) -> None:
    steps = read(), step("a", *needs), step("b", "a")
    assert problems(*steps) in ([(1, "needs")], [(2, "needs")])


def test_a_cycle_is_named() -> None:
    ((_, sentence),) = graph.problems([read(), step("a", "b"), step("b", "a")])
    assert sentence in (
        "These steps need each other: a needs b needs a.",
        "These steps need each other: b needs a needs b.",
    )


@pytest.mark.parametrize("type", ["filter", "dedupe", "validate"])
def test_a_step_over_items_needs_some(type: str) -> None:
    assert problems(step("a", type=type), read("read", "a"))[0] == (0, "needs")


def test_the_last_steps_are_those_that_nothing_needs() -> None:
    assert graph.last([read(), step("a", "read"), step("b", "read")]) == ["a", "b"]


def test_what_comes_before_and_after_a_step() -> None:
    steps = [read(), step("a", "read"), step("b", "a"), step("c", "read")]
    assert graph.upstream(steps, "b") == {"a", "read"}
    assert graph.downstream(steps, "read") == {"a", "b", "c"}
