"""Documents that are fetched from an address instead of being uploaded."""

from dataclasses import replace
from typing import Any

import pytest
from werkzeug.test import TestResponse

from app.domains.library.documents.service import content_hash
from app.engine.pages.formats.media_types import DOCX
from tests.integration.documents.conftest import OWLS, Uploader, read_all
from tests.internet import Internet
from tests.unit.engine.pages.packages import docx, paragraph

QUESTION = "How many eggs does a barn owl lay?"
TEXT = "Barn owls. The clutch of a barn owl holds four to seven eggs, which hatch after 30 days."


@pytest.fixture
def ada(ada: Uploader, internet: Internet) -> Uploader:
    """With a worker that may fetch from this machine."""
    allowed = f"127.0.0.1:{internet.port},localhost:{internet.port}"
    return replace(ada, settings=replace(ada.settings, extract_fetch_allow=allowed))


def put(ada: Uploader, corpus: str, url: Any, key: str = "owls") -> TestResponse:
    return ada.ask("PUT", f"{corpus}/documents/{key}", json={"url": url})


def fetched(ada: Uploader, corpus: str, url: str, key: str = "owls") -> dict[str, Any]:
    """The document after the fetch."""
    assert put(ada, corpus, url, key).status_code == 202
    read_all(ada.settings)
    document: dict[str, Any] = ada.ask("GET", f"{corpus}/documents/{key}").get_json()
    return document


def test_it_is_fetched_and_cited_by_its_address(ada: Uploader, internet: Internet) -> None:
    corpus, url = ada.corpus(), internet.page("/owls", TEXT)
    waiting = put(ada, corpus, url).get_json()
    assert (waiting["state"], waiting["url"], waiting["content_hash"]) == ("waiting", url, None)
    read_all(ada.settings)
    document = ada.ask("GET", f"{corpus}/documents/owls").get_json()
    assert (document["state"], document["title"]) == ("ready", "Barn owls")
    assert document["content_hash"] == content_hash(str(internet.pages["/owls"]).encode())
    assert document["media_type"] == "text/html"
    search = ada.search(QUESTION)
    assert "four to seven eggs" in search["result"]["answer"]
    assert [x["url"] for x in search["result"]["sources"]] == [url]


def test_a_file_there_is_read_as_an_upload_of_it_is(ada: Uploader, internet: Internet) -> None:
    body = docx(paragraph(TEXT))
    internet.pages["/owls"] = 200, {"Content-Type": DOCX}, body
    document = fetched(ada, ada.corpus(), f"{internet.url}/owls")
    assert (document["state"], document["media_type"]) == ("ready", DOCX)
    assert document["content_hash"] == content_hash(body)
    assert ada.sources(QUESTION) == [f"{internet.url}/owls"]


def test_its_bytes_count_once_it_is_there(ada: Uploader, internet: Internet) -> None:
    corpus = ada.corpus()
    put(ada, corpus, internet.page("/owls", TEXT))
    assert ada.ask("GET", corpus).get_json()["bytes"] == 0
    read_all(ada.settings)
    size = len(str(internet.pages["/owls"]))
    assert ada.ask("GET", corpus).get_json()["bytes"] == size
    ada.upload(corpus, "owls", OWLS, content_type="text/markdown")
    assert ada.ask("GET", corpus).get_json()["bytes"] == len(OWLS)
    ada.ask("DELETE", f"{corpus}/documents/owls")
    assert ada.ask("GET", corpus).get_json()["bytes"] == 0


def test_what_would_be_too_many_bytes_is_not_kept(ada: Uploader, internet: Internet) -> None:
    corpus, small = ada.corpus(), replace(ada.settings, corpora_bytes=len(OWLS))
    document = fetched(replace(ada, settings=small), corpus, internet.page("/owls", TEXT))
    assert (document["state"], document["reason"]) == ("failed", "quota_exceeded")
    assert ada.ask("GET", corpus).get_json()["bytes"] == 0


