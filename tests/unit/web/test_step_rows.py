"""Steps of workflows in forms: inputs and JSON say the same, and steps come and go one by one."""

import json
from collections.abc import Mapping
from typing import Any

import pytest

from app.core.errors import Invalid
from app.domains.records.workflows.schemas import OPERATORS, WorkflowIn
from app.web.pages.records.forms import job_forms, schema_form, step_rows
from app.web.pages.records.forms.step_rows import StepsView, again, sent, view

TEXT = job_forms.workflow_template()


def form_of(shown: StepsView, **changes: str) -> dict[str, str]:
    """What a browser sends of a form that shows this."""
    form = {"base": shown.text, "steps": shown.text.replace("\n", "\r\n")}
    for row in shown.rows:
        at = f"step.{row.n}."
        form |= {f"{at}{name}": str(value) for name, value in row.values.items()}
        form |= {f"{at}id": row.step["id"], f"{at}was": row.step["id"]}
        form |= {f"{at}type": row.step["type"]}
        form |= {f"{at}needs.{need}": "on" for need in row.step["needs"]}
    return form | {name.replace("__", "."): value for name, value in changes.items()}


def read(steps: Any) -> Any:
    return json.loads(schema_form.written(steps))


def test_inputs_of_steps_make_the_same_steps() -> None:
    assert read(sent(form_of(view(TEXT)))) == json.loads(TEXT)


def test_what_has_no_input_stays() -> None:
    steps = json.loads(TEXT)
    steps[0] |= {"retry": 2, "parallel": 3}
    steps[0]["with"]["source"] = {"type": "crawl", "url": "https://a.example/", "max_depth": 2}
    shown = view(schema_form.written(steps))
    assert read(sent(form_of(shown))) == steps


@pytest.mark.parametrize("type", [type for type, _ in step_rows.TYPES])
def test_a_step_of_each_type_is_added_behind_the_last(type: str) -> None:
    shown = again(form_of(view(TEXT), add="selected", **{"add-type": type}))
    added = shown.rows[-1].step
    assert len(shown.rows) == 4
    assert (added["type"], added["needs"]) == (type, ["once"])
    assert len({row.step["id"] for row in shown.rows}) == 4


def test_the_first_step_is_added_to_nothing() -> None:
    shown = again({"steps": "[]", "base": "[]", "add": "selected", "add-type": "extraction"})
    assert [row.values["source"] for row in shown.rows] == ["urls"]
    assert shown.graph is not None


def test_a_step_is_removed() -> None:
    shown = again(form_of(view(TEXT), remove="1"))
    assert [row.step["id"] for row in shown.rows] == ["read", "once"]
    assert shown.graph is not None


def test_edited_json_replaces_the_inputs() -> None:
    other = json.dumps(json.loads(TEXT)[:1])
    assert len(again(form_of(view(TEXT), steps=other)).rows) == 1


def test_fields_are_lines_where_a_schema_says_no_more() -> None:
    [row] = view(schema_form.written(json.loads(TEXT)[:1])).rows
    assert row.values["fields"] == "name: text\nprice: number"
    form = form_of(view(TEXT), step__0__fields="name\nseen: date")
    assert sent(form)[0]["with"]["schema"] == {
        "type": "object",
        "properties": {"name": {"type": "string"}, "seen": {"type": "string", "format": "date"}},
        "required": ["name"],
    }


def test_an_unknown_type_is_told_at_its_step() -> None:
    with pytest.raises(Invalid) as error:
        sent(form_of(view(TEXT), step__0__fields="name: words"))
    assert error.value.details[0]["field"] == "/step.0"


def test_what_is_refused_in_a_step_is_told_there() -> None:
    error = Invalid(details=[{"field": "/steps/1/with/value", "problem": "No."}])
    [told] = step_rows.at_steps(error, form_of(view(TEXT))).details
    assert told == {"field": "/step.1", "problem": "with/value: No."}


def test_steps_that_need_each_other_have_no_picture() -> None:
    steps: list[Mapping[str, Any]] = json.loads(TEXT)[:2]
    circle = [{**steps[0], "needs": ["cheap"]}, steps[1]]
    assert view(json.dumps(circle)).graph is None


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[7]",
        '[{"id": 1, "type": "filter"}]',
        '[{"id": "a", "type": "extraction", "with": {"source": "x"}}]',
        '[{"id": "a", "type": "extraction", "with": {"source": {"urls": [1]}}}]',
        '[{"id": "a", "type": "dedupe", "with": {"by": 7}}]',
        '[{"id": "a", "type": "filter", "needs": [[]]}]',
        "[" * 5_000 + "]" * 5_000,
        "[" * 500 + "]" * 500,
    ],
)
def test_what_is_no_list_of_steps_is_shown_as_text(text: str) -> None:
    shown = again({"steps": text, "base": "[]"})
    assert not shown.rows
    assert "steps" not in shown.text or text == shown.text


def test_every_operator_can_be_selected() -> None:
    assert [name for name, _ in step_rows.OPERATORS] == list(OPERATORS)


def test_a_form_of_steps_is_accepted_by_the_operation() -> None:
    body = job_forms.workflow(form_of(view(TEXT), step__1__value="50"))
    assert WorkflowIn().load(body)["steps"][1]["with"]["value"] == 50
