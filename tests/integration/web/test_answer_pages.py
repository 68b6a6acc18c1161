"""The answer of a search on its page, its citations, and the stored pages behind them."""

import json
import re
from html import unescape

import pytest
from flask import Flask
from psycopg.types.json import Jsonb

from app.core import db, ids
from app.core.ids import Noun
from app.domains.records.page_jobs.verification import quote_check, verifications
from tests import builders
from tests.integration.searches.conftest import OWLS
from tests.visiting import Visitor

QUESTION = "How many eggs does a barn owl lay in a clutch?"
HOSTILE = (
    '</pre><script>alert(1)</script><form action="//evil.example"><base href="//evil.example">'
    '<meta http-equiv="refresh" content="0;url=//evil.example"><img src="//evil.example/x.png">'
)
LEAD = "A clutch holds four to seven eggs, which hatch after 30 days."
DISAGREE = "update searches set result = result || %(changes)s where id = %(id)s"
TAMPER = "update snapshots set text = replace(text, %(old)s, %(new)s)"


@pytest.fixture(scope="module", autouse=True)
def owls(site: Flask) -> None:
    builders.indexed_page("https://birds.example.org/owls", OWLS)


def asked(site: Flask, browser: Visitor, question: str) -> str:
    """The address of a search that has its answer."""
    address: str = browser.post("/searches", {"query": question}).headers["Location"]
    builders.work(site.extensions["settings"], address.rpartition("/")[2])
    return address


@pytest.fixture
def answered(site: Flask, browser: Visitor) -> str:
    return asked(site, browser, QUESTION)


def frame_of(panel: str) -> str:
    """The address of the stored page in a panel."""
    [frame] = re.findall(r'<iframe class="stored" sandbox [^>]*src="([^"]*)"', panel)
    return unescape(frame).removesuffix("#hit")


def test_markers_are_the_citations_and_each_opens_the_stored_page_with_its_quote(
    browser: Visitor, answered: str
) -> None:
    page = browser.get(answered).text
    citations = browser.get(f"{answered}.json").json["result"]["citations"]
    markers = re.findall(r'<a class="cite" id="cite-(\w+)"', page)
    assert markers == [str(citation["n"]) for citation in citations] == ["1"]
    assert "1 of 1 quote found in stored pages" in page
    assert re.search(r'data-copy="# How many eggs[^"]*&gt; A clutch holds four to seven', page)
    assert "> A clutch holds four to seven" in browser.get(f"{answered}.md").text

    panel = browser.get(f"{answered}?cite=1").text
    assert browser.get(f"{answered}?cite=9").status_code == 404
    alone = browser.get(f"{answered}/citations/1", live=True).text
    assert alone.lstrip().startswith('<section class="card citation" data-panel')

    frame = frame_of(panel)
    stored = browser.get(frame)
    assert f'<mark id="hit">{LEAD}' in stored.text
    policy = stored.headers["Content-Security-Policy"]
    assert policy.startswith(
        "sandbox; default-src 'none'; style-src 'self'; frame-ancestors 'self'"
    )
    assert browser.get(f"{frame}&end=7".replace("end=", "end=1", 1)).status_code == 404


def test_a_tampered_page_is_shown_as_such_and_acts_on_nothing(
    browser: Visitor, answered: str
) -> None:
    with db.transaction() as tx:
        tx.execute(TAMPER, {"old": "The barn owl", "new": f"{HOSTILE} The barn owl"})
    frame = frame_of(browser.get(f"{answered}?cite=1").text)
    moved = browser.get(frame).text
    assert "The hash of this text differs" in moved
    assert "<strong>Moved.</strong>" in moved
    assert not re.search(r"<(script|form|meta http|iframe|img|base)", moved)

    with db.transaction() as tx:
        tx.execute(TAMPER, {"old": "seven", "new": "nine"})
    page = browser.get(answered).text
    assert "0 of 1 quote found in stored pages" in page
    assert "Page has changed" in page
    assert "Answered" not in page
    assert "Quote not found in stored page" in browser.get(f"{answered}?cite=1").text
    lost = browser.get(frame).text
    assert "Quote not found in stored page" in lost
    assert "<mark" not in lost
    with db.transaction() as tx:
        tx.execute(TAMPER, {"old": "nine", "new": "seven"})
        tx.execute(TAMPER, {"old": f"{HOSTILE} ", "new": ""})


