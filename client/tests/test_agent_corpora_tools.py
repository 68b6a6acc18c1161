"""The tools about corpora, over a server that tests make up."""

import json

import httpx
import pytest
from agents import found, refused, unasked
from answers import COMPLETED, RUNNING, Recording, accepted, refusal
from corpora_answers import Corpora


def test_corpora_are_listed_with_their_counts() -> None:
    shown = found(Corpora("notes"), "service_list_corpora")
    (corpus,) = shown["corpora"]
    assert corpus == {"name": "notes", "documents": 0, "waiting": 0, "failed": 0}


def test_without_a_corpus_it_is_said_how_to_make_one() -> None:
    assert "service_add_document" in found(Corpora(), "service_list_corpora")["next_step"]


def test_a_document_is_added_to_a_corpus_that_is_made_for_it() -> None:
    server = Corpora()
    arguments = {"corpus": "notes", "key": "owls.md", "text": "# Owls"}
    shown = found(server, "service_add_document", **arguments)
    assert (shown["corpus"], shown["key"], shown["state"]) == ("notes", "owls.md", "ready")
    assert server.bodies == {"owls.md": ("text/markdown", b"# Owls")}


def test_a_document_is_added_to_the_corpus_of_that_name_without_the_blanks_around_it() -> None:
    server = Corpora("notes")
    shown = found(server, "service_add_document", corpus=" notes ", key="owls.md", text="# Owls")
    assert (shown["corpus"], server.names) == ("notes", {"corp_notes": "notes"})
    assert '["notes"]' in shown["next_step"]


def test_a_corpus_that_another_call_makes_meanwhile_is_used() -> None:
    server = Corpora()

    def racing(request: httpx.Request) -> httpx.Response:
        answer = server(request)
        made = request.method == "POST"
        return refusal(409, "corpus_exists") if made else answer

    found(racing, "service_add_document", corpus="notes", key="owls.md", text="# Owls")
    assert server.bodies.keys() == {"owls.md"}


def test_a_key_without_the_scope_is_told_which_it_lacks() -> None:
    answer = refusal(403, "api_key_scope")
    assert "corpora" in refused(lambda _request: answer, "service_list_corpora")


def test_an_empty_document_is_not_sent() -> None:
    text = refused(unasked, "service_add_document", corpus="notes", key="a", text="")
    assert "text: " in text


@pytest.mark.parametrize("tool", ["service_search", "service_start_search"])
def test_a_search_asks_for_metadata(tool: str) -> None:
    server = Recording(
        accepted(), *(httpx.Response(200, json=each) for each in (RUNNING, COMPLETED))
    )
    found(server, tool, query="Eggs?", where=["year>2020", "team = birds"])
    conditions = [{"field": "year", "gt": 2020}, {"field": "team", "eq": "birds"}]
    assert json.loads(server.asked[0].content)["filter"] == {"and": conditions}


@pytest.mark.parametrize("condition", ["year", "year=", "Year=2020"])
def test_a_condition_that_says_nothing_is_not_sent(condition: str) -> None:
    assert "where" in refused(unasked, "service_search", query="Eggs?", where=[condition])
