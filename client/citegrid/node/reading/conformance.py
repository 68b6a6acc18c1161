"""The check of a record against its schema, safe from what a schema could abuse."""

from collections.abc import Mapping
from typing import Any, Final

from jsonschema import Draft202012Validator
from jsonschema.exceptions import SchemaError
from jsonschema.validators import extend

# Patterns can take exponential time, references can lead to other hosts; the server checks both.
_UNCHECKED: Final = ("pattern", "patternProperties", "$ref", "$dynamicRef", "multipleOf")
_VALIDATOR: Final = extend(Draft202012Validator, {name: lambda *_: None for name in _UNCHECKED})


def problem(data: Any, schema: Mapping[str, Any]) -> str | None:
    """Returns where a record breaks its schema, by pointer and keyword; None where it keeps it.

    No value stands in it: it may end in a log.
    """
    try:
        error = next(_VALIDATOR(schema).iter_errors(data), None)
    except (SchemaError, TypeError, ValueError, KeyError, AttributeError, RecursionError):
        return None
    if error is None:
        return None
    pointer = "".join(f"/{part}" for part in error.absolute_path)
    return f"{pointer or '/'} breaks {error.validator}"
