"""Which passages a model reads: how many, in what order, with which neighbours."""

from dataclasses import replace

from app.engine.answer.evidence import Evidence
from app.engine.answer.written.selection import PassageContext, runs

SENTENCES = [f"Sentence {n} of a page about owls." for n in range(8)]
PAGE = "\n\n".join(SENTENCES)
PLENTY = 5_000


def part(n: int, source: int = 0, score: float = 0.0) -> Evidence:
    """Sentence `n` of the page."""
    start = PAGE.index(SENTENCES[n])
    return Evidence(source, PAGE, start, start + len(SENTENCES[n]), score)


def test_no_more_than_three_passages_of_a_source_are_read_where_others_have_some() -> None:
    passages = [part(n, score=1.0 - n / 10) for n in (0, 2, 4, 6)]
    passages += [part(0, source=n, score=0.1) for n in (1, 2)]
    found = runs([PassageContext(x) for x in passages], 2_000)
    assert [run.first.source for run in found] == [0, 0, 0, 1, 2]


def test_eight_are_sent_where_tokens_are_plenty_and_five_where_they_are_not() -> None:
    passages = [PassageContext(part(0, source=n)) for n in range(9)]
    assert [len(runs(passages, tokens)) for tokens in (3_000, 2_999)] == [8, 5]


def test_passages_that_touch_are_one() -> None:
    (run,) = runs([PassageContext(part(2)), PassageContext(part(3))], PLENTY)
    assert run.text == f"{SENTENCES[2]}\n\n{SENTENCES[3]}"


def test_passages_with_something_between_them_are_two_in_the_order_of_the_page() -> None:
    found = runs([PassageContext(part(5)), PassageContext(part(1))], PLENTY)
    assert [run.text for run in found] == [SENTENCES[1], SENTENCES[5]]


def test_a_passage_brings_those_beside_it() -> None:
    (run,) = runs([PassageContext(part(3), (part(2), part(4)))], PLENTY)
    assert run.text == "\n\n".join(SENTENCES[2:5])


def test_the_page_of_the_best_passage_comes_first() -> None:
    passages = [
        PassageContext(part(3, 1), (part(4, 1),)),
        PassageContext(part(1, 0)),
        PassageContext(part(0, 1)),
    ]
    assert [run.first.source for run in runs(passages, PLENTY)] == [1, 1, 0]


def test_neighbours_give_way_to_passages_when_tokens_are_few() -> None:
    passages = [PassageContext(part(3, n), (part(2, n), part(4, n))) for n in range(2)]
    found = runs(passages, 350)
    assert [len(run.parts) for run in found] == [3, 2]


def test_what_is_cut_is_not_joined_with_what_follows() -> None:
    long = Evidence(0, "x" * 900 + "\n\nBehind.", 0, 900, 1.0)
    behind = replace(long, start=902, end=909)
    found = runs([PassageContext(long, (behind,))], 150 + 50)
    assert [run.end for run in found] == [175]


def test_a_place_is_in_the_passage_that_begins_before_it() -> None:
    (run,) = runs([PassageContext(part(3), (part(2), part(4)))], PLENTY)
    assert run.part_at(part(4).start + 3).start == part(4).start
    assert run.part_at(0) == run.first
