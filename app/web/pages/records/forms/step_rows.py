"""The steps of a workflow as parts of a form, and as JSON: two views of one thing."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from graphlib import CycleError
from typing import Any, Final

from markupsafe import Markup

from app.core.errors import Invalid
from app.web.charts import step_graph
from app.web.pages.records.forms import field_rows, schema_form, sources
from app.web.pages.records.forms.field_rows import FieldRow, Form

Step = Mapping[str, Any]

TYPES: Final = (
    ("search", "Search"),
    ("extraction", "Extract records"),
    ("filter", "Filter"),
    ("dedupe", "Remove duplicates"),
    ("validate", "Check a sample"),
)
OPERATORS: Final = (
    ("eq", "is"),
    ("ne", "is not"),
    ("lt", "is less than"),
    ("le", "is at most"),
    ("gt", "is more than"),
    ("ge", "is at least"),
    ("contains", "contains"),
    ("exists", "exists (true or false)"),
    ("matches", "matches the pattern"),
)
FROM_NEEDS: Final = "needs"
"""The source of an extraction that reads the addresses in the results of earlier steps."""
SOURCES: Final = ((FROM_NEEDS, "Addresses in the results of earlier steps"), *sources.SOURCES)
_NEW: Final[Mapping[str, Mapping[str, Any]]] = {
    "search": {"query": ""},
    "extraction": {"schema": {"type": "object", "properties": {}}},
    "filter": {"pointer": "/price", "operator": "lt", "value": 100},
    "dedupe": {"by": ["/name"]},
    "validate": {"rate": 0.1},
}
_MOST_STEPS: Final = 30
_ID: Final = re.compile(r"step\.([0-9]{1,3})\.id", re.ASCII)


@dataclass(frozen=True, slots=True)
class StepRow:
    """A step of a form; `values` are its inputs by name, `others` the steps that it may need."""

    n: int
    step: Step
    values: Mapping[str, Any]
    others: Sequence[str]


@dataclass(frozen=True, slots=True)
class StepsView:
    """Rows, the same as JSON, and their picture."""

    rows: Sequence[StepRow]
    text: str
    graph: Markup | None


def view(text: str) -> StepsView:
    """Both views of steps that nobody has changed; of what is no list of steps, only the text."""
    whole = [{"needs": [], "with": {}, **step} for step in _steps_of(text)[:_MOST_STEPS]]
    ids = [step["id"] for step in whole]
    rows = [StepRow(n, step, dict(_values(step)), ids[:n]) for n, step in enumerate(whole)]
    return StepsView(rows, text, _graph(whole))


def _steps_of(text: str) -> list[dict[str, Any]]:
    try:
        steps = schema_form.loaded(text)
    except (ValueError, RecursionError):
        return []
    return steps if _are_steps(steps) else []


def _are_steps(value: Any) -> bool:
    known = {type for type, _ in TYPES}
    return isinstance(value, list) and all(
        isinstance(step, dict)
        and isinstance(step.get("id"), str)
        and step.get("type") in known
        and _are_texts(step.get("needs", []))
        and isinstance(step.get("with", {}), dict)
        and _is_shaped(step.get("with", {}))
        for step in value[:_MOST_STEPS]
    )


def _is_shaped(given: Mapping[str, Any]) -> bool:
    """True if what has inputs of its own inside has the form that they are made of."""
    source, schema = given.get("source", {}), given.get("schema", {})
    return (
        isinstance(source, dict)
        and isinstance(schema, dict)
        and all(_are_texts(source.get(name, [])) for name in ("urls", "include", "exclude"))
        and _are_texts(given.get("by", []))
        and isinstance(source.get("url", ""), str)
    )


def _are_texts(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(each, str) for each in value)


def _values(step: Step) -> Iterator[tuple[str, Any]]:
    given = step["with"]
    if step["type"] == "extraction":
        source = given.get("source")
        values = dict(sources.values_of(source or {}))
        yield from (values if source else {**values, "source": FROM_NEEDS}).items()
        yield "url", given.get("url", "/url")
        yield "fields", _fields_text(given.get("schema") or {})
    for name in ("query", "most", "pointer", "operator", "rate"):
        if name in given:
            yield name, given[name]
    if "value" in given:
        yield "value", field_rows.written(given["value"])
    if "by" in given:
        yield "by", " ".join(map(str, given["by"]))


def _fields_text(schema: Mapping[str, Any]) -> str:
    """`name: type` on a line for each field; JSON where a schema says more than that."""
    rows = field_rows.of_schema(schema)
    lines = "\n".join(f"{row.name}: {row.type}" for row in rows)
    plain = field_rows.schema_of(rows, {}) if rows else {}
    said = plain.get("properties") == schema.get("properties")
    return lines if said else schema_form.written(schema)


def _graph(steps: Sequence[Step]) -> Markup | None:
    ids = [step["id"] for step in steps]
    if not ids or len(set(ids)) < len(ids):
        return None
    drafts = [
        {
            "id": step["id"],
            "type": step["type"],
            "needs": [need for need in step["needs"] if need in ids],
            "state": "draft",
            "items_in": None,
            "items_out": None,
        }
        for step in steps
    ]
    try:
        return step_graph.graph(drafts, down=True)
    except CycleError:
        return None


def sent(form: Form) -> list[Any]:
    """The steps of a form. Raises Invalid."""
    numbers = _numbers(form)
    text, base = form.get("steps", ""), form.get("base", "")
    if not numbers or schema_form.is_edited(text, base):
        steps = schema_form.json_of(form, "steps")
        return steps if isinstance(steps, list) else [steps]
    before = {step["id"]: step for step in _steps_of(base)}
    return [_sent_at(form, n, before) for n in numbers]


def _sent_at(form: Form, n: int, before: Mapping[str, Step]) -> dict[str, Any]:
    try:
        return _sent(_part(form, n), before)
    except Invalid as error:
        told = [{**detail, "field": f"/step.{n}"} for detail in error.details]
        raise Invalid(details=told) from None


def _numbers(form: Form) -> list[int]:
    found = sorted({int(match[1]) for key in form if (match := _ID.fullmatch(key))})
    return found[:_MOST_STEPS]


def _part(form: Form, n: int) -> dict[str, str]:
    begins = f"step.{n}."
    return {key.removeprefix(begins): text for key, text in form.items() if key.startswith(begins)}


def _sent(form: Form, before: Mapping[str, Step]) -> dict[str, Any]:
    """A step as its inputs have it; what has no input stays as it was."""
    former = before.get(form.get("was", ""), {})
    type = form.get("type", "")
    known = former.get("with", {}) if former.get("type") == type else {}
    needs = [key.removeprefix("needs.") for key in form if key.startswith("needs.")]
    kept = {key: value for key, value in known.items() if key not in ("source", "url")}
    return {
        **former,
        "id": form.get("id", "").strip(),
        "type": type,
        **({"needs": needs} if needs or "needs" in former else {}),
        "with": {**kept, **dict(_with(type, form, known))},
    }


def _with(type: str, form: Form, known: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    if type == "search":
        yield "query", form.get("query", "")
    if type == "filter":
        yield "pointer", form.get("pointer", "")
        yield "operator", form.get("operator", "")
        yield "value", _scalar(form.get("value", ""))
    if type == "dedupe":
        yield "by", form.get("by", "").split()
    if type == "validate":
        yield "rate", _scalar(form.get("rate", ""))
    if type == "extraction":
        yield "schema", _schema(form.get("fields", ""), known.get("schema") or {})
        if form.get("source") == FROM_NEEDS:
            yield "url", form.get("url", "")
        else:
            given, now = known.get("source", {}), sources.source_of(form)
            yield "source", {**given, **now} if given.get("type") == now["type"] else now


def _scalar(text: str) -> Any:
    """A number, true, false or null as such; else a text."""
    try:
        value = schema_form.loaded(text)
    except (ValueError, RecursionError):
        return text
    return text if isinstance(value, dict | list) else value


def _schema(text: str, former: Mapping[str, Any]) -> Any:
    """The schema of lines of names and types, or of JSON. Raises Invalid."""
    if text.lstrip().startswith("{"):
        return schema_form.json_of({"fields": text}, "fields")
    types: dict[str, str] = {}
    for line in text.splitlines():
        name, _, type = line.partition(":")
        if name.strip():
            types[name.strip()] = type.strip().lower() or "text"
    if unknown := sorted(set(types.values()) - field_rows.TYPES.keys()):
        problem = f"Unknown type {unknown[0]}. Use one of {', '.join(field_rows.TYPES)}."
        raise Invalid.at("/fields", problem)
    rows = [FieldRow(n, name, name, type=types[name]) for n, name in enumerate(types)]
    return field_rows.schema_of(rows, former)


def again(form: Form) -> StepsView:
    """The steps that were sent, with the one that is to be added and without the one to be removed.

    As they were before where they cannot be read.
    """
    try:
        steps = sent(form)
    except Invalid:
        return view(form.get("steps", ""))
    removed = form.get("remove", "")
    if removed.isdecimal() and removed.isascii():
        steps = [step for n, step in zip(_numbers(form), steps, strict=False) if str(n) != removed]
    if "add" in form and form.get("add-type") in _NEW:
        steps.append(_new(form["add-type"], steps))
    return view(schema_form.written(steps))


def _new(type: str, steps: Sequence[Any]) -> dict[str, Any]:
    """A step behind the last one, under a name that none has."""
    ids = [step.get("id") for step in steps if isinstance(step, dict)]
    names = (f"{type}{n or ''}" for n in range(len(ids) + 1) if n != 1)
    own = next(name for name in names if name not in ids)
    step = {"id": own, "type": type, "with": dict(_NEW[type])}
    if ids:
        return {**step, "needs": [ids[-1]]}
    if type == "extraction":
        return {**step, "with": {"source": {"type": "urls", "urls": []}, **_NEW[type]}}
    return step


def at_steps(error: Invalid, form: Form) -> Invalid:
    numbers = dict(enumerate(_numbers(form)))
    return Invalid(details=[_at_step(detail, numbers) for detail in error.details])


def _at_step(detail: Mapping[str, str], numbers: Mapping[int, int]) -> dict[str, str]:
    _, _, rest = detail["field"].partition("/steps/")
    place, _, inner = rest.partition("/")
    if place.isdecimal() and place.isascii() and int(place) in numbers:
        text = f"{inner}: {detail['problem']}" if inner else detail["problem"]
        return {"field": f"/step.{numbers[int(place)]}", "problem": text}
    return dict(detail)
