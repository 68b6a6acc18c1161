"""The statements of a page that it does not show, as lines below its visible text."""

import html
import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain
from typing import Any, NamedTuple

from lxml.html import HtmlElement

from app.engine.extraction.text import attributes
from app.engine.extraction.text.json_pointer import escaped
from app.engine.pages.blocks import structured
from app.engine.pages.blocks.canonical import composed

_BREAKING_TAG = re.compile(r"<(?:br|/?(?:p|li|div|h[1-6]|tr|ul|ol))\b[^<>]{0,2000}>", re.I)
_TAG = re.compile(r"</?[a-zA-Z][^<>]{0,2000}>")
_MOST_LEAVES = 5_000
_MOST_LINES = 2_000
_MOST_STATED = 1_000_000  # characters of everything that is only stated
_LONGEST_LEAF = 20_000
_LONGEST_KEY = 200
_DEEPEST = 30
_LONGEST_ATTRIBUTE = 2_048
_LONGEST_SHORT_ITEM = 80  # items of a list that stand on one line
_NOTHING = frozenset({"null", "none", "undefined", "nan"})
"""Texts that programs write where they have no value."""
_MACHINE_KEYS = frozenset({"@context", "potentialAction"})


class Leaf(NamedTuple):
    """One stated value: its slice of the text, its place in a script block, its element."""

    start: int
    end: int
    pointer: str | None
    element: HtmlElement


@dataclass(frozen=True, slots=True)
class JoinedValues:
    """A list of short values on one line: the line as a whole, and each value in it."""

    whole: Leaf
    items: list[Leaf]


@dataclass(frozen=True, slots=True)
class ScriptBlock:
    """JSON of a script block, a `Leaf` in place of each value (`JoinedValues` for short lists)."""

    script: HtmlElement
    linked_data: bool
    content: Any


class Writer:
    """Writes text, folding white space across the pieces."""

    __slots__ = ("last", "length", "parts", "pending")

    def __init__(self) -> None:
        self.parts: list[str] = []
        self.length = 0
        self.pending = ""
        self.last = ""

    def add(self, text: str) -> None:
        if not text.isascii():
            text = composed(text)
        core = " ".join(text.split())
        if not core:
            if text and not self.pending:
                self.pending = " "
            return
        if self.last:
            if not self.pending and text[0].isspace():
                self.pending = " "
            if self.pending:
                self.write(self.pending)
        self.write(core)
        self.pending = " " if text[-1].isspace() else ""

    def write(self, text: str) -> None:
        self.parts.append(text)
        self.length += len(text)
        self.last = text[-1]

    def line(self, label: str, value: str) -> tuple[int, int]:
        """Write a tidy value on a line of its own; its slice."""
        if self.last:
            self.write("\n")
        self.write(" ".join(composed(label).split()) + " ")
        start = self.length
        self.write(value)
        self.pending = "\n"
        return start, self.length


def _tidy(value: str) -> str:
    """A stated value as text: markup and entities resolved, its lines kept; "" if it is none."""
    value = value[:_LONGEST_LEAF]
    if value.strip().casefold() in _NOTHING:
        return ""
    if "&" in value:
        value = html.unescape(value)
    if "<" in value:
        value = _TAG.sub("", _BREAKING_TAG.sub("\n", value))
        if "&" in value:
            value = html.unescape(value)
    value = composed(value)
    if "\n" not in value and "\r" not in value:
        return " ".join(value.split())
    return "\n".join(" ".join(line.split()) for line in value.splitlines() if line.strip())