def test_it_is_fetched_once_however_often_it_is_asked_for(
    ada: Uploader, internet: Internet
) -> None:
    corpus, url = ada.corpus(), internet.page("/owls", TEXT)
    assert [put(ada, corpus, url).status_code for _ in range(2)] == [202, 200]
    read_all(ada.settings)
    assert internet.requests["/owls"] == 1


def test_a_page_is_replaced_when_it_has_changed_and_stays_while_it_cannot_be_fetched(
    ada: Uploader, internet: Internet
) -> None:
    corpus, url = ada.corpus(), internet.page("/owls", TEXT)
    before = fetched(ada, corpus, url)
    sources = ada.search(QUESTION)["result"]["sources"]
    same = fetched(ada, corpus, url)
    assert internet.requests["/owls"] == 2
    assert (same["state"], same["content_hash"]) == ("ready", before["content_hash"])
    assert ada.search(QUESTION)["result"]["sources"] == sources
    internet.page("/owls", TEXT.replace("four to seven", "nine to eleven"))
    assert fetched(ada, corpus, url)["version"] == same["version"] + 1
    assert "nine to eleven" in ada.search(QUESTION)["result"]["answer"]
    del internet.pages["/owls"]
    gone = fetched(ada, corpus, url)
    assert (gone["state"], gone["reason"]) == ("failed", "http_404")
    assert "nine to eleven" in ada.search(QUESTION)["result"]["answer"]


def test_another_address_of_the_same_text_is_cited_from_then_on(
    ada: Uploader, internet: Internet
) -> None:
    corpus = ada.corpus()
    fetched(ada, corpus, internet.page("/owls", TEXT))
    other = internet.page("/moved", TEXT)
    fetched(ada, corpus, other)
    assert ada.sources(QUESTION) == [other]


def test_an_upload_takes_the_place_of_an_address(ada: Uploader, internet: Internet) -> None:
    corpus, url = ada.corpus(), internet.page("/owls", TEXT)
    fetched(ada, corpus, url)
    document = ada.upload(corpus, "owls", OWLS, content_type="text/markdown")
    assert (document["url"], document["media_type"]) == (None, "text/markdown")
    assert ada.sources(QUESTION) == [f"corpus://{corpus.rpartition('/')[2]}/owls"]


def test_a_page_that_is_not_to_be_indexed_is_not(ada: Uploader, internet: Internet) -> None:
    head = "<meta name=robots content=noindex>"
    document = fetched(ada, ada.corpus(), internet.page("/owls", TEXT, head=head))
    assert (document["state"], document["reason"]) == ("failed", "noindex")


def test_robots_txt_is_obeyed(ada: Uploader, internet: Internet) -> None:
    internet.pages["/robots.txt"] = (
        200,
        {"Content-Type": "text/plain"},
        b"User-agent: *\nDisallow: /owls\n",
    )
    document = fetched(ada, ada.corpus(), internet.page("/owls", TEXT))
    assert document["state"] == "failed"
    assert internet.requests["/owls"] == 0


def test_no_address_within_the_network_is_fetched(ada: Uploader, internet: Internet) -> None:
    strict = replace(ada, settings=replace(ada.settings, extract_fetch_allow=""))
    document = fetched(strict, ada.corpus(), internet.page("/owls", TEXT))
    assert (document["state"], internet.requests["/owls"]) == ("failed", 0)


def test_what_is_no_address_is_refused(ada: Uploader) -> None:
    corpus = ada.corpus()
    for url in ("owls", "ftp://example.org/", "http://", None, "https://" + "a" * 3000):
        answer = put(ada, corpus, url)
        assert answer.get_json()["error"]["details"][0]["field"] == "/url", url


def test_json_of_another_form_is_refused(ada: Uploader) -> None:
    path = f"{ada.corpus()}/documents/owls"
    for body in (b"[]", b"{", b'{"url": "https://example.org", "x": 1}', b"1" * 20_000):
        answer = ada.ask("PUT", path, data=body, content_type="application/json")
        assert answer.status_code in (400, 413), body[:20]
