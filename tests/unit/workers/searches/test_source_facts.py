"""What is known of the sources of an answer, from a database that is a few functions here."""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from app.engine.answer.evidence import Answer
from app.engine.answer.extracts.extractive import answer
from app.engine.search.interface import IndexStats
from tests.unit.workers.searches import made
from workers.searches import source_facts as facts
from workers.searches.candidates import Candidates


@pytest.fixture
def looked_up(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The terms whose frequencies were asked for; the domains that were."""
    asked: list[str] = []

    @contextmanager
    def no_database() -> Iterator[None]:
        yield None

    def stats(_: str, terms: list[str]) -> IndexStats:
        asked.extend(terms)
        return IndexStats(9, 9.0, dict.fromkeys(terms, 1))

    monkeypatch.setattr(facts.db, "reading", no_database)
    monkeypatch.setattr(facts.sources, "verdicts", lambda _, domains: dict.fromkeys(domains))
    monkeypatch.setattr(facts, "linking_domains", lambda _, domains: dict.fromkeys(domains))
    monkeypatch.setattr(type(facts.RETRIEVER), "stats", lambda _, ns, terms: stats(ns, terms))
    return asked


def cited(candidates: Candidates) -> Answer:
    return answer(made.query(), candidates.evidence(), candidates.stats)


def test_lists_and_links_are_looked_up_by_registrable_domain(looked_up: list[str]) -> None:
    candidates = made.candidates(made.snapshot("https://birds.example.org/owls"))
    found = facts.source_facts(candidates, cited(candidates))
    assert set(found.verdicts) == set(found.linking) == {"example.org"}


def test_frequencies_that_the_search_knows_are_not_asked_for_again(looked_up: list[str]) -> None:
    candidates = made.candidates(made.snapshot())
    found = facts.source_facts(candidates, cited(candidates))
    assert looked_up == []
    assert found.stats == candidates.stats


def test_frequencies_of_other_terms_that_are_cited_are_added(looked_up: list[str]) -> None:
    candidates = made.candidates(made.snapshot())
    quoted = cited(candidates)
    assert isinstance(candidates.stats.df, dict)
    del candidates.stats.df["clutch"]
    found = facts.source_facts(candidates, quoted)
    assert looked_up == ["clutch"]
    assert (found.stats.n, found.stats.df["clutch"]) == (1_000, 1)
