"""JSON-LD in a page: the nodes of all its script blocks, references resolved."""

import re
from collections.abc import Iterator
from typing import Any

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
    found: list[Node] = []
    for script in root.iter("script"):
        if "ld+json" in (script.get("type") or "").lower():
            for node in _walk(load(script.text or "")):
                found.append(node)
                if len(found) >= _MOST_NODES:
                    return found
    return found


def main_node(found: list[Node]) -> Node:
    """The node that describes the document: the best of the article-like types, or {}."""
    for wanted in _ARTICLES:
        for node in found:
            if any(wanted in kind for kind in _types(node)):
                return node
    return {}


def resolve(value: object, found: list[Node]) -> object:
    """`value`, or the fullest node it refers to by @id."""
    if isinstance(value, dict) and set(value) == {"@id"}:
        same = [node for node in found if node.get("@id") == value["@id"]]
        return max(same, key=len, default=value)
    return value


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


def _walk(value: object) -> Iterator[Node]:
    pending = [value]
    while pending:
        value = pending.pop()
        if isinstance(value, list):
            pending.extend(reversed(value))
        elif isinstance(value, dict):
            if "@type" in value or "@id" in value:
                yield value
            pending.extend(reversed([v for v in value.values() if isinstance(v, dict | list)]))


def _types(node: Node) -> list[str]:
    kinds = node.get("@type")
    return [k for k in (kinds if isinstance(kinds, list) else [kinds]) if isinstance(k, str)]
