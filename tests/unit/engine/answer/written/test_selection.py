"""Which passages a model reads: how many, how much of each, in what order."""

from dataclasses import replace

from app.engine.answer.evidence import Evidence
from app.engine.answer.written.selection import runs

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
    assert [run.first.source for run in runs(passages, PLENTY)] == list(range(10))


def test_passages_that_touch_are_one() -> None:
    (run,) = runs([part(2), part(3)], PLENTY)
    assert run.text == f"{SENTENCES[2]}\n\n{SENTENCES[3]}"


def test_passages_with_something_between_them_are_two_in_the_order_of_the_page() -> None:
    found = runs([part(5), part(1)], PLENTY)
    assert [run.text for run in found] == [SENTENCES[1], SENTENCES[5]]


def test_the_page_of_the_best_passage_comes_first() -> None:
    passages = [part(3, 1, 0.9), part(1, 0, 0.8), part(0, 1, 0.7)]
    assert [run.first.source for run in runs(passages, PLENTY)] == [1, 1, 0]


def test_what_does_not_fit_is_cut_and_nothing_follows() -> None:
    long = Evidence(0, "x" * 900 + "\n\nBehind.", 0, 900, 1.0)
    found = runs([long, replace(long, start=902, end=909, score=0.5)], 150 + 50)
    assert [run.end for run in found] == [175]


def test_a_place_is_in_the_passage_that_begins_before_it() -> None:
    (run,) = runs([part(3), part(4)], PLENTY)
    assert run.part_at(part(4).start + 3).start == part(4).start
    assert run.part_at(0) == run.first
