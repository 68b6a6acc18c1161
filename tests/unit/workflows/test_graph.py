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


def test_steps_in_a_row_are_a_workflow() -> None:
    assert problems(read(), step("some", "read"), step("once", "some", type="dedupe")) == []


def test_steps_may_part_and_meet_again() -> None:
    steps = read(), step("a", "read"), step("b", "read"), step("c", "a", "b", type="dedupe")
    assert problems(*steps) == []


def test_an_id_is_given_once() -> None:
    assert problems(read("a"), step("a", "a")) == [(1, "id")]


def test_a_step_that_is_needed_exists() -> None:
    assert problems(read(), step("a", "read", "reed")) == [(1, "needs", 1)]


def test_a_step_is_needed_once() -> None:
    assert problems(read(), step("a", "read", "read")) == [(1, "needs", 1)]


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


def test_a_long_chain_is_no_cycle() -> None:
    chain = [step(f"s{n}", f"s{n - 1}" if n else "read") for n in range(29)]
    assert problems(read(), *chain) == []


def test_an_extraction_takes_its_pages_from_one_place() -> None:
    both = step("b", "read", type="extraction", source={"type": "url"})
    assert problems(read(), both) == [(1, "with")]
    assert problems(step("none", type="extraction")) == [(0, "with")]


def test_a_search_with_placeholders_needs_items() -> None:
    search = step("s", type="search", query="{/name} review")
    assert problems(search, read("read", "s")) == [(0, "with", "query")]


def test_a_search_over_items_has_placeholders() -> None:
    search = step("s", "read", type="search", query="reviews")
    assert problems(read(), search, read("more", "s")) == [(1, "with", "query")]


@pytest.mark.parametrize("type", ["filter", "dedupe", "validate"])
def test_a_step_over_items_needs_some(type: str) -> None:
    assert problems(step("a", type=type), read("read", "a"))[0] == (0, "needs")


def test_a_last_step_returns_records() -> None:
    assert problems(step("s", type="search", query="lamps")) == [(0, "type")]


def test_records_of_an_extraction_far_above_are_records() -> None:
    assert problems(read(), step("a", "read"), step("v", "a", type="validate")) == []


def test_only_records_are_validated() -> None:
    steps = step("s", type="search", query="lamps"), step("v", "s", type="validate")
    assert problems(*steps, read("read", "v")) == [(1, "needs")]


def test_the_last_steps_are_those_that_nothing_needs() -> None:
    assert graph.last([read(), step("a", "read"), step("b", "read")]) == ["a", "b"]


def test_what_comes_before_and_after_a_step() -> None:
    steps = [read(), step("a", "read"), step("b", "a"), step("c", "read")]
    assert graph.upstream(steps, "b") == {"a", "read"}
    assert graph.downstream(steps, "read") == {"a", "b", "c"}
