"""Workflows as pictures: layers by what needs what, states that need no colour."""

from typing import Any

from app.web.charts import step_graph


def step(id: str, *needs: str, state: str = "done") -> dict[str, Any]:
    return {
        "id": id,
        "type": "filter",
        "needs": list(needs),
        "state": state,
        "items_in": 4,
        "items_out": 1_234,
    }


STEPS = [step("read"), step("cheap", "read"), step("far", "read"), step("once", "cheap", "read")]


def test_a_step_stands_behind_everything_it_needs() -> None:
    assert step_graph.layers(STEPS) == [["read"], ["cheap", "far"], ["once"]]


def test_the_picture_says_in_words_what_it_shows() -> None:
    svg = str(step_graph.graph([step("read", state="failed"), step("cheap", "read")]))
    assert 'aria-label="2 steps: read is failed; cheap is done and needs read."' in svg
    assert "× Failed" in svg
    assert "4 in, 1,234 out" in svg


def test_there_is_an_arrow_for_each_need_and_no_style() -> None:
    svg = str(step_graph.graph(STEPS))
    assert svg.count('class="needs"') == 4
    assert svg.count("<rect") == 4
    assert "style" not in svg


def test_no_two_steps_stand_at_one_place() -> None:
    many = [step("first"), *(step(f"s{n}", "first") for n in range(8))]
    svg = str(step_graph.graph(many))
    corners = {part.split(' width="')[0] for part in svg.split("<rect ")[1:]}
    assert len(corners) == 9


def test_the_picture_may_go_down() -> None:
    right, down = (str(step_graph.graph(STEPS, down=each)) for each in (False, True))
    assert 'viewBox="0 0 716 188"' in right
    assert 'viewBox="0 0 428 356"' in down


def test_drafts_have_no_items() -> None:
    svg = str(step_graph.graph([{**step("read"), "items_in": None, "items_out": None}]))
    assert ">filter<" in svg
