"""Scoring the sources of an answer: facts in, order and basis out."""

import uuid
from datetime import UTC, datetime
from typing import Any

import pytest

from app.domains.library.passages.store import LocatedPassage, Snapshot
from app.domains.search.searches.source_quality import Material, ScoredSource, SourceFacts, score
from app.engine.answer.evidence import Answer, Citation, Confidence
from app.engine.search.interface import IndexedPassage
from app.engine.search.overlap import Relevance
from app.engine.search.query import parse
from app.engine.search.rank import RankedPassage
from app.engine.text import analysis

NOW = datetime(2026, 11, 1, tzinfo=UTC)
EGGS = "The barn owl lays 5 eggs in April."
OTHER = "Voles are eaten by many birds of prey in winter and in summer."


def snapshot(url: str, text: str, simhash: str, **facts: Any) -> Snapshot:
    facts = {"simhash": simhash, **facts}
    return Snapshot(uuid.uuid4(), url, None, text, "sha256:x", "en", None, facts, NOW)


def scored(
    snapshots: list[Snapshot],
    cited: int = 0,
    question: str = "owl eggs",
    scores: tuple[float, ...] = (1.0, 0.9, 0.8, 0.7, 0.6),
    **more: Any,
) -> list[ScoredSource]:
    """Sources of equal relevance; the first sentence of the first `cited` of them is cited."""
    ranked, located = [], {}
    for i, x in enumerate(snapshots):
        passage = IndexedPassage(i, str(i), x.text, language="en")
        terms = frozenset((term, 1) for term in analysis.terms(x.text, "en"))
        ranked.append(RankedPassage(passage, scores[i], Relevance(0.9, 0.9, 0.5), terms))
        place = (0, len(x.text), [], x.text, x.url, None)
        located[i] = LocatedPassage(i, x.id, x.id, x.id, *place, "en", False, None, NOW)
    citations = tuple(
        Citation(i + 1, i, snapshots[i].text, 0, 9, 0, 9, "", "", 0, 9, "exact")
        for i in range(cited)
    )
    answer = Answer(
        "x", bool(cited), (), citations, tuple(range(len(snapshots))), Confidence(0.9, 0.9)
    )
    material = Material(snapshots, ranked, located, NOW, **more)
    return score(parse(question), answer, material)


A = snapshot("https://a.example.org/1", EGGS, "00000000000000ff")
COPY = snapshot("https://copy.example.net/", EGGS, "00000000000000fe")
SIBLING = snapshot("https://b.example.org/2", EGGS, "ff000000000000ff")
ALONE = snapshot("https://other.example.com/", EGGS, "ffff000000000000")
SILENT = snapshot("https://silent.example.edu/", OTHER, "0000ffff00000000")


def test_an_independent_source_that_says_the_same_supports() -> None:
    first = scored([A, SILENT, ALONE], cited=1)[0]
    agreed = first.basis["agreement"]
    assert (agreed["claims"], agreed["supported"], agreed["independent_sources"]) == (1, 1, 3)
    assert first.quality.agreement == 0.667


def test_supporters_are_named_by_their_numbers() -> None:
    found = scored([A, SILENT, ALONE], cited=1)
    (n,) = found[0].basis["agreement"]["supported_by"]
    assert found[n - 1].basis["authority"]["domain"] == "example.com"


@pytest.mark.parametrize("other", [COPY, SIBLING], ids=["a copy", "another page of one owner"])
def test_what_is_not_independent_supports_nothing(other: Snapshot) -> None:
    assert scored([A, other, SILENT], cited=1)[0].basis["agreement"]["supported"] == 0


def test_agreement_of_the_only_source_is_not_known() -> None:
    assert scored([A], cited=1)[0].quality.agreement is None


def test_a_source_that_is_not_cited_claims_nothing() -> None:
    assert scored([A, ALONE], cited=1)[1].quality.agreement is None


def test_cited_sources_keep_their_numbers_and_the_others_are_ordered() -> None:
    found = scored([A, ALONE, SILENT], cited=1, scores=(0.5, 0.7, 0.9))
    assert [x.source for x in found] == [0, 2, 1]


def test_the_quality_of_a_source_does_not_move_it() -> None:
    facts = SourceFacts(verdicts={"example.com": "deny", "example.edu": "allow"})
    found = scored([A, ALONE, SILENT], source_facts=facts)
    assert [x.source for x in found] == [0, 1, 2]


def test_no_source_is_left_out() -> None:
    facts = SourceFacts(verdicts={"example.org": "deny"})
    assert len(scored([A, COPY, SIBLING, ALONE, SILENT], source_facts=facts)) == 5


def test_a_denied_domain_is_denied_on_every_host() -> None:
    found = scored([A, SIBLING], source_facts=SourceFacts(verdicts={"example.org": "deny"}))
    assert {x.quality.quality_score for x in found} == {0.1}


def test_a_near_copy_of_a_better_source_says_how_near() -> None:
    found = {x.source: x for x in scored([A, COPY])}
    assert found[1].basis["content"]["distance_to_better"] == 1
    assert found[0].basis["content"]["distance_to_better"] is None


def test_a_limit_on_age_shortens_the_half_life() -> None:
    freshness = scored([A], fresh=True)[0].basis["freshness"]
    assert (freshness["wants_fresh"], freshness["half_life_days"]) == (True, 90)


@pytest.mark.parametrize(
    ("question", "matches"),
    [("nginx timeout", None), ("Wie viele Eier legt die Schleiereule?", False)],
)
def test_the_language_of_a_question_is_compared_if_it_shows(
    question: str, matches: bool | None
) -> None:
    assert scored([A], question=question)[0].basis["content"]["language_matches"] is matches


def test_files_of_a_folder_have_no_identity() -> None:
    note = snapshot("corpus://notes/a.md", EGGS, "0" * 16)
    assert scored([note])[0].quality.authority is None


def test_engines_and_links_come_into_authority() -> None:
    facts = SourceFacts(linking={"example.org": 50}, returning={A.id: 2}, engines_asked=2)
    basis = scored([A], source_facts=facts)[0].basis["authority"]
    assert (basis["linking_domains"], basis["engines_returning"]) == (50, 2)


def test_a_page_from_before_fingerprints_were_kept_gets_one() -> None:
    old = Snapshot(uuid.uuid4(), ALONE.url, None, OTHER, "x", "en", None, {}, NOW)
    assert scored([A, old], cited=1)[0].basis["agreement"]["independent_sources"] == 2
