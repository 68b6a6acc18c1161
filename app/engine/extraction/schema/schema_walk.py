"""The rules of a record schema: a bounded walk that names what it refuses and inlines `$ref`."""

from dataclasses import dataclass, field
from typing import Any, Final
from urllib.parse import unquote

from app.engine.extraction.schema.keywords import (
    ANNOTATIONS,
    FORMATS,
    KEYWORDS,
    TYPES,
    empty_bounds,
    kind_of,
    shape_problem,
)
from app.engine.extraction.schema.patterns import PatternRefused, compiled
from app.engine.extraction.schema.schema_size import Problem
from app.engine.extraction.text.json_pointer import escaped

MAX_NODES: Final = 200
MAX_LEVELS: Final = 5
MAX_PATTERNS: Final = 20
MAX_STATES: Final = 24_000  # of all patterns together, compiled
_MAX_HOPS: Final = 8  # from a `$ref` to what it means
_MAX_PROBLEMS: Final = 20
_MAX_NAME: Final = 100
_DEFS = "#/$defs/"


class _Enough(Exception):
    """Raised when what was seen suffices to refuse the schema."""


@dataclass(slots=True)
class Walk:
    """A schema being read. `warnings` and `problems` grow; a problem means it is refused."""

    root: dict[str, Any]
    problems: list[Problem] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    _nodes: int = 0
    _patterns: int = 0
    _states: int = 0

    def inlined(self) -> dict[str, Any]:
        """The schema without references and annotations; nothing to rely on after a problem."""
        try:
            clean = self._node(self.root, "", 0, ())
        except _Enough:
            return {}
        if not self.problems and kind_of(clean) != "object":
            self._problem("", "A record is an object: the schema has to name its properties.")
        return clean

    def _problem(self, at: str, sentence: str) -> None:
        self.problems.append((at, sentence))
        if len(self.problems) >= _MAX_PROBLEMS:
            raise _Enough

    def _node(self, raw: Any, at: str, level: int, inside: tuple[str, ...]) -> dict[str, Any]:
        self._nodes += 1
        if self._nodes > MAX_NODES:
            self._problem("", f"The schema has more than {MAX_NODES} parts, references inlined.")
            raise _Enough
        parts = _Parts()
        inside = self._follow(raw, at, inside, parts)
        clean = {name: value for name, (value, _) in parts.said.items() if name in _KEPT}
        self._check(parts, at)
        kind = self._type(parts, at, clean)
        if kind == "object":
            self._object(parts, at, level + 1, inside, clean)
        elif kind == "array" and "items" in clean:
            clean["items"] = self._items(parts, level, inside)
        return clean

    def _follow(
        self, raw: Any, at: str, inside: tuple[str, ...], parts: "_Parts"
    ) -> tuple[str, ...]:
        """Gather what a node says, what its `$ref` means and the `X` of `anyOf [X, null]`."""
        for _ in range(_MAX_HOPS):
            if not isinstance(raw, dict):
                self._problem(at, "A schema has to be a JSON object.")
                return inside
            for keyword, value in raw.items():
                if sentence := parts.take(keyword, value, f"{at}/{_escaped(keyword)}"):
                    self._problem(f"{at}/{_escaped(keyword)}", sentence)
            if "$ref" in raw:
                raw, at, inside = self._target(raw["$ref"], f"{at}/$ref", inside)
            elif "anyOf" in raw:
                raw, at = self._not_null(raw["anyOf"], f"{at}/anyOf", parts)
            else:
                return inside
        self._problem(at, f"This is more than {_MAX_HOPS} references away from what it means.")
        raise _Enough

    def _target(
        self, reference: Any, at: str, inside: tuple[str, ...]
    ) -> tuple[Any, str, tuple[str, ...]]:
        definitions = self.root.get("$defs")
        name = reference[len(_DEFS) :] if isinstance(reference, str) else ""
        name = unquote(name).replace("~1", "/").replace("~0", "~")
        if not isinstance(reference, str) or not reference.startswith(_DEFS):
            self._problem(at, 'A reference has to point into "#/$defs/".')
        elif not isinstance(definitions, dict) or name not in definitions:
            self._problem(at, "There is no such definition in $defs.")
        elif name in inside:
            self._problem(at, "The definition refers to itself; a record has an end.")
        else:
            return definitions[name], f"/$defs/{_escaped(name)}", (*inside, name)
        raise _Enough

    def _not_null(self, choices: Any, at: str, parts: "_Parts") -> tuple[Any, str]:
        null = {"type": "null"}
        if isinstance(choices, list) and len(choices) == 2 and null in choices:
            i = 0 if choices[1] == null else 1
            if choices[i] != null:
                for keyword in parts.said.keys() & {"type", "enum", "const"}:
                    self._problem(at, f"{keyword} has to stand inside the first choice.")
                parts.nullable = True
                return choices[i], f"{at}/{i}"
        self._problem(at, 'anyOf may only be [a schema, {"type": "null"}].')
        raise _Enough

    def _check(self, parts: "_Parts", at: str) -> None:
        """Each keyword by itself."""
        for keyword, (value, where) in parts.said.items():
            if keyword == "$defs" and where == "/$defs":
                continue
            if sentence := shape_problem(keyword, value):
                self._problem(where, sentence)
        for keyword, sentence in empty_bounds({name: x for name, (x, _) in parts.said.items()}):
            self._problem(parts.said[keyword][1], sentence)
        if "default" in parts.said:
            self.warnings.append(f"{at or '/'}: a default is ignored, values come from pages only.")
        self._check_format(parts, at)
        self._check_pattern(parts)

    def _check_format(self, parts: "_Parts", at: str) -> None:
        name, _ = parts.said.get("format", ("date", ""))
        if isinstance(name, str) and name not in FORMATS:
            self.warnings.append(f"{at or '/'}: the format {name[:40]!r} is unknown and ignored.")

    def _check_pattern(self, parts: "_Parts") -> None:
        pattern, where = parts.said.get("pattern", (None, ""))
        if not isinstance(pattern, str):
            return
        self._patterns += 1
        if self._patterns > MAX_PATTERNS:
            self._problem(where, f"The schema has more than {MAX_PATTERNS} patterns.")
            raise _Enough
        try:
            self._states += compiled(pattern).programsize
        except PatternRefused as refused:  # it took long to find out: no further one is tried
            self._problem(where, str(refused))
            raise _Enough from None
        if self._states > MAX_STATES:
            self._problem(where, "The patterns are too large together: shorten their repetitions.")
            raise _Enough

    def _type(self, parts: "_Parts", at: str, clean: dict[str, Any]) -> str | None:
        """The type as stated, else the one that its keywords are for."""
        stated, where = parts.said.get("type", (None, at))
        names = stated if isinstance(stated, list) else [stated] if stated is not None else []
        kinds = [name for name in names if name != "null"]
        if names and (len(kinds) != 1 or kinds[0] not in TYPES or len(names) > 2):
            self._problem(where, f'A type is one of {", ".join(TYPES)}, or [one, "null"].')
            return None
        if parts.nullable:
            _allow_null(clean, kinds)
        if kinds:
            return str(kinds[0])
        return kind_of(clean)

    def _object(
        self,
        parts: "_Parts",
        at: str,
        level: int,
        inside: tuple[str, ...],
        clean: dict[str, Any],
    ) -> None:
        properties, where = parts.said.get("properties", (None, at))
        if not isinstance(properties, dict) or not properties:
            self._problem(where, "An object has to name its properties.")
            return
        if level > MAX_LEVELS:
            self._problem(at, f"Objects may stand {MAX_LEVELS} deep in each other.")
            raise _Enough
        self._check_required(parts, properties)
        clean["properties"] = {}
        for name, raw in properties.items():
            below = f"{where}/{_escaped(name)}"
            if not 0 < len(name) <= _MAX_NAME:
                self._problem(below, f"A name has 1 to {_MAX_NAME} characters.")
            clean["properties"][name] = self._node(raw, below, level, inside)
        lists = [name for name, node in clean["properties"].items() if _of_objects(node)]
        for name in lists[1:]:
            sentence = "An object may hold one array of objects; this is a second one."
            self._problem(f"{where}/{_escaped(name)}", sentence)

    def _check_required(self, parts: "_Parts", properties: dict[str, Any]) -> None:
        required, where = parts.said.get("required", ([], ""))
        for i, name in enumerate(required if isinstance(required, list) else ()):
            if isinstance(name, str) and name not in properties:
                self._problem(f"{where}/{i}", f"{name[:40]!r} is required, but not a property.")

    def _items(self, parts: "_Parts", level: int, inside: tuple[str, ...]) -> dict[str, Any]:
        raw, where = parts.said["items"]
        clean = self._node(raw, where, level, inside)
        if kind_of(clean) == "array":
            self._problem(where, "An array of arrays cannot be read from a page.")
        return clean


