"""The schema of records in forms: as rows of fields and as JSON, two views of one thing."""

import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final

from app.core.errors import Invalid
from app.web.pages.records.forms import field_rows
from app.web.pages.records.forms.field_rows import FieldRow, Form

_BLANK_ROWS: Final = 3
_DEEPEST: Final = 100
# Structure alone: no text of JSON holds a line break.
_INNERMOST: Final = re.compile(r"[\[{]\n[^\[\]{}]{1,160}?\n\s*[\]}]")
_BREAK: Final = re.compile(r"\n\s*")


@dataclass(frozen=True, slots=True)
class SentSchema:
    """A schema, and the rows that it was made of: none where its JSON was edited, which counts."""

    schema: Any
    rows: Sequence[FieldRow] = ()


@dataclass(frozen=True, slots=True)
class SchemaView:
    """Both views, as a form shows them. `text` is the JSON, `base` as it was when the rows were
    made; `example_url` is the page whose values the rows show, if they show any.
    """

    rows: Sequence[FieldRow] = ()
    base: str = ""
    text: str = ""
    example_url: str = ""

    @property
    def blanks(self) -> list[FieldRow]:
        """Rows to fill in, below those that are there."""
        first = max((row.n for row in self.rows), default=-1) + 1
        count = 1 if self.rows else _BLANK_ROWS
        return [FieldRow(n) for n in range(first, first + count)]


def sent(form: Form) -> SentSchema:
    """Raises Invalid for a text that is no JSON, and for a name that stands twice."""
    rows, base = field_rows.of_form(form), form.get("base", "")
    if not rows or is_edited(form.get("schema", ""), base):
        return SentSchema(json_of(form, "schema"))
    before = _parsed(base)
    return SentSchema(field_rows.schema_of(rows, before if isinstance(before, dict) else {}), rows)


def sent_or_none(form: Form) -> SentSchema | None:
    """None where neither view says anything. Raises Invalid."""
    named = any(row.on for row in field_rows.of_form(form))
    return sent(form) if named or form.get("schema", "").strip() else None


def is_edited(text: str, base: str) -> bool:
    """True if JSON says something else than the text that it was shown as."""
    if text.split() == base.split():
        return False
    parsed = _parsed(text)
    return parsed is None or parsed != _parsed(base)


def _parsed(text: str) -> Any:
    """None of what is no JSON."""
    try:
        return loaded(text)
    except (ValueError, RecursionError):
        return None


def loaded(text: str) -> Any:
    """JSON that can be written again. Raises ValueError, or RecursionError for what is too deep."""
    value = json.loads(text)
    level, depth = [value], 0
    while level := [inner for each in level for inner in _inside(each)]:
        depth += 1
        if depth > _DEEPEST:
            raise RecursionError
    return value


def _inside(value: Any) -> Iterable[Any]:
    return value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()


def view(text: str) -> SchemaView:
    """Both views of a schema that nobody has changed yet; an empty one of no text."""
    schema = _parsed(text)
    rows = field_rows.of_schema(schema) if isinstance(schema, dict) else []
    return SchemaView(rows, text, text)


def again(form: Form) -> SchemaView:
    """Both views of what was sent, made the same; as they were sent where that is not possible."""
    url = form.get("example_url", "")
    try:
        found = sent_or_none(form)
    except Invalid:
        base, text = form.get("base", ""), form.get("schema", "")
        return SchemaView(field_rows.of_form(form), base, text, url)
    if found is None:
        return SchemaView(example_url=url)
    text = written(found.schema)
    if not found.rows:
        return view(text)
    return SchemaView(field_rows.kept(found.rows, found.schema), text, text, url)


def json_of(form: Form, name: str) -> Any:
    """The JSON in a field. Raises Invalid."""
    try:
        return loaded(form.get(name, ""))
    except RecursionError:
        problem = "The JSON is nested too deeply."
    except json.JSONDecodeError as error:
        problem = f"Invalid JSON: {error.msg} at line {error.lineno}, column {error.colno}."
    except ValueError:
        problem = "Invalid JSON."
    raise Invalid.at(f"/{name}", problem)


def written(value: Any) -> str:
    """JSON that people read: what has nothing inside stands on one line."""
    text = json.dumps(value, indent=2, ensure_ascii=False)
    return _INNERMOST.sub(_on_one_line, text)


def _on_one_line(found: re.Match[str]) -> str:
    inner = _BREAK.sub(" ", found[0][1:-1].strip())
    return f"{found[0][0]}{inner}{found[0][-1]}"