@pytest.fixture
def disagreeing(answered: str) -> str:
    """A search whose sources disagree, though the estimate is as high as it can be."""
    changes = {
        "confidence": 1.0,
        "contradictions": [{"values": ["four to seven", "nine"], "citations": [1, 2]}],
    }
    id = ids.internal(Noun.SEARCH, answered.rpartition("/")[2])
    with db.transaction() as tx:
        tx.execute(DISAGREE, {"changes": Jsonb(changes), "id": id})
    return answered


def test_sources_that_disagree_are_the_state_of_the_answer(
    browser: Visitor, disagreeing: str
) -> None:
    page = browser.get(disagreeing).text
    assert "</span> Sources disagree</span>" in page
    assert "</span> Answered</span>" not in page
    assert "confidence" not in page


def test_programs_get_the_state_that_the_page_shows(browser: Visitor, disagreeing: str) -> None:
    assert json.loads(browser.get(f"{disagreeing}.json").text)["result"]["state"] == (
        "sources_disagree"
    )


def test_a_confidence_is_an_estimate_and_never_one(browser: Visitor, answered: str) -> None:
    id = ids.internal(Noun.SEARCH, answered.rpartition("/")[2])
    with db.transaction() as tx:
        tx.execute(DISAGREE, {"changes": Jsonb({"confidence": 1.0}), "id": id})
    assert "confidence about 0.99<" in browser.get(answered).text


def test_an_answer_that_is_more_probably_not_right_is_shown_as_a_perhaps(
    browser: Visitor, answered: str
) -> None:
    id = ids.internal(Noun.SEARCH, answered.rpartition("/")[2])
    with db.transaction() as tx:
        tx.execute(DISAGREE, {"changes": Jsonb({"confidence": 0.3}), "id": id})
    page = browser.get(answered).text
    assert "</span> Perhaps</span>" in page
    assert "confidence about 0.30<" in page
    assert "but may not answer it" in page


def test_a_refusal_shows_what_came_nearest(site: Flask, browser: Visitor) -> None:
    address = asked(site, browser, "How many barn doors has a clutch?")
    page = browser.get(address).text
    assert "No answer" in page
    assert "Nearest passages" in page
    assert f'href="/?from={address.rpartition("/")[2]}"' in page


def test_a_search_that_runs_shows_its_stage_until_it_is_cancelled(browser: Visitor) -> None:
    address = browser.post("/searches", {"query": QUESTION}).headers["Location"]
    page = browser.get(address).text
    assert '<noscript><meta http-equiv="refresh"' in page
    assert f'sse-connect="{address}/events"' in page
    polled = browser.get(address, live=True)
    assert polled.status_code == 200
    assert "<html" not in polled.text
    assert browser.post(f"{address}/cancel").headers["Location"] == address
    ended = browser.get(address, live=True)
    assert ended.status_code == 286
    assert "Cancelled" in ended.text
    assert 'role="status" hx-swap-oob="true">Search finished: no answer.' in ended.text
    assert "completed" in browser.get(f"{address}/events").text


def test_a_quote_is_compared_with_the_live_page(
    browser: Visitor, answered: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(verifications, "WAIT_SECONDS", 0.0)
    panel = browser.post(f"{answered}/citations/1/check").headers["Location"]
    assert panel.startswith(f"{answered}?cite=1&check=vfy_")
    assert "Reading the live page" in browser.get(panel).text
    id = ids.internal(Noun.VERIFICATION, panel.rpartition("=")[2])
    assert id is not None
    now = quote_check.verify("A clutch holds five to nine eggs, which hatch after 30 days.", LEAD)
    with db.transaction() as tx:
        verifications.complete(tx, id, now, fetched_at="2026-11-22T09:00:00Z")
        tx.execute("update jobs set state = 'succeeded' where id = %s", [id])
    compared = browser.get(panel).text
    assert "Page has changed" in compared
    assert "+ A clutch holds five to nine eggs" in compared


def test_the_first_quote_stands_beside_its_answer_until_it_is_closed(
    browser: Visitor, answered: str
) -> None:
    stored = '<iframe class="stored"'
    assert stored in browser.get(answered).text
    assert stored not in browser.get(f"{answered}?cite=").text


def test_a_source_that_is_cited_has_a_card_with_its_words(browser: Visitor, answered: str) -> None:
    page = browser.get(answered).text
    cards = page[page.index('<ol class="source-cards') :].partition("</ol>")[0]
    assert "birds.example.org, stored" in cards
    assert f"“{LEAD}" in cards
    assert cards.count("<li") == 1
