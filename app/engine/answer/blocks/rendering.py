"""Stored text as a reader wants it, rendered once for all clients: a light Markdown.

Rows of tables become "column: value", listings fenced blocks, wrapped lines are joined; what a page
sets beside its text ("[source]", its note marks) is left out. A quote stays the verbatim slice;
this is only how an answer shows it. Whatever a page says, nothing of it reads as a marker of ours
or opens a fence.
"""

import re
from collections.abc import Iterator
from itertools import groupby, pairwise
from operator import itemgetter

from app.engine.answer.blocks.kinds import ITEM, is_full, is_listing, is_row, is_wrapped
from app.engine.answer.blocks.sentences import BLOCK
from app.engine.answer.blocks.tables import as_pairs

_FENCE = re.compile(r" {0,3}(?:`{3,}|~{3,})")
_TICKS = re.compile(r"`+")
_SCRAP = re.compile(r"\[[^\W\d]{1,20}\]|[^\w\s]{1,3}")
_MARKS = re.compile(r"(?P<lead>.?)(?P<marks>(?:\[\d+\])+)", re.DOTALL)
_CODE_SIGNS = re.compile(r"[=;{}]|\w\(|\w_\w|\[\d*[:\"']")


def rendered(snapshot: str, start: int, end: int) -> str:
    shown: list[str] = []
    for fenced, texts in groupby(_blocks(snapshot, start, end), key=itemgetter(0)):
        blocks = [text for _, text in texts if text]
        shown += [_fenced(blocks)] if fenced else blocks
    return "\n\n".join(shown)


def _blocks(snapshot: str, start: int, end: int) -> Iterator[tuple[bool, str]]:
    """Each block as text, and whether it goes into a fence."""
    for block in BLOCK.finditer(snapshot, start, end):
        code = _is_code(block[0].split("\n"))
        text = block[0] if code else _text(snapshot, *block.span())
        yield code or _opens_fence(text), text


def _is_code(lines: list[str]) -> bool:
    return not any(is_row(x) or ITEM.match(x) for x in lines) and is_listing(lines)


def _opens_fence(text: str) -> bool:
    """True if it would open a fence of its own and swallow the rest of the answer."""
    return any(_FENCE.match(line) for line in text.split("\n"))


def _fenced(blocks: list[str]) -> str:
    """Listings one under another in one fence, which is longer than any they hold."""
    code = _without_marks("\n\n".join(blocks), in_code=True)
    longest = max((len(ticks) for ticks in _TICKS.findall(code)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}\n{code}\n{fence}"


def _text(snapshot: str, start: int, end: int) -> str:
    text = as_pairs(snapshot, start, end) or _unwrapped(snapshot[start:end])
    lines = [line for line in text.split("\n") if not _SCRAP.fullmatch(line.strip())]
    return without_note_marks("\n".join(lines))


def _unwrapped(text: str) -> str:
    """Text that was wrapped and indented, as in manual pages, in lines of any length."""
    first, *others = text.split("\n")
    if not others or not all(line[:2].isspace() for line in others):
        return text
    if len(others) == 1:
        return f"{first}\n{others[0].lstrip()}"
    if not is_wrapped((first, *others)):
        return text
    width = max(map(len, (first, *others)))
    shown = first
    for above, line in pairwise((first, *others)):
        if is_full(above, line, width) and not ITEM.match(line.lstrip()):
            shown += ("" if above.endswith("-") else " ") + line.lstrip()
        else:
            shown += "\n" + line
    return "\n".join(" ".join(line.split()) for line in shown.split("\n"))


def without_note_marks(text: str) -> str:
    """The text without anything that reads as a marker of ours.

    A page's note mark (`…in 1998.[3]`) goes; an index in code (`argv[1]`) is spaced: `argv[ 1 ]`.
    """
    return _without_marks(text, in_code=bool(_CODE_SIGNS.search(text))).strip()


def _without_marks(text: str, *, in_code: bool) -> str:
    def replace(found: re.Match[str]) -> str:
        lead, marks = found["lead"], found["marks"]
        if "[0]" in marks or (in_code and re.match(r"[\w\])\"']", lead)):
            return lead + marks.replace("[", "[ ").replace("]", " ]")
        return lead.rstrip(" ")

    previous = ""
    while previous != text:  # what is left may read as one: "[[1]2]"
        previous, text = text, _MARKS.sub(replace, text)
    return text
