"""Excerpts of sources: which are taken, and how they are bounded."""

from dataclasses import dataclass, replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.engine.answer.evidence import Evidence
from app.engine.answer.extracts.excerpts import SourceExcerpt, excerpts_of
from app.engine.answer.extracts.extracts import Extract, Extracts
from app.engine.search.interface import IndexStats
from app.engine.search.overlap import Overlap
from app.engine.search.query import parse

PAGE = (
    "Owls hunt at night. They hear a mouse under snow.\n\n"
    "A clutch holds five eggs. They hatch after 30 days.\n\n"
    "Barn owls\n\n"
    "Both parents feed the young. The young fly in June."
)


@dataclass(frozen=True, slots=True)
class Cut:
    start: int
    end: int
    lead_start: int
    lead_end: int


class Cuts(Extracts):
    """What is cut around the passage that begins at each place; nothing elsewhere."""

    def __init__(self, *cuts: Cut) -> None:
        query = parse("owls")
        super().__init__(query, Overlap(query, IndexStats(1000, 60.0, {})))
        self.cuts = {cut.start: cut for cut in cuts}

    def of(self, evidence: Evidence) -> Extract | None:
        cut = self.cuts.get(evidence.start)
        return cut and Extract(evidence, cut.start, cut.end, cut.lead_start, cut.lead_end)


def cut(text: str, lead: str = "", page: str = PAGE) -> Cut:
    """A slice of the page, and in it the block that answers."""
    start = page.index(text)
    lead_start = page.index(lead or text, start)
    return Cut(start, start + len(text), lead_start, lead_start + len(lead or text))


def passage(cut: Cut, score: float = 1.0, page: str = PAGE, source: int = 0) -> Evidence:
    return Evidence(source, page, cut.start, cut.end, score, headings=("Owls",), language="en")


def of_one(
    *found: tuple[Cut, float], max_chars: int = 1_200, page: str = PAGE
) -> list[SourceExcerpt]:
    """The excerpts of one source, whose passages have these scores."""
    evidence = [passage(each, score, page) for each, score in found]
    return list(excerpts_of({0: evidence}, Cuts(*(each for each, _ in found)), max_chars)[0])


NIGHT = cut("Owls hunt at night. They hear a mouse under snow.", "They hear a mouse under snow.")
EGGS = cut("A clutch holds five eggs. They hatch after 30 days.", "They hatch after 30 days.")
YOUNG = cut("Both parents feed the young. The young fly in June.", "Both parents feed the young.")


def test_the_best_come_first() -> None:
    assert [x.start for x in of_one((NIGHT, 0.4), (YOUNG, 0.8))] == [YOUNG.start, NIGHT.start]


def test_a_score_is_a_share_of_the_best_of_the_result() -> None:
    other = cut("One.", page="One.")
    evidence = {0: [passage(NIGHT, 0.5)], 1: [passage(other, 2.0, "One.", 1)]}
    excerpts = excerpts_of(evidence, Cuts(NIGHT, other), 1_200)
    assert [x.score for own in excerpts.values() for x in own] == [0.25, 1.0]


@pytest.mark.parametrize("score", [0.0, -3.0])
def test_a_result_without_good_scores_has_excerpts_with_zero(score: float) -> None:
    assert [x.score for x in of_one((NIGHT, score))] == [0.0]


def test_there_are_two_at_most() -> None:
    page = "One.\n\nA\n\nTwo.\n\nB\n\nThree."
    cuts = [(cut(text, page=page), 1.0) for text in ("One.", "Two.", "Three.")]
    assert [x.text for x in of_one(*cuts, page=page)] == ["One.", "Two."]


def test_a_passage_that_gives_the_same_again_makes_room_for_another() -> None:
    inside = replace(EGGS, start=EGGS.start + 2)
    assert len(of_one((EGGS, 0.9), (inside, 0.8), (YOUNG, 0.7))) == 2


