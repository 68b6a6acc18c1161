"""JSON-LD in a page: the nodes of all its script blocks, references resolved."""

import re
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import Any, TypeGuard

from lxml.html import HtmlElement

from app.core import untrusted_json

Node = dict[str, Any]

_OPENINGS, _CLOSINGS = ("<!--", "<![CDATA["), ("-->", "]]>")
_TRAILING_COMMA = re.compile(r",(?=\s*[}\]])")
_ARTICLES = (
    "Article",
    "BlogPosting",
    "NewsArticle",
    "TechArticle",
    "ScholarlyArticle",
    "Report",
    "DiscussionForumPosting",
    "QAPage",
    "Recipe",
    "Product",
    "Book",
    "WebPage",
)
_LONGEST_BLOCK = 1_000_000
_MOST_NODES = 2_000
_MOST_NESTING = 256


def nodes(root: HtmlElement) -> list[Node]:
    """Every typed or identified JSON-LD object of the page, in document order; broken blocks are
    left out. `{"@id": x}` alone stands for the node x (see `resolve`)."""
    blocks = (
        load(script.text or "")
        for script in root.iter("script")
        if "ld+json" in (script.get("type") or "").lower()
    )
    return list(islice((node for block in blocks for node, _ in walk(block)), _MOST_NODES))


def is_node(value: Node) -> bool:
    return "@type" in value or "@id" in value


def walk(content: object, is_thing: Callable[[Node], bool] = is_node) -> Iterator[tuple[Node, int]]:
    """Every object that is a thing, in document order, with how deep in others it stands."""
    pending: list[tuple[Any, int]] = [(content, 0)]
    while pending:
        value, depth = pending.pop()
        if isinstance(value, list):
            pending.extend((item, depth) for item in reversed(value))
        elif isinstance(value, dict):
            if is_thing(value):
                yield value, depth
                depth += 1
            below = [item for item in value.values() if isinstance(item, dict | list)]
            pending.extend((item, depth) for item in reversed(below))


def main_node(found: list[Node]) -> Node:
    """The node that describes the document: the best of the article-like types, or {}."""
    for wanted in _ARTICLES:
        for node in found:
            if any(wanted in kind for kind in _types(node)):
                return node
    return {}


def resolve(value: object, found: list[Node]) -> object:
    """`value`, or the fullest node it refers to by @id."""
    if is_reference(value):
        return fullest(found, _identifier).get(_identifier(value), value)
    return value


def is_reference(value: object) -> TypeGuard[Node]:
    """True if `value` says no more than which node it stands for."""
    return isinstance(value, dict) and value.keys() <= {"@id", "@type"}


def fullest(found: Iterable[Node], identifier: Callable[[Node], str]) -> dict[str, Node]:
    """Of all nodes of one @id that which says the most."""
    by_id: dict[str, Node] = {}
    for node in found:
        name = identifier(node)
        if name and len(node) > len(by_id.get(name, ())):
            by_id[name] = node
    return by_id


def _identifier(node: Node) -> str:
    name = node.get("@id")
    return name if isinstance(name, str) else ""


def names(value: object, found: list[Node]) -> list[str]:
    """The names in an author- or publisher-like value: text, an object with a name, or a list."""
    value = resolve(value, found)
    if isinstance(value, list):
        return [
            name for item in value[:20] if not isinstance(item, list) for name in names(item, found)
        ]
    if isinstance(value, dict):
        value = value.get("name")
    return [value.strip()] if isinstance(value, str) and value.strip() else []


def load(text: str) -> object:
    """The JSON in a script block, None when it is broken beyond comments and trailing commas.

    Numbers are strings, with the digits that the page wrote: 4.50 is not 4.5.
    """
    text = _unwrapped(text[:_LONGEST_BLOCK])
    for attempt in (text, _TRAILING_COMMA.sub("", text)):
        try:
            return untrusted_json.loads(
                attempt,
                _MOST_NESTING,
                strict=False,
                parse_float=str,
                parse_int=str,
                parse_constant=str,
            )
        except ValueError:
            continue
    return None


def _unwrapped(text: str) -> str:
    """`text` without a comment or CDATA section around it, whose marks JavaScript may comment out.

    By hand: a pattern that allows blanks around an optional mark takes quadratic time over them.
    """
    text = text.strip()
    for mark in _OPENINGS:
        if text.removeprefix("//").lstrip().startswith(mark):
            text = text.removeprefix("//").lstrip().removeprefix(mark)
    text = text.removesuffix(";").rstrip()
    for mark in _CLOSINGS:
        if text.endswith(mark):
            text = text.removesuffix(mark).rstrip().removesuffix("//")
    return text


def _types(node: Node) -> list[str]:
    kinds = node.get("@type")
    return [k for k in (kinds if isinstance(kinds, list) else [kinds]) if isinstance(k, str)]
