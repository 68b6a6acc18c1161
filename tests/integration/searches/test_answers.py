"""The whole walk in one process: from the question to citations that can be checked."""

import hashlib
import re
from typing import Any

from app.core import db
from app.domains.library.corpora import service as corpora
from tests import builders
from tests.integration.searches.asking import Asking, sources


def test_the_answer_comes_from_the_page(answered: dict[str, Any]) -> None:
    assert answered["status"] == "completed"
    assert answered["result"]["answered"] is True
    assert "four to seven eggs" in answered["result"]["answer"]
    quality = answered["result"]["sources"][0]["quality"]
    assert quality["agreement"] is None  # which is not known
    assert quality["basis"]["agreement"]["independent_sources"] == 1
    assert 0 < quality["relevance"] <= 1
    result = answered["result"]
    assert 0.5 < result["confidence"] < result["sources_confidence"] <= 1


def test_every_marker_resolves_to_a_quote_of_the_hashed_snapshot_with_what_answers_in_it(
    ada: Asking, answered: dict[str, Any]
) -> None:
    result = answered["result"]
    markers = {int(n) for n in re.findall(r"\[(\d+)\]", result["answer"])}
    assert markers
    assert markers <= {source["n"] for source in result["sources"]}
    assert markers == {citation["n"] for citation in result["citations"]}
    for citation in result["citations"]:
        text = ada.snapshot(answered["id"], citation["source"])["text"]
        assert text[citation["start"] : citation["end"]] == citation["quote"]
        lead = range(citation["lead_start"], citation["lead_end"])
        assert citation["start"] <= lead.start < lead.stop <= citation["end"]
    (source,) = result["sources"]
    snapshot = ada.snapshot(answered["id"], source["n"])
    digest = hashlib.sha256(snapshot["text"].encode()).hexdigest()
    assert f"sha256:{digest}" == snapshot["content_hash"] == source["content_hash"]


def test_a_question_the_sources_do_not_answer_is_not_answered(ada: Asking, owls: None) -> None:
    question = "Which treaty ended the war of the roses between two kingdoms?"
    result = ada.ask(question)["result"]
    assert result["answered"] is False
    assert result["citations"] == []
    assert result["sources_confidence"] < 0.5


def test_an_empty_server_says_so(ada: Asking) -> None:
    found = ada.ask("Anything?")
    assert found["result"]["answered"] is False
    assert found["warnings"][0].startswith("nothing_indexed")


def test_a_server_that_reads_its_first_corpus_says_so(ada: Asking) -> None:
    with db.transaction() as tx:
        corpora.add(tx, "manual", "site", "https://docs.example.org/")
        corpora.refresh(tx, "manual")
    (warning,) = ada.ask("Anything?")["warnings"]
    assert warning.startswith("indexing_under_way")


def test_an_excluded_domain_is_not_a_source(ada: Asking, owls: None) -> None:
    assert sources(ada.ask(exclude_domains=["example.org"])) == []


def test_no_more_sources_than_asked_for(ada: Asking, owls: None) -> None:
    builders.indexed_page("https://b.example.org/", "# Owl eggs\n\nA clutch has five white eggs.")
    assert len(sources(ada.ask("How many eggs are in a clutch?", max_sources=1))) == 1


def test_the_snapshot_stays_when_its_page_changes(ada: Asking, answered: dict[str, Any]) -> None:
    with db.transaction() as tx:
        tx.execute("update snapshots set released_at = now() - interval '1 day'")
        tx.execute("delete from passages")
        tx.execute("select forget_snapshots(now(), 100)")
    assert "four to seven eggs" in ada.snapshot(answered["id"], 1)["text"]


def test_sources_that_disagree_are_told_apart(ada: Asking) -> None:
    for host, port in (("one.example.org", 5432), ("two.example.com", 5433)):
        text = f"# The owl server\n\nThe owl server listens on port {port} by default.\n"
        builders.indexed_page(f"https://{host}/port", text)
    result = ada.ask("Which port does the owl server listen on by default?")["result"]
    (found,) = result["contradictions"]
    assert set(found["values"]) == {"5432", "5433"}
    assert set(found["citations"]) == {citation["n"] for citation in result["citations"]}
