"""A kept page as a document again, so that it can be read a second time: its lines, and what it
stated of itself, from the lines below them or from the objects that were kept."""

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from html import escape
from itertools import zip_longest
from typing import Any, Final

from app.engine.extraction.records.reading_page import Family
from app.engine.extraction.values.calibration import STATED
from app.engine.extraction.values.compare import steps
from app.engine.judging.singles import letters, stands_in
from app.engine.sandbox.documents import Document

_MOST_LINES: Final = 20_000
_MOST_OBJECTS: Final = 50
_MOST_STEPS: Final = 32
_LONGEST_HEADING, _SHORTEST_HEADING = 300, 3
_LINE = re.compile(r"/script\[(?P<script>\d{1,3})\]#(?P<pointer>/\S*) (?P<value>.*)", re.DOTALL)
_META = re.compile(r"meta (?P<name>\S+) (?P<value>.*)", re.DOTALL)
_BEGINS = re.compile(r"(?:/script\[\d{1,3}\]#/|meta |title |link |a |img |time |item |rdfa )")
# What a form asks its readers for is no value: "Your name (optional)".
_PROMPT = re.compile(
    r"\((?:optional|required|freiwillig|erforderlich|pflichtfeld|facultatif|obligatoire|opcional"
    r"|obligatorio|obrigatório|facoltativo|obbligatorio|optioneel|verplicht)\)\W*$",
    re.IGNORECASE,
)
_LABEL = re.compile(r"[:\uff1a]\s*$")

Node = dict[str, Any]


def document(page: dict[str, Any]) -> Document:
    """`page` as judging gets it: url, text, title, language, and perhaps `visible_end` of its text
    and `structured` objects."""
    text: str = page["text"]
    visible_end = page.get("visible_end", len(text))
    lines = list(_lines(text[:visible_end]))
    heading = _heading(lines, (page.get("title") or "")[:_LONGEST_HEADING])
    markup = "".join(
        (
            f'<html lang="{escape(page.get("language") or "")}"><head>',
            f"<title>{escape(page.get('title') or '')}</title>",
            *_head(text[visible_end:]),
            *(_script(each) for each in _objects(page.get("structured"))),
            "</head><body>",
            *(_shown(line, "h1" if n == heading else "p") for n, line in enumerate(lines)),
            "</body></html>",
        )
    )
    return Document(markup.encode("utf-8", "replace"), "text/html", "utf-8", page["url"])


def _lines(visible: str) -> Iterator[str]:
    """The lines of a text without those of forms: a label that another one follows has no value."""
    lines = [line for line in visible.split("\n")[:_MOST_LINES] if line.strip()]
    for line, below in zip_longest(lines, lines[1:], fillvalue=""):
        if not _PROMPT.search(line) and not (_LABEL.search(line) and _LABEL.search(below)):
            yield line


def _heading(lines: Sequence[str], title: str) -> int | None:
    """Finds the line that the page shows its title in: the one that shares the most with it, the
    shortest of those, the first of these.

    Which lines were headings is not kept.
    """
    written = letters(title)
    shared = {
        n: (-common, len(line))
        for n, line in enumerate(lines)
        if len(line) <= _LONGEST_HEADING and (common := _in_common(line, title, written))
    }
    return min(shared, key=shared.__getitem__, default=None)


def _in_common(line: str, title: str, written: str) -> int:
    """Counts the letters of a line that the title holds, or that begins with the title.

    A part of a word of the title is not held, unless it is most of the title.
    """
    shown = letters(line)
    if min(len(shown), len(written)) < _SHORTEST_HEADING:
        return 0
    if shown.startswith(written):
        return len(written)
    is_held = shown in written and (2 * len(shown) > len(written) or stands_in(line, title))
    return len(shown) if is_held else 0


def _shown(line: str, tag: str) -> str:
    return f"<{tag}>{escape(line)}</{tag}>\n"


def families(provenance: Sequence[dict[str, Any]]) -> tuple[Family, ...]:
    """The methods that are another opinion of what is quoted so: of values that name the `method`
    they were read by, which is ours, only the other family; of somebody else's both."""
    methods = {each.get("method") for each in provenance}
    wanted: tuple[Family, ...] = ("structured", "visible")
    if None in methods or not methods:
        return wanted
    own = {"structured" if method in STATED else "visible" for method in methods}
    return tuple(family for family in wanted if own != {family})


def _objects(structured: object) -> Sequence[object]:
    return structured[:_MOST_OBJECTS] if isinstance(structured, list) else ()


def _script(stated: object) -> str:
    """No markup inside can end the script."""
    stated_json = json.dumps(stated).replace("<", "\\u003c")
    return f'<script type="application/ld+json">{stated_json}</script>'


def structured(text: str, visible_end: int) -> list[Any]:
    """Reads what the scripts of a kept page stated, from the lines below its visible text. A list
    of short texts is one text, as it is in the lines.
    """
    return list(_nodes(_stated(text[visible_end:])))


def _nodes(stated: Iterable[str]) -> Iterator[Any]:
    scripts: dict[str, Node] = {}
    for line in stated:
        if match := _LINE.fullmatch(line):
            _put(scripts.setdefault(match["script"], {}), match["pointer"], match["value"])
    return (_with_lists(node) for node in list(scripts.values())[:_MOST_OBJECTS])


def _head(below: str) -> Iterator[str]:
    """The elements that the lines below the visible text were made of."""
    stated = list(_stated(below))
    for line in stated:
        if match := _META.fullmatch(line):
            name, value = escape(match["name"]), escape(match["value"])
            yield f'<meta name="{name}" property="{name}" content="{value}">'
    yield from map(_script, _nodes(stated))


def _stated(below: str) -> Iterator[str]:
    """Each stated value with where it was; a value may have several lines."""
    whole: list[str] = []
    for line in below.split("\n")[:_MOST_LINES]:
        if _BEGINS.match(line) and whole:
            yield "\n".join(whole)
            whole = []
        whole.append(line)
    yield "\n".join(whole)


def _put(node: Node, pointer: str, value: str) -> None:
    """A place inside a value that is there already has nothing to hold it."""
    *above, last = steps(pointer)
    if len(above) > _MOST_STEPS:
        return
    for step in above:
        below = node.setdefault(step, {})
        if not isinstance(below, dict):
            return
        node = below
    node.setdefault(last, value)


def _with_lists(node: Any) -> Any:
    """Objects whose keys are numbers were lists."""
    if not isinstance(node, dict):
        return node
    items = {key: _with_lists(value) for key, value in node.items()}
    return list(items.values()) if all(key.isdigit() for key in items) else items
