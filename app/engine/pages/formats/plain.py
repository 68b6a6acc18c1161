"""Read plain text: paragraphs, lists and indented listings; hard-wrapped lines joined again."""

import re
from itertools import pairwise

from app.engine.pages.blocks.canonical import Block, BlockKind, canonical, lay_out
from app.engine.pages.facts.language import language_of
from app.engine.pages.page import Page, PageUnreadable, Unreadable

_BULLET = re.compile(r"(?:[-*+•‣–]|\(?\d{1,3}[.)]|\(?[a-z][.)])\s+\S")
_NARROWEST, _WIDEST = 40, 100
_LONGEST_TITLE = 120


def read_plain(text: str) -> Page:
    """The page in `text`. Its title is a short first paragraph of one line, if there is one."""
    text = canonical(text)
    if not text.strip():
        raise PageUnreadable(Unreadable.EMPTY)
    width = wrap_width(text)
    blocks = [
        block
        for number, paragraph in enumerate(text.split("\n\n"), start=1)
        for block in _blocks(paragraph, width, number)
    ]
    layout = lay_out(blocks)
    first = layout.text.split("\n\n", 1)[0].strip()
    one_line = "\n" not in first and first != layout.text and len(first) <= _LONGEST_TITLE
    return Page(
        text=layout.text,
        title=first if one_line and not first.endswith((".", ",", ";")) else None,
        code=layout.code,
        language=language_of(layout.text),
    )


def wrap_width(text: str) -> int:
    """The column at which `text` was wrapped by hand; 0 if it was not."""
    longest = max((len(line) for line in text.split("\n")), default=0)
    return longest if _NARROWEST <= longest <= _WIDEST else 0


def _blocks(paragraph: str, width: int, number: int) -> list[Block]:
    lines = paragraph.split("\n")
    if all(line.startswith("    ") for line in lines) and not _BULLET.match(lines[0].strip()):
        return [Block(BlockKind.CODE, paragraph)]
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
