"""What a sentence says for or against sites and languages, and the order that follows."""

from types import SimpleNamespace
from typing import Any

import pytest

from app.engine.search.preferences import Preference, read_preference, weigh
from app.engine.search.rank import RankedPassage


@pytest.mark.parametrize(
    ("text", "sites"),
    [
        ("Prefer docs.python.org", {"docs.python.org": True}),
        ("Use www.example.org first.", {"example.org": True}),
        (
            "Prefer a.example.org over b.example.org",
            {"a.example.org": True, "b.example.org": False},
        ),
        (
            "Never cite example.com; example.org is fine",
            {"example.com": False, "example.org": True},
        ),
        ("I don't trust example.com but example.org", {"example.com": False, "example.org": True}),
        ("Lieber example.de statt example.com", {"example.de": True, "example.com": False}),
        ("Likes tea. Pays 3.50 for it", {}),
    ],
)
def test_a_sentence_is_for_or_against_a_site(text: str, sites: dict[str, bool]) -> None:
    assert read_preference("x", text).sites == sites


@pytest.mark.parametrize(
    ("text", "languages"),
    [
        ("Answers from German pages", {"de": True}),
        ("Quellen auf Deutsch, nicht Englisch", {"de": True, "en": False}),
        ("Speaks no language", {}),
    ],
)
def test_a_sentence_is_for_or_against_a_language(text: str, languages: dict[str, bool]) -> None:
    assert read_preference("x", text).languages == languages


def test_labels_say_it_without_a_sentence() -> None:
    read = read_preference("x", "-", ["site:a.org", "avoid:b.org", "language:de-AT", "reading"])
    assert (read.sites, read.languages) == ({"a.org": True, "b.org": False}, {"de": True})


def ranked(*results: tuple[str, float]) -> list[RankedPassage]:
    """Each a host and a score; all in English."""
    made: list[Any] = [
        RankedPassage(SimpleNamespace(id=n, language="en", title=host), score, None, frozenset())  # type: ignore[arg-type]
        for n, (host, score) in enumerate(results)
    ]
    return made


def hosts(results: list[RankedPassage]) -> list[str]:
    return [result.passage.title for result in results]


def weighed(
    results: list[RankedPassage], *preferences: Preference
) -> tuple[list[RankedPassage], set[str]]:
    return weigh(results, preferences, lambda result: result.passage.title)


def test_a_liked_site_comes_before_what_fits_about_as_well() -> None:
    results = ranked(("b.org", 1.0), ("docs.a.org", 0.9), ("c.org", 0.2))
    ordered, counted = weighed(results, Preference("mine", {"a.org": True}))
    assert hosts(ordered) == ["docs.a.org", "b.org", "c.org"]
    assert counted == {"mine"}


def test_a_liked_site_does_not_come_before_what_fits_far_better() -> None:
    results = ranked(("b.org", 1.0), ("a.org", 0.4), ("c.org", 0.2))
    assert hosts(weighed(results, Preference("mine", {"a.org": True}))[0])[0] == "b.org"


def test_an_avoided_site_comes_last_and_is_not_left_out() -> None:
    results = ranked(("a.org", 1.0), ("b.org", 0.8), ("c.org", 0.5))
    ordered, _ = weighed(results, Preference("mine", {"a.org": False}))
    assert hosts(ordered) == ["b.org", "c.org", "a.org"]


def test_scores_stay_between_those_there_were() -> None:
    results = ranked(("a.org", 1.0), ("b.org", 0.8), ("c.org", 0.5))
    ordered, _ = weighed(results, Preference("mine", {"a.org": False, "c.org": True}))
    scores = [result.score for result in ordered]
    assert max(scores) == 1.0
    assert min(scores) >= 0.5
    assert scores == sorted(scores, reverse=True)


def test_what_nobody_prefers_stays_as_it_is() -> None:
    results = ranked(("a.org", 1.0), ("b.org", 0.8))
    assert weighed(results, Preference("mine", {"c.org": True})) == (results, set())


def test_a_name_within_another_is_another_site() -> None:
    results = ranked(("nota.org", 1.0), ("b.org", 0.8))
    assert weighed(results, Preference("mine", {"a.org": True}))[1] == set()
