"""Forms of jobs: from what a browser sends to the body of a request, and back."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from app.core.errors import Invalid
from app.web.pages.records.forms import field_rows, schedules, schema_form, step_rows
from app.web.pages.records.forms.schema_form import SentSchema
from app.web.pages.records.forms.sources import given, number, source_of, values_of

Form = Mapping[str, str]

TEMPLATES: Final[Mapping[str, Mapping[str, Any]]] = {
    "product": {
        "name": {"type": "string"},
        "price": {"type": "number"},
        "currency": {"type": "string"},
        "available": {"type": "boolean"},
    },
    "article": {
        "title": {"type": "string"},
        "author": {"type": "string"},
        "published": {"type": "string", "format": "date"},
        "summary": {"type": "string"},
    },
    "event": {
        "name": {"type": "string"},
        "starts": {"type": "string", "format": "date-time"},
        "place": {"type": "string"},
        "price": {"type": "number"},
    },
}
"""Schemas to start from."""
OWN: Final = "own"
"""The name of a schema that one starts by oneself."""


STEPS: Final = (
    {
        "id": "read",
        "type": "extraction",
        "with": {
            "source": {"type": "urls", "urls": ["https://shop.example.org/lamps"]},
            "schema": {
                "type": "object",
                "properties": {"name": {"type": "string"}, "price": {"type": "number"}},
                "required": ["name"],
            },
        },
    },
    {
        "id": "cheap",
        "type": "filter",
        "needs": ["read"],
        "with": {"pointer": "/price", "operator": "lt", "value": 100},
    },
    {"id": "once", "type": "dedupe", "needs": ["cheap"], "with": {"by": ["/name"]}},
)
"""Steps to start from."""


def workflow_template() -> str:
    """Three steps as text."""
    return schema_form.written(STEPS)


def template(name: str) -> str:
    """The schema of this name as text; that of products for a name that is none."""
    if name == OWN:
        return ""
    properties = TEMPLATES.get(name, TEMPLATES["product"])
    required = next(iter(properties))
    schema = {"type": "object", "properties": properties, "required": [required]}
    return schema_form.written(schema)


Body = Mapping[str, Any]
_NONE: Final[Body] = {}


def extraction(form: Form, before: Body = _NONE) -> dict[str, Any]:
    """The body of an extraction; `before` is the request that was edited. Raises Invalid."""
    checks = {
        "sample_rate": number(form, "sample_rate"),
        "require_provenance": True if "require_provenance" in form else None,
    }
    validation, wanted = given(checks), schema_form.sent(form)
    data = field_rows.example_of(wanted.rows)
    examples = [{"url": form.get("example_url", ""), "data": data}] if data else []
    if "keep_examples" in form:
        examples += _examples(before, wanted)
    return given(
        {
            **_unseen(before, "extraction"),
            "type": "extraction",
            "source": source_of(form),
            "schema": wanted.schema,
            "examples": examples or None,
            "validation": validation or None,
            **_limits(form),
        }
    )


_SEEN: Final = frozenset(
    {
        *("source", "schema", "examples", "validation", "track", "schedule", "steps"),
        *("max_pages", "deadline"),
    }
)


def _unseen(before: Body, type: str) -> dict[str, Any]:
    """Returns what the form does not show of the request that was edited: it stays as it was."""
    if before.get("type") != type:
        return {}
    return {name: value for name, value in before.items() if name not in _SEEN}


def _examples(before: Body, wanted: SentSchema) -> list[dict[str, Any]]:
    """Examples of the edited request, under the names of now; of gone fields none."""
    renamed = {row.by: row.name for row in wanted.rows if row.on and row.by}
    if not wanted.rows:
        properties = wanted.schema.get("properties") if isinstance(wanted.schema, dict) else None
        renamed = {name: name for name in properties or ()}
    found = (
        (each["url"], {renamed[n]: value for n, value in each["data"].items() if n in renamed})
        for each in before.get("examples") or ()
    )
    return [{"url": url, "data": data} for url, data in found if data]


def monitor(form: Form, before: Body = _NONE) -> dict[str, Any]:
    """The body of a monitor. Raises Invalid."""
    wanted = schema_form.sent_or_none(form)
    return given(
        {
            **_unseen(before, "monitoring"),
            "type": "monitoring",
            "source": source_of(form),
            "schema": wanted.schema if wanted else None,
            "track": form.get("track", "").split() or None,
            "schedule": schedules.schedule_of(form),
            **_limits(form),
        }
    )


def workflow(form: Form, before: Body = _NONE) -> dict[str, Any]:
    """The body of a workflow. Raises Invalid."""
    steps = {"type": "workflow", "steps": step_rows.sent(form)}
    return given({**_unseen(before, "workflow"), **steps, **_limits(form)})


def _limits(form: Form) -> dict[str, Any]:
    return {"max_pages": number(form, "max_pages"), "deadline": form.get("deadline") or None}


_AT: Final = {
    "/source/url": "/address",
    "/source/query": "/query",
    "/source/max_depth": "/max_depth",
    "/source/include": "/include",
    "/source/exclude": "/exclude",
    "/validation/sample_rate": "/sample_rate",
    "/schedule/every": "/every",
    "/schedule/cron": "/cron",
    "/schedule/timezone": "/timezone",
}


def at_fields(error: Invalid, form: Form) -> Invalid:
    """Puts each problem that an operation refuses at the field of the form that it is about."""
    rows = field_rows.at_rows(step_rows.at_steps(error, form), field_rows.of_form(form))
    details = [{**each, "field": _field(each["field"], form)} for each in rows.details]
    return Invalid(details=details or [{"field": "/source", "problem": str(error)}])


def _field(pointer: str, form: Form) -> str:
    if pointer == "/schedule/cron" and form.get("when") != "cron":
        return "/at"
    for begins, name in _AT.items():
        if pointer.startswith(begins):
            return name
    return pointer


@dataclass(frozen=True, slots=True)
class Values:
    values: Mapping[str, Any]

    def __getitem__(self, name: str) -> Any:
        return self.values.get(name, "")


def of(body: Mapping[str, Any]) -> Values:
    return Values(dict(_fields(body)))


def _fields(body: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    source, schedule = body.get("source") or {}, body.get("schedule") or {}
    checks = body.get("validation") or {}
    yield from values_of(source)
    for name in ("schema", "steps"):
        if body.get(name):
            yield name, schema_form.written(body[name])
    yield "examples", [each["url"] for each in body.get("examples") or ()]
    yield "track", "\n".join(body.get("track") or ())
    yield from schedules.values_of(schedule).items()
    yield "sample_rate", checks.get("sample_rate") or ""
    yield "require_provenance", checks.get("require_provenance", False)
    yield "max_pages", body.get("max_pages", "")
    yield "deadline", body.get("deadline", "")