class StatedWriter:
    """Writes what is only stated below what is shown, and remembers where.

    `attributes` are by element and name; `meta` are the named values of the head in order.
    """

    def __init__(self, writer: Writer) -> None:
        self.blocks: list[ScriptBlock] = []
        self.meta: list[tuple[str, Leaf]] = []
        self.attributes: dict[tuple[HtmlElement, str], Leaf] = {}
        self.truncated = False
        self._writer = writer
        self._begin = writer.length
        self._leaves = 0

    def write(self, root: HtmlElement, *, scripts: bool) -> None:
        self._head(root)
        if scripts:
            self._scripts(root)
        self._addresses(root)

    def _head(self, root: HtmlElement) -> None:
        for element in root.iter("title", "meta", "link"):
            if len(self.meta) >= _MOST_LINES:
                return
            for name, value in _head_pairs(element):
                label = f"{element.tag} {name}".strip()
                if leaf := self._leaf(label, _tidy(value), None, element):
                    self.meta.append((name or "title", leaf))

    def _scripts(self, root: HtmlElement) -> None:
        number = 0
        described = False
        for script in root.iter("script"):
            kind = (script.get("type") or "").lower()
            if "json" not in kind:
                continue
            linked = "ld+json" in kind
            if linked or not described:
                content, before = structured.load(script.text or ""), self.truncated
                content = self._written(content, f"/script[{number}]#", script, 0)
                self.truncated &= linked or before  # much of an app's state is no part of its page
                if content is not None:
                    self.blocks.append(ScriptBlock(script, linked, content))
                    described = described or linked
            number += 1

    def _addresses(self, root: HtmlElement) -> None:
        lines = 0
        for element, name, value in chain(attributes.stated(root), attributes.widgets(root)):
            if lines >= _MOST_LINES or not value.strip() or len(value) > _LONGEST_ATTRIBUTE:
                continue
            marked = element.get("itemprop") or element.get("property") or element.tag
            if leaf := self._leaf(f"{marked} {name}", _tidy(value), None, element):
                self.attributes[element, name] = leaf
                lines += 1

    def _written(self, value: object, pointer: str, script: HtmlElement, depth: int) -> Any:
        """`value` with a leaf in place of each scalar; None where nothing is left."""
        if not isinstance(value, dict | list):
            return self._scalar(value, pointer, script)
        if depth == _DEEPEST:
            return None
        if isinstance(value, dict):
            kept = {}
            for key, item in value.items():
                below = f"{pointer}/{escaped(key)}"
                if _is_name(key) and (content := self._written(item, below, script, depth + 1)):
                    kept[key] = content
            return kept or None
        if _is_short_list(value):
            return self._joined(value, pointer, script)
        items = (self._written(v, f"{pointer}/{i}", script, depth + 1) for i, v in enumerate(value))
        return [item for item in items if item is not None] or None

    def _scalar(self, value: object, pointer: str, script: HtmlElement) -> Leaf | None:
        if isinstance(value, bool):
            value = "true" if value else "false"
        if not isinstance(value, str):
            return None
        if self._leaves >= _MOST_LEAVES:
            self.truncated = True
            return None
        self._leaves += 1
        return self._leaf(pointer, _tidy(value), pointer, script)

    def _joined(
        self, values: list[str], pointer: str, script: HtmlElement
    ) -> JoinedValues | Leaf | None:
        tidied = [(i, text) for i, value in enumerate(values) if (text := _tidy(value))]
        line = self._leaf(pointer, ", ".join(text for _, text in tidied), pointer, script)
        if line is None:
            return None
        items: list[Leaf] = []
        start = line.start
        for i, text in tidied:
            item = Leaf(start, start + len(text), f"{pointer}/{i}", script)
            items.append(item)
            start = item.end + 2
        return JoinedValues(line, items)

    def _leaf(
        self, label: str, value: str, pointer: str | None, element: HtmlElement
    ) -> Leaf | None:
        """A line for a tidy value, None if there is nothing to write."""
        if self._writer.length - self._begin > _MOST_STATED:
            self.truncated = True
            return None
        return Leaf(*self._writer.line(label, value), pointer, element) if value else None


def _head_pairs(element: HtmlElement) -> Iterator[tuple[str, str]]:
    if element.tag == "title":
        yield "", element.text or ""
    elif element.get("itemprop"):
        return
    elif element.tag == "meta":
        name = element.get("property") or element.get("name")
        if name and element.get("content"):
            yield name.strip().lower(), element.get("content") or ""
    elif (element.get("rel") or "").lower() in ("canonical", "image_src", "author"):
        yield (element.get("rel") or "").lower(), element.get("href") or ""


def _is_name(key: str) -> bool:
    """True if a key may be what a value is called: a text, not long, and nothing for machines."""
    return key not in _MACHINE_KEYS and len(key) <= _LONGEST_KEY and key.isprintable()


def _is_short_list(values: list[Any]) -> bool:
    return len(values) > 1 and all(
        isinstance(value, str) and len(value) <= _LONGEST_SHORT_ITEM and "\n" not in value
        for value in values
    )
