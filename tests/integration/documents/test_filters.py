"""A search narrowed by what an account says of its documents."""

from typing import Any

import pytest

from tests import builders
from tests.integration.documents.conftest import OWLS, Uploader

QUESTION = "How many eggs does a barn owl lay?"
SEARCH = "/external/v1/search"
DOCUMENTS = {
    "old.md": {"year": 1998, "team": "birds", "published": "1998-05-01", "draft": False},
    "new.md": {"year": 2024, "team": "birds", "published": "2024-02-29T23:30:00-05:00"},
    "plain.md": {},
}


@pytest.fixture
def corpus(ada: Uploader) -> str:
    """Three documents that answer the question; the address of their corpus."""
    corpus = ada.corpus()
    for eggs, (key, metadata) in zip(("four", "five", "six"), DOCUMENTS.items(), strict=True):
        ada.upload(corpus, key, OWLS.replace("four", eggs))
        answer = describe(ada, corpus, key, metadata)
        assert answer.status_code == 200, answer.get_json()
    return corpus


def describe(ada: Uploader, corpus: str, key: str, metadata: Any) -> Any:
    return ada.ask("PATCH", f"{corpus}/documents/{key}", json={"metadata": metadata})


def found(ada: Uploader, *conditions: dict[str, Any]) -> set[str]:
    """The keys of the documents that a search with these conditions finds."""
    sources = ada.sources(QUESTION, filter={"and": list(conditions)})
    return {url.rpartition("/")[2] for url in sources}


@pytest.mark.usefixtures("corpus")
def test_documents_that_meet_all_conditions_are_found(ada: Uploader) -> None:
    for condition, keys in (
        ({"field": "team", "eq": "birds"}, {"old.md", "new.md"}),
        ({"field": "year", "eq": 2024.0}, {"new.md"}),
        ({"field": "draft", "eq": False}, {"old.md"}),
        ({"field": "year", "eq": "2024"}, set()),
        ({"field": "year", "in": [1998, "x", True]}, {"old.md"}),
        ({"field": "year", "gt": 1998}, {"new.md"}),
        ({"field": "year", "gt": 1997, "lt": 2024}, {"old.md"}),
        ({"field": "team", "gt": 3}, set()),
        ({"field": "published", "lt": "1998-05-02"}, {"old.md"}),
        ({"field": "published", "gt": "2024-03-01"}, {"new.md"}),
        ({"field": "published", "eq": "2024-03-01T04:30:00Z"}, {"new.md"}),
        ({"field": "draft", "exists": True}, {"old.md"}),
        ({"field": "draft", "exists": False}, {"new.md", "plain.md"}),
        ({"field": "team", "eq": '" || true || "'}, set()),
    ):
        assert found(ada, condition) == keys, condition
    birds, late = {"field": "team", "eq": "birds"}, {"field": "year", "gt": 2000}
    assert found(ada, birds, late) == {"new.md"}


@pytest.mark.usefixtures("corpus")
def test_what_the_operator_indexed_has_no_metadata(ada: Uploader) -> None:
    builders.indexed_page("https://birds.example.org/owls", OWLS.replace("four", "three"))
    assert found(ada, {"field": "team", "exists": False}) == {"plain.md"}


def test_who_has_no_documents_finds_none(ada: Uploader) -> None:
    builders.indexed_page("https://birds.example.org/owls", OWLS)
    assert found(ada, {"field": "team", "exists": False}) == set()


@pytest.mark.usefixtures("corpus")
def test_documents_of_others_meet_no_condition(ada: Uploader, bob: Uploader) -> None:
    bob.upload(bob.corpus(), "theirs.md", OWLS)
    assert found(bob, {"field": "team", "eq": "birds"}) == set()
    assert found(ada, {"field": "team", "exists": False}) == {"plain.md"}


def test_a_corpus_and_a_filter_narrow_together(ada: Uploader, corpus: str) -> None:
    notes = ada.corpus("notes")
    ada.upload(notes, "note.md", OWLS)
    describe(ada, notes, "note.md", {"team": "birds"})
    where = {"and": [{"field": "team", "eq": "birds"}]}
    (source,) = ada.sources(QUESTION, corpora=["notes"], filter=where)
    assert source.endswith("/note.md")
    assert not source.startswith(f"corpus://{corpus.rpartition('/')[2]}")


def test_metadata_stays_when_the_document_is_replaced(ada: Uploader, corpus: str) -> None:
    document = ada.upload(corpus, "old.md", OWLS.replace("four", "nine"))
    assert document["version"] == 2
    assert document["metadata"] == DOCUMENTS["old.md"]
    assert found(ada, {"field": "year", "lt": 2000}) == {"old.md"}


def test_metadata_of_another_form_is_refused(ada: Uploader, corpus: str) -> None:
    for metadata in (
        None,
        [],
        {"Team": "x"},
        {"team\n": "x"},
        {'a"': "x"},
        {"": "x"},
        {"a" * 41: "x"},
        {"team": None},
        {"team": ["x"]},
        {"team": {"x": 1}},
        {"team": ""},
        {"team": "x" * 201},
        {"team": "a\u0000b"},
        {"year": 10**16},
        {f"f{n}": n for n in range(21)},
    ):
        assert describe(ada, corpus, "plain.md", metadata).status_code == 400, metadata
        assert ada.ask("GET", f"{corpus}/documents/plain.md").get_json()["metadata"] == {}, metadata


def test_a_filter_of_another_form_is_refused(ada: Uploader) -> None:
    for where in (
        {},
        {"and": []},
        {"or": [{"field": "team", "eq": "x"}]},
        {"and": [{"field": "team"}]},
        {"and": [{"field": "Team", "eq": "x"}]},
        {"and": [{"field": 'team" == 1 || $."x', "eq": "x"}]},
        {"and": [{"eq": "x"}]},
        {"and": [{"field": "team", "eq": None}]},
        {"and": [{"field": "team", "gt": True}]},
        {"and": [{"field": "team", "in": []}]},
        {"and": [{"field": "team", "in": ["x"] * 101}]},
        {"and": [{"field": "team", "exists": "yes"}]},
        {"and": [{"field": "team", "like": "x"}]},
        {"and": [{"field": "team", "eq": "x"}] * 21},
    ):
        answer = ada.ask("POST", SEARCH, json={"query": QUESTION, "filter": where})
        assert answer.status_code == 400, where
        assert answer.get_json()["error"]["details"][0]["field"].startswith("/filter"), where


def test_the_most_that_a_filter_can_say_is_answered(ada: Uploader, corpus: str) -> None:
    describe(ada, corpus, "plain.md", {f"f{n}": f"{'x' * 190}{n}" for n in range(20)})
    conditions = [
        {"field": f"f{n}", "in": [f"{'x' * 190}{m}" for m in range(100)]} for n in range(20)
    ]
    assert found(ada, *conditions) == {"plain.md"}
