"""Excerpts of the sources, from the request to the stored result."""

from typing import Any

from flask.testing import FlaskClient

from app.core import db
from app.core.config.settings import Settings
from tests import builders
from tests.unit.engine.pages.pdf_bytes import pdf

PATH = "/external/v1/search"
QUESTION = "How many eggs does a barn owl lay in a clutch?"


def sources_of(
    client: FlaskClient, settings: Settings, owner: dict[str, str], **body: Any
) -> list[dict[str, Any]]:
    """The sources of a search that is completed."""
    id = client.post(PATH, json={"query": QUESTION, **body}, headers=owner).json["id"]
    builders.work(settings, id)
    found: list[dict[str, Any]] = client.get(f"{PATH}/{id}", headers=owner).json["result"][
        "sources"
    ]
    return found


def test_excerpts_are_slices_of_the_snapshot_the_best_with_a_score_of_one_and_its_headings(
    client: FlaskClient, owner: dict[str, str], answered: dict[str, Any]
) -> None:
    (source,) = answered["result"]["sources"]
    path = f"{PATH}/{answered['id']}/sources/{source['n']}/snapshot"
    text = client.get(path, headers=owner).json["text"]
    assert source["excerpts"]
    for excerpt in source["excerpts"]:
        assert text[excerpt["start"] : excerpt["end"]] == excerpt["text"]
    best = source["excerpts"][0]
    assert (best["score"], best["headings"]) == (1.0, ["Barn owls", "Breeding"])
    assert "page" not in answered["result"]["citations"][0]  # of the web


def test_a_question_that_is_not_answered_has_excerpts_all_the_same(
    client: FlaskClient, settings: Settings, owner: dict[str, str], owls: None
) -> None:
    query = "Which treaty ended the war of the roses between two kingdoms of owls?"
    (source,) = sources_of(client, settings, owner, query=query)
    assert source["excerpts"]


def test_the_request_bounds_the_excerpts(
    client: FlaskClient, settings: Settings, owner: dict[str, str], owls: None
) -> None:
    (source,) = sources_of(client, settings, owner, max_excerpt_chars=40)
    assert 0 < sum(len(excerpt["text"]) for excerpt in source["excerpts"]) <= 40


def test_a_request_for_none_gets_none(
    client: FlaskClient, settings: Settings, owner: dict[str, str], owls: None
) -> None:
    assert sources_of(client, settings, owner, max_excerpt_chars=0)[0]["excerpts"] == []


def test_a_result_of_before_there_were_excerpts_can_be_read(
    client: FlaskClient, owner: dict[str, str], answered: dict[str, Any]
) -> None:
    with db.transaction() as tx:
        tx.execute("update searches set result = result #- '{sources,0,excerpts}'")
    (source,) = client.get(f"{PATH}/{answered['id']}", headers=owner).json["result"]["sources"]
    assert "excerpts" not in source


def test_a_citation_of_a_document_says_its_page(
    client: FlaskClient, settings: Settings, owner: dict[str, str], database: str
) -> None:
    filling = "Owls are watched by many."
    pages = [[(11, 700, f"{filling} Number {number}.")] for number in range(11)]
    eggs = [(24, 700, "Breeding"), (11, 660, "A clutch of the barn owl holds four to seven eggs.")]
    body = pdf(*pages, eggs, [(11, 700, filling)])
    builders.indexed_page("https://birds.example.org/owls.pdf", body, "application/pdf")
    id = client.post(PATH, json={"query": QUESTION}, headers=owner).json["id"]
    builders.work(settings, id)
    result = client.get(f"{PATH}/{id}", headers=owner).json["result"]
    assert [citation["page"] for citation in result["citations"]] == [12]
    assert result["sources"][0]["excerpts"][0]["page"] == 12
    snapshot = client.get(f"{PATH}/{id}/sources/1/snapshot", headers=owner).json
    assert snapshot["text"][snapshot["pages"][11] :].startswith("Breeding")
