"""The form of a campaign: from its fields to a request, and from what is wrong to its fields."""

import re
from collections.abc import Callable, Mapping
from typing import Any, Final

from werkzeug.datastructures import MultiDict

from app.core.errors import Invalid
from app.web.frame.sent_forms import whole
from app.web.pages.records.forms import field_rows, schedules, schema_form

_LOCAL: Final = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d)?", re.ASCII)
_GROUPS: Final = ("data_requirements", "reward_budget", "validation")


def request_of(form: MultiDict[str, str]) -> dict[str, Any]:
    """The body of createCampaign. Raises Invalid for a schema that is none."""
    body = {
        "name": form.get("name", ""),
        "objective": form.get("objective", ""),
        "data_requirements": {
            "sources": form.getlist("sources"),
            "freshness": form.get("freshness", ""),
            "records_target": whole(form.get("records_target", "")),
        },
        "reward_budget": {"token": form.get("token", ""), "amount": form.get("amount", "")},
        "validation": {
            "min_validators": whole(form.get("min_validators", "")),
            "require_citations": "require_citations" in form,
        },
    }
    optional: dict[str, Callable[[str], Any]] = {"starts_at": _time, "ends_at": _time}
    for name, read in optional.items():
        if text := form.get(name, "").strip():
            body[name] = read(text)
    if cadence := schedules.interval_of(form).strip():
        body["cadence"] = cadence
    if (wanted := schema_form.sent_or_none(form)) is not None:
        body["schema"] = wanted.schema
    return body


def _time(text: str) -> str:
    """Fields of forms have no zone: this one is labelled UTC."""
    if not _LOCAL.fullmatch(text):
        return text
    return f"{text}Z" if len(text) > len("2026-11-22T15:04") else f"{text}:00Z"


def at_fields(error: Invalid, form: Mapping[str, str]) -> Invalid:
    """Puts what is wrong with a member of a group at the field of that name."""
    rows = field_rows.at_rows(error, field_rows.of_form(form))
    return Invalid(details=[_at_field(detail) for detail in rows.details])


def _at_field(detail: Mapping[str, str]) -> dict[str, str]:
    if detail["field"] == "/cadence":
        return {**detail, "field": "/every"}
    group, _, member = detail["field"].removeprefix("/").partition("/")
    field = f"/{member}" if group in _GROUPS and member else detail["field"]
    return {"field": field, "problem": detail["problem"]}