@dataclass(slots=True)
class _Parts:
    """The content of a node, keyword by keyword, its references included, and where that stands."""

    said: dict[str, tuple[Any, str]] = field(default_factory=dict)
    nullable: bool = False

    def take(self, keyword: str, value: Any, where: str) -> str | None:
        """Remember it; a sentence when it contradicts what a reference before it says."""
        if keyword in ("$ref", "anyOf"):
            return None
        if keyword not in KEYWORDS:
            return f"{keyword[:40]!r} is not among the keywords a record schema may have."
        if keyword in ("$schema", "$defs") and where != f"/{keyword}":
            return "This may stand at the top of a schema only."
        former = self.said.setdefault(keyword, (value, where))[0]
        if keyword in ANNOTATIONS or former is value or former == value:
            return None
        return "What this refers to, or what refers to it, says otherwise."


_KEPT: Final = KEYWORDS - {"$schema", "$defs", "default", "examples", "additionalProperties"}


def _allow_null(clean: dict[str, Any], kinds: list[str]) -> None:
    if kinds:
        clean["type"] = [kinds[0], "null"]
    if "const" in clean:
        clean["enum"] = [clean.pop("const")]
    if isinstance(clean.get("enum"), list) and None not in clean["enum"]:
        clean["enum"] = [*clean["enum"], None]


def _of_objects(clean: dict[str, Any]) -> bool:
    items = clean.get("items")
    return isinstance(items, dict) and kind_of(items) == "object"


def _escaped(name: str) -> str:
    return escaped(name[:_MAX_NAME])
