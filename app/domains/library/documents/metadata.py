"""Metadata of a document, as its owner describes it, and the filter of searches by it."""

import math
import re
from datetime import UTC, datetime
from typing import Any, Final
from uuid import UUID

from marshmallow import Schema, ValidationError, validates_schema

from app.core.http import fields
from app.core.http.fields import Flag, FullMatch, Items, Part, Text
from app.engine.search.interface import MetadataFilter

MOST_FIELDS: Final = 20
MOST_CONDITIONS: Final = 20
MOST_ALTERNATIVES: Final = 100
_MOST_CHARACTERS: Final = 200
_MOST_NUMBER: Final = 10**15  # as it is in every language that reads JSON

_NAME: Final = r"[a-z][a-z0-9_]{0,39}"
_TIME: Final = re.compile(
    r"\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(\.\d{1,9})?([Zz]|[+-]\d\d:\d\d)", re.ASCII
)
_TEXT: Final = Text(most=_MOST_CHARACTERS)
_TEXT_SCHEMA: Final = {"type": "string", **_TEXT.metadata}
_NUMBER_SCHEMA: Final = {"type": "number", "minimum": -_MOST_NUMBER, "maximum": _MOST_NUMBER}


class MetadataValue(fields.Raw):
    """A text, a number, or true or false. Times with an offset load as UTC, to the second, so that
    they compare as texts do (RFC 3339, section 5.1); so do dates.
    """

    def __init__(self, *, flags: bool = True, **kwargs: Any) -> None:
        forms = [_TEXT_SCHEMA, _NUMBER_SCHEMA, *([{"type": "boolean"}] if flags else [])]
        super().__init__(anyOf=forms, **kwargs)
        self._flags = flags

    def _deserialize(self, value: Any, attr: Any, data: Any, **kwargs: Any) -> Any:
        if isinstance(value, bool) and self._flags:
            return value
        if isinstance(value, str):
            return _in_utc(_TEXT.deserialize(value))
        if isinstance(value, int | float) and not isinstance(value, bool):
            if math.isfinite(value) and abs(value) <= _MOST_NUMBER:
                return value
            raise ValidationError(f"Must be a number from -{_MOST_NUMBER} to {_MOST_NUMBER}.")
        raise ValidationError(
            "Must be a text, a number, true or false."
            if self._flags
            else "Must be a text or a number."
        )


def _in_utc(text: str) -> str:
    if not _TIME.fullmatch(text):
        return text
    try:
        at = datetime.fromisoformat(text.upper()).astimezone(UTC)
    except (ValueError, OverflowError):
        return text
    return at.replace(tzinfo=None).isoformat(timespec="seconds") + "Z"


_VALUE: Final = MetadataValue()


class DocumentMetadata(fields.Dict):
    """Up to 20 values by name."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(
            type="object",
            maxProperties=MOST_FIELDS,
            propertyNames={"pattern": f"^{_NAME}$"},
            additionalProperties={"anyOf": _VALUE.metadata["anyOf"]},
            example={"year": 2026, "team": "birds"},
            **kwargs,
        )

    def _deserialize(self, value: Any, attr: Any, data: Any, **kwargs: Any) -> Any:
        if not isinstance(value, dict):
            raise ValidationError("Must be an object.")
        if len(value) > MOST_FIELDS:
            raise ValidationError(f"Must have at most {MOST_FIELDS} fields.")
        if any(re.fullmatch(_NAME, name, re.ASCII) is None for name in value):
            raise ValidationError("Names must be 1 to 40 of a-z 0-9 _, a letter first.")
        return {name: _loaded(name, each) for name, each in value.items()}


def _loaded(name: str, value: Any) -> Any:
    try:
        return _VALUE.deserialize(value)
    except ValidationError as error:
        raise ValidationError({name: error.messages}) from None


class ConditionIn(Schema):
    """A condition on a field of the metadata; all that it names must hold."""

    field = fields.Str(required=True, validate=FullMatch(rf"^{_NAME}\Z"), examples=["year"])
    eq = MetadataValue()
    in_ = Items(MetadataValue(), least=1, most=MOST_ALTERNATIVES, data_key="in", attribute="in")
    gt = MetadataValue(flags=False, description="Later, for dates such as 2026-11-26.")
    lt = MetadataValue(flags=False)
    exists = Flag()

    @validates_schema
    def _says_something(self, data: dict[str, Any], **_: Any) -> None:
        if len(data) < 2:
            raise ValidationError("Must have at least one of eq, in, gt, lt and exists.")


class FilterIn(Schema):
    """Conditions of which all must hold."""

    and_ = Items(
        Part(ConditionIn),
        least=1,
        most=MOST_CONDITIONS,
        required=True,
        data_key="and",
        attribute="and",
    )


_OPERATORS: Final = {"eq": "==", "in": "==", "gt": ">", "lt": "<"}


def metadata_filter(account_id: UUID, loaded: dict[str, Any]) -> MetadataFilter:
    """The filter that a loaded `FilterIn` is, as an SQL/JSON path (ISO/IEC 9075-2:2016).

    Names are those that `ConditionIn` takes; values never become part of the path. A comparison of
    unlike types is unknown, so the document is left out.
    """
    terms: list[str] = []
    values: dict[str, Any] = {}
    for condition in loaded["and"]:
        member = f'$."{condition["field"]}"'
        for name, operator in _OPERATORS.items():
            if name in condition:
                variable = f"v{len(values)}"
                values[variable] = condition[name]
                terms.append(f"({member} {operator} ${variable}{'[*]' * (name == 'in')})")
        if "exists" in condition:
            terms.append(f"({'' if condition['exists'] else '!'}exists({member}))")
    return MetadataFilter(account_id, " && ".join(terms), values)
