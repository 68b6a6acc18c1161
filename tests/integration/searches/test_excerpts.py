"""Excerpts of the sources, from the request to the stored result."""

from typing import Any

from app.core import db
from tests import builders
from tests.integration.searches.asking import Asking
from tests.unit.engine.pages.pdf_bytes import pdf


def test_excerpts_are_slices_of_the_snapshot_the_best_with_a_score_of_one_and_its_headings(
    ada: Asking, answered: dict[str, Any]
) -> None:
    (source,) = answered["result"]["sources"]
    text = ada.snapshot(answered["id"], source["n"])["text"]
    assert source["excerpts"]
    for excerpt in source["excerpts"]:
        assert text[excerpt["start"] : excerpt["end"]] == excerpt["text"]
    best = source["excerpts"][0]
    assert (best["score"], best["headings"]) == (1.0, ["Barn owls", "Breeding"])
    assert "page" not in answered["result"]["citations"][0]  # of the web


def test_a_question_that_is_not_answered_has_excerpts_all_the_same(ada: Asking, owls: None) -> None:
    question = "Which treaty ended the war of the roses between two kingdoms of owls?"
    (source,) = ada.ask(question)["result"]["sources"]
    assert source["excerpts"]


def test_the_request_bounds_the_excerpts(ada: Asking, owls: None) -> None:
    lengths = []
    for most in (40, 0):
        (source,) = ada.ask(max_excerpt_chars=most)["result"]["sources"]
        lengths.append(sum(len(excerpt["text"]) for excerpt in source["excerpts"]))
    assert 0 < lengths[0] <= 40
    assert lengths[1] == 0


def test_a_result_of_before_there_were_excerpts_can_be_read(
    ada: Asking, answered: dict[str, Any]
) -> None:
    with db.transaction() as tx:
        tx.execute("update searches set result = result #- '{sources,0,excerpts}'")
    (source,) = ada.get(f"/{answered['id']}").json["result"]["sources"]
    assert "excerpts" not in source


def test_a_citation_of_a_document_says_its_page(ada: Asking) -> None:
    filling = "Owls are watched by many."
    pages = [[(11, 700, f"{filling} Number {number}.")] for number in range(11)]
    eggs = [(24, 700, "Breeding"), (11, 660, "A clutch of the barn owl holds four to seven eggs.")]
    body = pdf(*pages, eggs, [(11, 700, filling)])
    builders.indexed_page("https://birds.example.org/owls.pdf", body, "application/pdf")
    found = ada.ask()
    assert [citation["page"] for citation in found["result"]["citations"]] == [12]
    assert found["result"]["sources"][0]["excerpts"][0]["page"] == 12
    snapshot = ada.snapshot(found["id"], 1)
    assert snapshot["text"][snapshot["pages"][11] :].startswith("Breeding")
