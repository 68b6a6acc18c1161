"""The sentences of stored text that can answer; rows of tables, terms of entries."""

import re
from collections.abc import Iterator, Sequence

from app.engine.answer.blocks.kinds import ITEM, is_row, is_wrapped
from app.engine.pages.sentences import sentences

ENDS_SENTENCE = re.compile(r"[.!?…。！？؟।][\"”'’»)\]]*$")
BLOCK = re.compile(r"[^\n]+(?:\n[^\n]+)*")


def spans_of(text: str, language: str | None) -> Iterator[tuple[int, int]]:
    for block in BLOCK.finditer(text):
        for start, end in _in_block(block[0], language):
            yield block.start() + start, block.start() + end


def _in_block(text: str, language: str | None) -> list[tuple[int, int]]:
    if is_row(text):
        return [match.span() for match in re.finditer(r"[^\n]+", text)]
    if is_wrapped(text.split("\n")):
        text = text.replace("\n", " ")
    found: list[tuple[int, int]] = []
    for span in sentences(text, language):
        if found and _is_entry(text, found, span):
            found[-1] = (found[-1][0], span[1])
        else:
            found.append(span)
    return found


def _is_entry(text: str, before: Sequence[tuple[int, int]], sentence: tuple[int, int]) -> bool:
    """True if the line before is a term, which says nothing without the sentence under it."""
    term = before[-1]
    follows_item = len(before) > 1 and not ENDS_SENTENCE.search(text, *before[-2])
    return (
        text[term[1] : sentence[0]].strip(" ") == "\n"
        and not follows_item
        and not ITEM.match(text, *term)
        and not ENDS_SENTENCE.search(text, *term)
        and bool(ENDS_SENTENCE.search(text, *sentence))
    )
