"""Which passages a model reads: how many, and how much of each."""

from dataclasses import replace

from app.engine.answer.evidence import Evidence
from app.engine.answer.written.prompt import fitting

FILLER = " It hunts mice at night." * 14
SENTENCES = [f"Paragraph {n} of a page about owls.{FILLER}" for n in range(8)]
PAGE = "\n\n".join(SENTENCES)
PLENTY = 8_000


def part(n: int, source: int = 0, score: float = 0.0) -> Evidence:
    """Paragraph `n` of the page."""
    start = PAGE.index(SENTENCES[n])
    return Evidence(source, PAGE, start, start + len(SENTENCES[n]), score)


def test_the_ten_best_passages_are_read_whatever_page_they_are_on() -> None:
    passages = [part(0, source=n, score=1.0 - n / 100) for n in range(12)]
    assert [x.source for x in fitting(passages, PLENTY)] == list(range(10))


def test_what_does_not_fit_is_cut_and_nothing_follows() -> None:
    long = Evidence(0, "x" * 900 + "\n\nBehind.", 0, 900, 1.0)
    found = fitting([long, replace(long, start=902, end=909, score=0.5)], 150 + 50)
    assert [x.end for x in found] == [175]