def test_a_passage_of_which_nothing_may_be_shown_gives_nothing() -> None:
    excerpts = excerpts_of({0: [passage(NIGHT)], 1: [passage(EGGS, source=1)]}, Cuts(EGGS), 1_200)
    assert [len(excerpts[source]) for source in (0, 1)] == [0, 1]


def test_without_room_there_are_none() -> None:
    assert of_one((NIGHT, 1.0), max_chars=0) == []


def test_what_does_not_fit_is_cut_to_the_lead_and_whole_sentences_behind_it() -> None:
    page = "First one here. Second one here. Third one here. Fourth one here."
    given = cut(page, "Second one here.", page)
    texts = [of_one((given, 1.0), max_chars=n, page=page)[0].text for n in (16, 40, 50)]
    assert texts == [
        "Second one here.",
        "Second one here. Third one here.",
        "Second one here. Third one here. Fourth one here.",
    ]


def test_a_lead_that_does_not_fit_is_cut_after_a_sentence() -> None:
    page = "First one here. Second one here."
    (excerpt,) = of_one((cut(page, page=page), 1.0), max_chars=20, page=page)
    assert excerpt.text == "First one here."
    assert excerpt.lead_end == excerpt.end


@pytest.mark.parametrize(
    ("max_chars", "text"), [(11, "A sentence"), (10, "A sentence"), (9, "A"), (1, "A")]
)
def test_a_sentence_that_does_not_fit_is_cut_between_words(max_chars: int, text: str) -> None:
    page = "A sentence without an end"
    assert of_one((cut(page, page=page), 1.0), max_chars=max_chars, page=page)[0].text == text


def test_a_word_that_does_not_fit_is_cut_inside() -> None:
    (excerpt,) = of_one((cut("x" * 99, page="x" * 99), 1.0), max_chars=7, page="x" * 99)
    assert excerpt.text == "x" * 7


def test_a_further_one_is_left_out_when_its_lead_does_not_fit() -> None:
    room = EGGS.end - EGGS.start + 20
    assert [x.start for x in of_one((EGGS, 0.9), (YOUNG, 0.8), max_chars=room)] == [EGGS.start]


def test_headings_are_few_and_short() -> None:
    evidence = replace(passage(NIGHT), headings=tuple(str(n) * 1_000 for n in range(9)))
    (excerpt,) = excerpts_of({0: [evidence]}, Cuts(NIGHT), 1_200)[0]
    assert [(x[0], len(x)) for x in excerpt.headings] == [(str(n), 200) for n in range(3, 9)]


@st.composite
def pages_with_cuts(draw: st.DrawFn) -> tuple[str, list[tuple[Cut, float]]]:
    page = draw(st.text(alphabet="ab. \n😀e\u0301漢。|", min_size=1, max_size=120))
    found: dict[int, tuple[Cut, float]] = {}
    for _ in range(draw(st.integers(0, 5))):
        a, b, c, d = sorted(draw(st.integers(0, len(page))) for _ in range(4))
        if a < b < c:
            found[a] = Cut(a, d, b, c), draw(st.floats(-1, 2, allow_nan=False))
    return page, list(found.values())


@given(pages_with_cuts(), st.integers(0, 130))
def test_whatever_is_cut_is_verbatim_bounded_and_apart(
    given_page: tuple[str, list[tuple[Cut, float]]], max_chars: int
) -> None:
    page, cuts = given_page
    excerpts = of_one(*cuts, max_chars=max_chars, page=page)
    assert sum(len(x.text) for x in excerpts) <= max_chars
    assert [x.score for x in excerpts] == sorted((x.score for x in excerpts), reverse=True)
    for x in excerpts:
        assert x.text == page[x.start : x.end]
        assert x.start <= x.lead_start < x.lead_end <= x.end
        assert not any(x.start < y.end and y.start < x.end for y in excerpts if y is not x)
