"""The sentences of stored text that can answer: of a table its rows, of an entry its term with the
first one."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from app.engine.answer.blocks.kinds import ASKS, ITEM, is_row, is_wrapped
from app.engine.answer.evidence import Evidence
from app.engine.pages.sentences import sentences
from app.engine.search.question_echo import restates
from app.engine.text.analysis import Analyzer

ENDS_SENTENCE = re.compile(r"[.!?…。！？؟।][\"”'’»)\]]*$")
_BLOCK = re.compile(r"[^\n]+(?:\n[^\n]+)*")


@dataclass(frozen=True, slots=True)
class AnswerSentence:
    """A slice [start, end) of the snapshot, its terms, and those around it and of its headings."""

    start: int
    end: int
    terms: tuple[str, ...]
    context: frozenset[str]
    headings: frozenset[str]


def answer_sentences(evidence: Evidence, analyzer: Analyzer, question: str) -> list[AnswerSentence]:
    """The sentences of a passage in reading order.

    Headings, questions and what only repeats `question` are context of their neighbours.
    """
    language = evidence.language
    lines = (evidence.title, *evidence.headings)
    headings = frozenset(analyzer.terms("\n".join(lines), language))
    text = evidence.snapshot[evidence.start : evidence.end]
    spans = list(spans_of(text, language))
    terms = [tuple(analyzer.terms(text[a:b], language)) for a, b in spans]
    return [
        AnswerSentence(
            evidence.start + a,
            evidence.start + b,
            terms[n],
            headings.union(*terms[max(0, n - 1) : n + 2]),
            headings,
        )
        for n, (a, b) in enumerate(spans)
        if not _is_context(text[a:b], lines, question, analyzer)
    ]


def _is_context(text: str, headings: Sequence[str], question: str, analyzer: Analyzer) -> bool:
    is_heading = text.lstrip("# ") in headings
    return is_heading or bool(ASKS.search(text[-20:])) or restates(text, question, analyzer)


def spans_of(text: str, language: str | None) -> Iterator[tuple[int, int]]:
    """The sentences of each block of a text."""
    for block in _BLOCK.finditer(text):
        yield from (
            (block.start() + a, block.start() + b) for a, b in _in_block(block[0], language)
        )


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
