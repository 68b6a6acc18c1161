"""The check of a record against its schema, by `jsonschema`, of which no part runs out of time.

Only plans get here: patterns run in RE2, formats are our own, and what the library does in floats
or in squares (`multipleOf`, `uniqueItems`) is done exactly and once.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from typing import Any

from jsonschema import Draft202012Validator, FormatChecker, ValidationError
from jsonschema.validators import extend

from app.engine.extraction.schema.formats import accepts
from app.engine.extraction.schema.keywords import is_multiple, is_number
from app.engine.extraction.schema.patterns import matches
from app.engine.extraction.schema.schema import Plan
from app.engine.extraction.text import forms
from app.engine.extraction.text.json_pointer import escaped

_MOST_CHARACTERS = 200
_MOST = 100  # of one record


@dataclass(frozen=True, slots=True)
class SchemaViolation(forms.JsonForm):
    """A keyword of the schema that the value at `pointer` does not keep. `actual` is the value as
    JSON, cut to 200 characters; nothing for a required value that is missing."""

    pointer: str
    keyword: str
    expected: Any
    actual: str | None

    @classmethod
    def from_json(cls, form: object) -> "SchemaViolation":
        """Raises Malformed."""
        return cls(
            pointer=forms.text(form, "pointer", forms.LONGEST_QUOTE),
            keyword=forms.text(form, "keyword", _MOST_CHARACTERS),
            expected=forms.json_value(forms.member(form, "expected")),
            actual=forms.optional_text(form, "actual", _MOST_CHARACTERS),
        )


def unsatisfied(plan: Plan, data: Any) -> list[SchemaViolation]:
    """Lists what a record does not keep of its schema, in its order; 100 at most."""
    errors = islice(_validator(plan.canonical).iter_errors(data), _MOST)
    return [
        SchemaViolation(
            pointer="".join(f"/{escaped(str(part))}" for part in error.absolute_path),
            keyword=str(error.validator),
            expected=error.validator_value,
            actual=_shown(error),
        )
        for error in errors
    ]


Errors = Iterator[ValidationError]


def _pattern(_: Any, pattern: str, value: Any, schema: Mapping[str, Any]) -> Errors:
    if isinstance(value, str) and not matches(pattern, value):
        yield ValidationError("pattern")


def _format(_: Any, name: str, value: Any, schema: Mapping[str, Any]) -> Errors:
    if isinstance(value, str) and not accepts(name, value):
        yield ValidationError("format")


def _required(_: Any, names: list[str], value: Any, schema: Mapping[str, Any]) -> Errors:
    if isinstance(value, dict):
        for name in names:
            if name not in value:
                yield ValidationError("required", path=[name], validator_value=True)


def _multiple_of(_: Any, step: float, value: Any, schema: Mapping[str, Any]) -> Errors:
    if is_number(value) and not is_multiple(value, step):
        yield ValidationError("multipleOf")


def _unique_items(_: Any, wanted: bool, value: Any, schema: Mapping[str, Any]) -> Errors:
    if wanted and isinstance(value, list) and len({_key(item) for item in value}) < len(value):
        yield ValidationError("uniqueItems")


def _key(value: Any) -> Any:
    """Returns what equal JSON values have in common: 1 and 1.0, but not 1 and true."""
    if isinstance(value, list):
        return ("array", tuple(_key(item) for item in value))
    if isinstance(value, dict):
        return ("object", frozenset((name, _key(item)) for name, item in value.items()))
    return (type(value) is bool, value)


_Validator = extend(
    Draft202012Validator,
    {
        "pattern": _pattern,
        "format": _format,
        "required": _required,
        "multipleOf": _multiple_of,
        "uniqueItems": _unique_items,
    },
)


@lru_cache(maxsize=256)
def _validator(canonical: str) -> Any:
    return _Validator(json.loads(canonical), format_checker=FormatChecker(()))


def _shown(error: ValidationError) -> str | None:
    if error.validator == "required":
        return None
    value = error.instance
    if isinstance(value, str | list):
        value = value[:_MOST_CHARACTERS]
    return json.dumps(value, ensure_ascii=False, default=str)[:_MOST_CHARACTERS]
