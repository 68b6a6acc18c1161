"""Choose between two readings of one page: a full one, and a careful one that leaves things out."""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence

from app.engine.pages.blocks.canonical import Block, BlockKind

_WORD = re.compile(r"\w+")
_MOST_BEFORE = 3  # blocks between a heading and the first text that both have
_SAME = 0.95  # of the words of either
_NUMBER = re.compile(
    r"\A\d+\. "
)  # before an item of an ordered list, which the careful reading drops


def reconcile(ours: Sequence[Block], theirs: Sequence[Block]) -> Sequence[Block]:
    """The blocks to keep of `ours`, which is full, given `theirs`, which is careful.

    Where they agree on the subject, theirs bounds ours; where it kept too little, ours stands;
    where it has what ours lacks, its own stands. Between the bounds, blocks that are mostly links
    go unless both have them.
    """
    their_length = sum(len(block.text) for block in theirs)
    if their_length <= 0.5 * sum(len(block.text) for block in ours):
        return ours
    if _all_words(ours) == _all_words(theirs):
        return ours
    agreed = _agreement(ours, theirs)
    if sum(len(b.text) for b, found in zip(ours, agreed, strict=True) if found) < (
        0.6 * their_length
    ):
        return ours if _differ_in_order(ours, theirs) else theirs
    first, last = _section_start(ours, agreed.index(True)), len(agreed) - agreed[::-1].index(True)
    last = _lists_end(ours, first, last)
    return _between(ours[first:last], agreed[first:last])


def _section_start(blocks: Sequence[Block], first: int) -> int:
    """The start of the section of a block, or the block itself where none begins a little above.

    The careful reading has no text that stands in no paragraph, as the first of a section may.
    """
    above = range(first - 1, max(-1, first - 2 - _MOST_BEFORE), -1)
    start = next((n + 1 for n in above if blocks[n].kind is BlockKind.HEADING), first)
    while start and blocks[start - 1].kind is BlockKind.HEADING:
        start -= 1
    return start


def _lists_end(blocks: Sequence[Block], first: int, last: int) -> int:
    """The end of the sections of lists that follow a place and have headings as those before it.

    The careful reading has no list of a page whose text stands in no element that it knows.
    """
    levels = {block.level for block in blocks[first:last] if block.kind is BlockKind.HEADING}
    end = last
    for n in range(last, len(blocks)):
        block = blocks[n]
        if block.kind is BlockKind.HEADING and block.level in levels:
            continue
        above = blocks[n - 1]
        if block.kind is not BlockKind.ITEM or block.linked > 0.5 * len(block.text):
            break
        if above.kind not in (BlockKind.HEADING, BlockKind.ITEM) and not above.text.endswith(":"):
            break
        end = n + 1
    return end


def _agreement(ours: Sequence[Block], theirs: Sequence[Block]) -> list[bool]:
    """For each of our blocks whether its words stand, in order, in the other reading."""
    lines = {_words(line) for block in theirs for line in block.text.split("\n")}
    whole = _all_words(theirs)
    agreed = []
    for block in ours:
        words = _words(
            _NUMBER.sub("", block.text, count=1) if block.kind is BlockKind.ITEM else block.text
        )
        agreed.append(bool(words) and (words in lines or (len(words) > 25 and words in whole)))
    return agreed


def _differ_in_order(ours: Sequence[Block], theirs: Sequence[Block]) -> bool:
    """True if they have the same words: where markup is not closed, the careful reading gathers
    them out of their sentences.
    """
    counts = [Counter(_all_words(blocks).split()) for blocks in (ours, theirs)]
    return (counts[0] & counts[1]).total() >= _SAME * max(count.total() for count in counts)


def _all_words(blocks: Sequence[Block]) -> str:
    return _words(" ".join(block.text for block in blocks))


def _words(text: str) -> str:
    """The words of a text, raised figures as others: the careful reading raises notes as well."""
    words = " ".join(_WORD.findall(text.lower()))  # without marks, whose order takes long to find
    return unicodedata.normalize("NFKC", words)


def _between(blocks: Sequence[Block], agreed: Sequence[bool]) -> list[Block]:
    """The blocks without those that are mostly links. A heading may be all link and head a section
    all the same, so it goes only if nothing is left under it."""
    stays = [
        found or block.linked <= 0.5 * len(block.text)
        for block, found in zip(blocks, agreed, strict=True)
    ]
    kept = [n for n, block in enumerate(blocks) if stays[n] or block.kind is BlockKind.HEADING]
    return [
        blocks[n]
        for place, n in enumerate(kept, start=1)
        if stays[n] or _heads(blocks[n].level, (blocks[m] for m in kept[place:]))
    ]


def _heads(level: int, following: Iterable[Block]) -> bool:
    """True if text follows a heading of `level`, be it under headings of lower ranks."""
    for block in following:
        if block.kind is not BlockKind.HEADING:
            return True
        if block.level <= level:
            return False
    return False
