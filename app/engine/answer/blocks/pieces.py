"""Blocks as pieces that can be shown: what is too long to be shown whole is cut between lines or
sentences."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from app.engine.answer.blocks.kinds import ENDS_OPEN
from app.engine.answer.blocks.sections import MOST_WHOLE, AnswerBlock, AnswerBlockKind, Part
from app.engine.pages.passages import count_words
from app.engine.pages.sentences import sentences

MOST_CHARACTERS = 1_800
_CONTEXT = 200  # code points of the line that says what the lines under it are


@dataclass(frozen=True, slots=True)
class Piece:
    """A piece of text that is shown whole or not at all. `closed` when it ends what can be shown,
    `entry` when it begins with the name of what it is about. `cut_from` is the start of the block
    of which it is only a line or a `sentence`; with a piece of another block it is not shown.
    """

    start: int
    end: int
    words: float
    parts: tuple[Part, ...]
    opens: bool = False
    new_subject: bool = False
    closed: bool = False
    heading: bool = False
    entry: bool = False
    cut_from: int | None = None
    sentence: bool = False


def in_pieces(text: str, blocks: Sequence[AnswerBlock], language: str | None) -> list[Piece]:
    """The blocks of a section as pieces, in order."""
    return [piece for block in blocks for piece in _pieces(text, block, language)]


def _pieces(text: str, block: AnswerBlock, language: str | None) -> Iterator[Piece]:
    if block.kind is AnswerBlockKind.HEADING:
        yield Piece(block.start, block.end, block.words, (), closed=True, heading=True)
    elif block.words <= MOST_WHOLE and block.end - block.start <= MOST_CHARACTERS:
        yield Piece(
            block.start,
            block.end,
            block.words,
            block.parts,
            block.opens,
            block.new_subject,
            entry=block.kind is AnswerBlockKind.ENTRY,
        )
    else:
        yield from _lines(text, block, language)


def _lines(text: str, block: AnswerBlock, language: str | None) -> Iterator[Piece]:
    """The lines of a long block; each is about what the first one says."""
    context = (0, 0)
    start = block.start
    for line in text[block.start : block.end].split("\n"):
        end = start + len(line)
        if line.strip():
            yield from _line(text, start, end, context, block.start, language)
            if context == (0, 0) and block.kind is not AnswerBlockKind.PROSE:
                context = (start, min(end, start + _CONTEXT))
        start = end + 1


def _line(
    text: str,
    start: int,
    end: int,
    context: tuple[int, int],
    block_start: int,
    language: str | None,
) -> Iterator[Piece]:
    line = text[start:end]
    spans = [(0, len(line))]
    if count_words(line, MOST_WHOLE + 1) > MOST_WHOLE or len(line) > MOST_CHARACTERS:
        spans = sentences(line, language)
    for a, b in spans:
        words = count_words(line[a:b])
        opens = bool(ENDS_OPEN.search(line[max(a, b - 20) : b]))
        answers = _before_lead_in(line[a:b], language) if opens else b - a
        yield Piece(
            start + a,
            start + b,
            words,
            (Part(start + a, start + a + answers, context),),
            opens=opens,
            cut_from=block_start,
            sentence=len(spans) > 1,
            closed=words > MOST_WHOLE or b - a > MOST_CHARACTERS,
        )


def _before_lead_in(line: str, language: str | None) -> int:
    """Finds the end of the sentences before the last, or of the line when there are none: they
    answer by themselves, a lead-in does not.
    """
    *before, _ = sentences(line, language) or [(0, 0)]
    return before[-1][1] if before else len(line)
