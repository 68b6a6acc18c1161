"""Formula q1: range, monotony, unknown parts, each part's rule."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Literal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.engine.answer.confidence.quality import (
    ContentFacts,
    PublisherIdentity,
    SourceFacts,
    Support,
    agreement,
    authority,
    content,
    freshness,
    independent,
    quality,
)
from app.engine.search.overlap import Relevance

NOW = datetime(2026, 11, 1, tzinfo=UTC)
GOOD = Relevance(1.0, 1.0, 1.0)
POOR = Relevance(0.1, 0.1, 0.0)
BARE = SourceFacts([GOOD], NOW)

shares = st.floats(0, 1)
relevances = st.builds(Relevance, shares, shares, shares)
facts = st.builds(
    SourceFacts,
    relevance=st.lists(relevances, max_size=3),
    now=st.just(NOW),
    linking_domains=st.none() | st.integers(0, 99),
    identity=st.none() | st.builds(PublisherIdentity, *[st.booleans()] * 4),
    published_at=st.none() | st.just(NOW - timedelta(days=400)),
    wants_fresh=st.booleans(),
    content=st.none() | st.builds(ContentFacts, st.integers(0, 900), st.none() | shares),
    support=st.none() | st.builds(Support, st.integers(0, 3), st.integers(0, 3), st.integers(0, 3)),
)


def test_unknown_parts_are_none_and_trust_is_a_half() -> None:
    result = quality(BARE)
    assert (result.authority, result.content, result.agreement, result.freshness) == (None,) * 4
    assert result.quality_score == pytest.approx(GOOD.probability * 0.75, abs=0.0006)


def test_source_without_relevance_scores_zero() -> None:
    assert quality(SourceFacts([], NOW, listed="allow")).quality_score == 0.0


def test_best_passage_speaks_for_the_source() -> None:
    assert quality(replace(BARE, relevance=[POOR, GOOD])) == quality(BARE)


def test_denied_domain_has_a_tenth() -> None:
    assert quality(replace(BARE, listed="deny")).quality_score == 0.1


@pytest.mark.parametrize(("listed", "expected"), [("allow", 1.0), ("deny", 0.0)])
def test_a_list_decides_authority_alone(listed: Literal["allow", "deny"], expected: float) -> None:
    assert authority(replace(BARE, listed=listed, linking_domains=50)) == expected


def test_authority_is_the_mean_of_what_is_known() -> None:
    x = replace(BARE, linking_domains=50, identity=PublisherIdentity(True, True, False, False))
    assert authority(x) == pytest.approx(0.75)


def test_engine_consensus_needs_engines_asked() -> None:
    assert authority(replace(BARE, engines_returning=0, engines_asked=0)) is None
    assert authority(replace(BARE, engines_returning=1, engines_asked=4)) == 0.25


@pytest.mark.parametrize(
    ("facts", "expected"),
    [
        (ContentFacts(300, 0.5, True, False, 20), 1.0),
        (ContentFacts(300, distance_to_better=3), 0.5),
        (ContentFacts(300, 0.5, True, True), 0.8),
    ],
    ids=["full", "nearly a copy of a better source", "blocked"],
)
def test_content(facts: ContentFacts, expected: float) -> None:
    assert content(facts) == pytest.approx(expected)


def test_agreement_needs_a_second_independent_source() -> None:
    assert agreement(Support(2, 0, 1)) is None
    assert agreement(Support(2, 1, 2)) == 0.5


def test_date_in_the_future_is_not_believed() -> None:
    assert freshness(NOW + timedelta(days=1), NOW, False) is None


@pytest.mark.parametrize(("days", "fresh", "expected"), [(90, True, 0.5), (1095.75, False, 0.75)])
def test_freshness_halves(days: float, fresh: bool, expected: float) -> None:
    assert freshness(NOW - timedelta(days=days), NOW, fresh) == pytest.approx(expected)


def test_sources_of_one_domain_are_not_independent() -> None:
    assert not independent("example.org", "example.org", 40)


def test_copied_text_is_not_independent() -> None:
    assert not independent("example.org", "example.com", 6)


PARTS = {
    "engines": lambda x, a: replace(x, engines_returning=a, engines_asked=4),
    "links": lambda x, a: replace(x, linking_domains=25 * a),
    "passages": lambda x, a: replace(x, relevance=[*x.relevance, *[POOR] * a]),
    "support": lambda x, a: replace(x, support=Support(4, a, 2)),
    "words": lambda x, a: replace(x, content=ContentFacts(a * 75)),
    "main text": lambda x, a: replace(x, content=ContentFacts(99, main_text_ratio=a / 8)),
    "language": lambda x, a: replace(x, content=ContentFacts(99, language_matches=a > 2)),
    "not blocked": lambda x, a: replace(x, content=ContentFacts(99, blocked=a < 2 and "paywall")),
    "distance": lambda x, a: replace(x, content=ContentFacts(99, distance_to_better=2 * a)),
    "identity": lambda x, a: replace(x, identity=PublisherIdentity(a > 0, a > 1, a > 2, a > 3)),
    "youth": lambda x, a: replace(x, published_at=NOW - timedelta(days=99 * (4 - a))),
}


@settings(max_examples=100)
@given(part=st.sampled_from(sorted(PARTS)), x=facts, a=st.integers(0, 4), b=st.integers(0, 4))
def test_the_score_never_falls_as_a_fact_gets_better(
    part: str, x: SourceFacts, a: int, b: int
) -> None:
    low, high = sorted((a, b))
    better = quality(PARTS[part](x, high)).quality_score
    assert better >= quality(PARTS[part](x, low)).quality_score


@given(facts)
def test_the_score_is_the_formula_over_the_parts_that_are_known(x: SourceFacts) -> None:
    result = quality(x)
    weights = {"authority": 0.35, "content": 0.25, "agreement": 0.25, "freshness": 0.15}
    known = {name: w for name, w in weights.items() if getattr(result, name) is not None}
    mean = sum(w * getattr(result, name) for name, w in known.items()) / (sum(known.values()) or 1)
    trust = mean if known else 0.5
    assert result.quality_score == pytest.approx(result.relevance * (0.5 + 0.5 * trust), abs=0.003)


def test_identity_is_the_mean_of_what_is_known() -> None:
    assert authority(replace(BARE, identity=PublisherIdentity(True, False, None, None))) == 0.5
