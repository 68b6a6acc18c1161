"""Read plain text: underlined headings, paragraphs, lists and indented listings; hard-wrapped lines
joined again.
"""

import re
from collections.abc import Iterator
from itertools import pairwise

from app.engine.pages.blocks.canonical import Block, BlockKind, canonical, lay_out
from app.engine.pages.facts.language import language_of
from app.engine.pages.page import Page, PageUnreadable, Unreadable

_BULLET = re.compile(r"(?:[-*+•‣–]|\(?\d{1,3}[.)]|\(?[a-z][.)])\s+\S")
# As in reStructuredText: a line of one sign under a heading, and perhaps above it as well.
_RULE = re.compile(r"([=~^\"'`#*+.:_<>-])\1{2,}")
_LISTS = re.compile(r"\.\. (?:code|code-block|sourcecode|parsed-literal)::.*|(?!\.\. ).*::")
_LOWEST = 6
_NARROWEST, _WIDEST = 40, 100
_LONGEST_TITLE = 120


def read_plain(text: str) -> Page:
    """The page in `text`. Its title is a short first paragraph of one line, if there is one."""
    text = canonical(text)
    if not text.strip():
        raise PageUnreadable(Unreadable.EMPTY)
    width = wrap_width(text)
    layout = lay_out(_all_blocks(text.split("\n\n"), width))
    first = layout.text.split("\n\n", 1)[0].strip()
    one_line = "\n" not in first and first != layout.text and len(first) <= _LONGEST_TITLE
    return Page(
        text=layout.text,
        title=first if one_line and not first.endswith((".", ",", ";")) else None,
        headings=layout.headings,
        code=layout.code,
        language=language_of(layout.text),
    )


def wrap_width(text: str) -> int:
    """The column at which `text` was wrapped by hand; 0 if it was not."""
    longest = max((len(line) for line in text.split("\n")), default=0)
    return longest if _NARROWEST <= longest <= _WIDEST else 0


def _all_blocks(paragraphs: list[str], width: int) -> Iterator[Block]:
    levels: dict[tuple[str, bool], int] = {}  # of headings by their rules, as they are first used
    listing = False
    for number, paragraph in enumerate(paragraphs, start=1):
        lines = paragraph.split("\n")
        if heading := _heading(lines):
            level = levels.setdefault(heading, min(_LOWEST, len(levels) + 1))
            at = heading[1]
            yield Block(BlockKind.HEADING, lines[at].strip(), level)
            lines = lines[at + 2 :]
        listing = listing and all(line.startswith("  ") for line in lines)
        if lines:
            yield from _blocks(lines, width, number, is_listing=listing)
            listing = listing or bool(_LISTS.fullmatch(lines[0]) or _LISTS.fullmatch(lines[-1]))


def _heading(lines: list[str]) -> tuple[str, bool] | None:
    """The sign of the rule under the heading that a paragraph begins with, and True if one stands
    above it as well.
    """
    above = len(lines) > 2 and lines[0] == lines[2]
    title, rule = lines[above : above + 2] if len(lines) > 1 else ("", "")
    is_headed = _RULE.fullmatch(rule) and "  " not in title.strip()
    fits = 0 < len(title.strip()) <= min(_LONGEST_TITLE, len(rule) + 2)
    return (rule[0], above) if is_headed and fits else None


def _blocks(lines: list[str], width: int, number: int, *, is_listing: bool) -> list[Block]:
    indented = all(line.startswith("    ") for line in lines)
    if is_listing or (indented and not _BULLET.match(lines[0].strip())):
        return [Block(BlockKind.CODE, "\n".join(lines))]
    groups: list[list[str]] = []
    for line in lines:
        if not groups or _BULLET.match(line.strip()):
            groups.append([line.strip()])
        else:
            groups[-1].append(line.strip())
    return [Block(BlockKind.ITEM, unwrapped(group, width), 0, number) for group in groups]


def unwrapped(lines: list[str], width: int) -> str:
    """`lines` as one line if each was broken only because the next word did not fit `width`."""
    for line, following in pairwise(lines):
        if len(line) + 1 + len(following.split(" ", 1)[0]) <= 0.85 * width or not width:
            return "\n".join(lines)
    return " ".join(lines)
