"""The operator's lists, and the links between what was crawled."""

from datetime import UTC, datetime
from uuid import UUID

import pytest

from app.core import ids
from app.core.db import Tx
from app.domains.library.corpora import differences
from app.domains.library.corpora import service as corpora
from app.domains.library.corpora.service import linking_domains
from app.domains.library.corpora.visits import READ, UNCHANGED, Visit
from app.domains.library.corpora.web import linked_domains
from app.domains.library.passages.prepared import prepare
from app.domains.library.sources import service as sources
from app.domains.library.sources import store
from app.engine.pages.page import Page
from app.engine.pages.read import read
from app.engine.sandbox.prepare import prepare_page


@pytest.mark.parametrize(
    "name", ["example.co.uk", "WWW.Example.CO.UK.", "https://a.b.example.co.uk:8443/x?y"]
)
def test_a_verdict_is_on_the_registrable_domain(tx: Tx, name: str) -> None:
    assert sources.judge(tx, name, "deny") == "example.co.uk"
    assert sources.verdicts(tx, {"example.co.uk", "other.org"}) == {"example.co.uk": "deny"}


def test_a_domain_may_be_named_in_its_own_script(tx: Tx) -> None:
    sources.judge(tx, "www.Bücher.example", "allow")
    assert [x.domain for x in store.every(tx)] == ["xn--bcher-kva.example"]


def test_the_last_verdict_holds(tx: Tx) -> None:
    sources.judge(tx, "example.org", "deny")
    sources.judge(tx, "example.org", "allow")
    assert [x.verdict for x in store.every(tx)] == ["allow"]


def test_what_is_forgotten_is_on_no_list(tx: Tx) -> None:
    sources.judge(tx, "example.org", "deny")
    sources.forget(tx, "docs.example.org")
    assert store.every(tx) == []


def test_only_what_is_listed_can_be_forgotten(tx: Tx) -> None:
    with pytest.raises(sources.DomainNotListed):
        sources.forget(tx, "example.org")


@pytest.mark.parametrize("name", ["", "no domain", "file:///etc/passwd", "https://"])
def test_what_is_no_domain_is_refused(tx: Tx, name: str) -> None:
    with pytest.raises(sources.NotADomain):
        sources.judge(tx, name, "allow")


def crawl(tx: Tx, name: str, url: str, *linked: str) -> UUID:
    """A refreshed corpus of one page with these links."""
    corpus_id, job_id = corpora.add(tx, name, "site", url), ids.new()
    now, id = datetime.now(UTC), ids.new()
    page = read(f"This is {name}.\n".encode(), "text/plain", None, url)
    prepared = prepare(corpus_id, id, url, prepare_page(page), now)
    visit = Visit(
        id=id, url=url, outcome=READ, fetched_at=now, prepared=prepared, linked_domains=linked
    )
    differences.record(tx, corpus_id, job_id, [visit])
    corpora.finish(tx, corpus_id)
    return corpus_id


def test_links_are_counted_by_distinct_registrable_domain(tx: Tx) -> None:
    crawl(tx, "one", "https://a.example.org/", "target.net")
    crawl(tx, "two", "https://b.example.org/", "target.net")
    crawl(tx, "three", "https://example.com/", "target.net")
    assert linking_domains(tx, {"target.net", "example.com"}) == {
        "target.net": 2,
        "example.com": 0,
    }


def test_nobody_else_was_asked(tx: Tx) -> None:
    crawl(tx, "one", "https://example.org/", "target.net")
    assert linking_domains(tx, {"example.org"}) == {"example.org": None}


def test_a_removed_corpus_links_to_nobody(tx: Tx) -> None:
    crawl(tx, "one", "https://example.org/", "target.net")
    crawl(tx, "two", "https://example.com/")
    corpora.remove(tx, "one")
    assert linking_domains(tx, {"target.net"}) == {"target.net": 0}


def test_an_unchanged_page_keeps_its_links(tx: Tx) -> None:
    corpus_id = crawl(tx, "one", "https://example.org/", "target.net")
    again = Visit(
        id=ids.new(),
        url="https://example.org/",
        outcome=UNCHANGED,
        fetched_at=datetime.now(UTC),
    )
    differences.record(tx, corpus_id, ids.new(), [again])
    corpora.finish(tx, corpus_id)
    assert linking_domains(tx, {"target.net"}) == {"target.net": 1}


def test_linked_domains_are_others_each_once_and_not_without_end() -> None:
    links = [f"https://www.site{i}.example.com.au/" for i in range(300)]
    links = ["https://docs.own.org/x", "https://a.b.co.uk/", "https://b.co.uk/y", *links]
    found = linked_domains("https://own.org/", Page("text", links=tuple(links)))
    assert found[:2] == ("b.co.uk", "example.com.au")


def test_a_page_that_vouches_for_no_link_links_to_nobody() -> None:
    page = Page("text", links=("https://other.org/",), nofollow=True)
    assert linked_domains("https://own.org/", page) == ()
