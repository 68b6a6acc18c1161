"""Sites that are read into a corpus, page by page."""

from dataclasses import dataclass, replace
from typing import Any

import pytest

from app.core import db, ids
from app.core.ids import Noun
from app.domains.library.sites import pages
from app.domains.library.sites.service import READ
from app.domains.queue.jobs import service as jobs
from tests import builders
from tests.integration.documents.conftest import OWLS, Uploader, read_all, told
from tests.internet import Internet
from workers.index import sites

QUESTION = "How many eggs does a barn owl lay?"
TEXT = "Barn owls. The clutch of a barn owl holds four to seven eggs, which hatch after 30 days."
WAITING = "select id from jobs where kind like 'sites.%%' and state = 'queued' order by id"


@dataclass(frozen=True)
class Reader:
    """An account with one corpus, into which it has sites read."""

    ada: Uploader
    internet: Internet
    corpus: str

    def add(self, path: str = "/", **given: Any) -> dict[str, Any]:
        """A site, read."""
        answer = self.ada.ask(
            "POST", f"{self.corpus}/sites", json={"url": self.internet.url + path, **given}
        )
        assert answer.status_code == 201, answer.get_json()
        return self.read(answer.get_json()["id"])

    def read(self, id: str) -> dict[str, Any]:
        """After all jobs about sites."""
        while ids := self.waiting():
            builders.run(self.ada.settings, ids)
        site: dict[str, Any] = self.ada.ask("GET", f"{self.corpus}/sites/{id}").get_json()
        return site

    def waiting(self) -> list[Any]:
        with db.reading() as reader:
            return list(db.values(reader, WAITING))

    def again(self, id: str) -> dict[str, Any]:
        answer = self.ada.ask("POST", f"{self.corpus}/sites/{id}/refresh")
        assert answer.status_code == 200, answer.get_json()
        return self.read(id)

    def documents(self) -> dict[str, dict[str, Any]]:
        """By their paths."""
        listed = self.ada.ask("GET", f"{self.corpus}/documents").get_json()["documents"]
        return {x["key"].removeprefix(self.internet.url): x for x in listed}

    def page(self, path: str, text: str, *links: str, head: str = "") -> None:
        hrefs = " ".join(f"<a href='{link}'>{link}</a>" for link in links)
        self.internet.page(path, f"{text}\n\n{hrefs}", head=head)


@pytest.fixture
def site(ada: Uploader, internet: Internet) -> Reader:
    allowed = f"127.0.0.1:{internet.port},localhost:{internet.port}"
    settings = replace(ada.settings, extract_fetch_allow=allowed, fetch_gap_seconds=0.0)
    ada = replace(ada, settings=settings)
    return Reader(ada, internet, ada.corpus())


def test_pages_are_found_by_their_links_and_cited_by_their_addresses(site: Reader) -> None:
    site.page("/", "Birds. All about birds in this country.", "/owls", "https://other.example/")
    site.page("/owls", TEXT, "/")
    site.ada.subscribe("corpus.ready")
    read = site.add()
    assert (read["state"], read["pages"], read["waiting"], read["failed"]) == ("ready", 2, 0, 0)
    assert {key: x["state"] for key, x in site.documents().items()} == {
        "/": "ready",
        "/owls": "ready",
    }
    assert site.ada.sources(QUESTION)[0] == f"{site.internet.url}/owls"
    (event,) = told()
    assert event["data"]["id"] == site.corpus.rpartition("/")[2]
    twice = site.ada.ask("POST", f"{site.corpus}/sites", json={"url": f"{site.internet.url}/"})
    assert (twice.status_code, twice.get_json()["error"]["code"]) == (409, "site_exists")


def test_a_sitemap_names_the_pages_or_says_that_it_lists_none(site: Reader) -> None:
    site.page("/owls", TEXT, "/unlisted")
    site.page("/unlisted", "Nothing about owls is said on this page.")
    empty = site.add("/sitemap.xml", kind="sitemap")
    assert (empty["state"], empty["reason"], empty["pages"]) == ("ready", "nothing_listed", 0)
    listed = f"<urlset><url><loc>{site.internet.url}/owls</loc></url></urlset>"
    site.internet.pages["/sitemap.xml"] = 200, {"Content-Type": "text/xml"}, listed.encode()
    assert site.again(empty["id"])["pages"] == 1
    assert list(site.documents()) == ["/owls"]


@pytest.mark.parametrize(
    "feed",
    [
        "<rss><channel><link>{0}/</link><item><link>{0}/owls</link></item></channel></rss>",
        "<feed xmlns='http://www.w3.org/2005/Atom'><link href='{0}/'/>"
        "<entry><link rel='self' href='{0}/feed'/><link href='{0}/owls'/></entry></feed>",
    ],
)
def test_a_feed_names_the_pages(site: Reader, feed: str) -> None:
    site.page("/owls", TEXT)
    body = feed.format(site.internet.url).encode()
    site.internet.pages["/feed"] = 200, {"Content-Type": "application/xml"}, body
    assert site.add("/feed", kind="sitemap")["pages"] == 1
    assert list(site.documents()) == ["/owls"]


def test_no_more_sitemaps_are_read_in_one_go_than_others_can_wait_for(
    site: Reader, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sites, "MOST_SITEMAPS", 3)
    listed = "".join(f"<sitemap><loc>{site.internet.url}/{n}.xml</loc></sitemap>" for n in range(9))
    index = f"<sitemapindex>{listed}</sitemapindex>".encode()
    site.internet.pages["/sitemap.xml"] = 200, {"Content-Type": "text/xml"}, index
    assert site.add("/sitemap.xml", kind="sitemap")["reason"] == "nothing_listed"
    assert sum(site.internet.requests[f"/{n}.xml"] for n in range(9)) == 2


@pytest.mark.parametrize("kind", ["site", "sitemap"])
def test_a_site_that_has_moved_to_another_origin_is_read_there(site: Reader, kind: str) -> None:
    site.page("/", "Birds. All about birds.", "/owls")
    site.page("/owls", TEXT)
    listed = f"<urlset><url><loc>{site.internet.url}/owls</loc></url></urlset>"
    site.internet.pages["/sitemap.xml"] = 200, {"Content-Type": "text/xml"}, listed.encode()
    there = "/" if kind == "site" else "/sitemap.xml"
    site.internet.pages["/old"] = 301, {"Location": site.internet.url + there}, b""
    site.ada.ask(
        "POST",
        f"{site.corpus}/sites",
        json={"url": f"{site.internet.other}/old", "kind": kind},
    )
    while waiting := site.waiting():
        builders.run(site.ada.settings, waiting)
    assert "/owls" in site.documents()


def test_addresses_that_are_gone_leave_their_room_to_others(site: Reader) -> None:
    site.page("/", "Birds. All about birds.", "/rooks")
    read = site.add(max_pages=2)
    site.page("/", "Birds. All about birds and more.", "/owls")
    site.page("/owls", TEXT)
    site.again(read["id"])
    assert sorted(site.documents()) == ["/", "/owls"]


def test_only_what_the_patterns_let_through_is_read(site: Reader) -> None:
    site.page("/docs/", "Docs. All about birds.", "/docs/owls", "/docs/old/owls", "/blog")
    site.page("/docs/owls", TEXT)
    for path in ("/docs/old/owls", "/blog"):
        site.page(path, "Something else entirely is on this page.")
    site.add("/docs/", include_paths=["/docs/"], exclude_paths=["/docs/old/"])
    assert sorted(site.documents()) == ["/docs/", "/docs/owls"]


def test_no_more_addresses_are_visited_than_were_asked_for(site: Reader) -> None:
    site.page("/", "Birds. All about birds.", *(f"/{n}" for n in range(10)))
    for n in range(10):
        site.page(f"/{n}", f"Page {n}. It is about the bird of number {n}.")
    assert site.add(max_pages=4)["pages"] == 4


def test_reading_again_takes_what_changed_and_drops_what_is_gone(site: Reader) -> None:
    site.page("/", "Birds. All about birds in this country.", "/owls", "/rooks")
    site.page("/owls", "Owls. Not a word about their young is written here yet.")
    site.page("/rooks", "Rooks. Their nests are high up in trees.")
    read = site.add()
    assert read["pages"] == 3
    before = site.documents()
    site.page("/owls", TEXT)
    del site.internet.pages["/rooks"]
    again = site.again(read["id"])
    after = site.documents()
    assert (again["pages"], again["failed"]) == (2, 1)
    assert again["failures"] == [{"url": f"{site.internet.url}/rooks", "reason": "http_404"}]
    assert sorted(after) == ["/", "/owls"]
    assert after["/"]["version"] == before["/"]["version"]
    assert after["/owls"]["version"] == before["/owls"]["version"] + 1
    assert site.ada.sources(QUESTION)[0] == f"{site.internet.url}/owls"
    assert site.ada.ask("GET", site.corpus).get_json()["documents"] == 2


def test_a_page_has_its_title_of_today_and_stays_while_it_fails(site: Reader) -> None:
    site.page("/", TEXT)
    read = site.add()
    before = site.internet.pages["/"]
    site.internet.pages["/"] = before.replace("<title>Barn owls</title>", "<title>Zebras</title>")
    site.again(read["id"])
    document = site.documents()["/"]
    assert (document["title"], document["version"]) == ("Zebras", 2)
    site.internet.pages["/"] = 503, {}, b""
    again = site.again(read["id"])
    assert again["failures"] == [{"url": f"{site.internet.url}/", "reason": "http_503"}]
    assert site.ada.sources(QUESTION) == [f"{site.internet.url}/"]


def test_a_page_is_kept_under_its_real_address(site: Reader) -> None:
    site.page("/", "Birds. All about birds.", "/moved", "/copy")
    site.internet.pages["/moved"] = 301, {"Location": "/owls"}, b""
    site.page("/copy", TEXT, head="<link rel=canonical href='/owls'>")
    site.page("/owls", TEXT)
    assert site.add()["failed"] == 0
    assert sorted(site.documents()) == ["/", "/owls"]


def test_a_page_with_two_addresses_is_kept_once(site: Reader) -> None:
    site.page("/", TEXT, "/index.html")
    site.page("/index.html", TEXT, "/index.html")
    read = site.add()
    assert (read["pages"], read["failed"], list(site.documents())) == (1, 0, ["/"])
    del site.internet.pages["/"]
    site.again(read["id"])
    assert list(site.again(read["id"])["failures"]) != []
    assert list(site.documents()) == ["/index.html"]


def test_what_was_uploaded_under_an_address_stays(site: Reader) -> None:
    key = f"{site.internet.url}/owls"
    site.page("/", "Birds. All about birds.", "/owls")
    site.page("/owls", "Another text about owls altogether.")
    site.ada.upload(site.corpus, key, OWLS, content_type="text/markdown")
    site.add()
    assert site.documents()["/owls"]["media_type"] == "text/markdown"


def test_a_site_that_cannot_be_reached_says_so(site: Reader) -> None:
    closed = replace(
        site, ada=replace(site.ada, settings=replace(site.ada.settings, extract_fetch_allow=""))
    )
    assert [x["reason"] for x in closed.add()["failures"]] == ["port_not_allowed"]


def test_no_more_pages_are_kept_than_the_account_may_have(site: Reader) -> None:
    site.page("/", "Birds. All about birds.", "/owls")
    site.page("/owls", TEXT)
    few = replace(site.ada, settings=replace(site.ada.settings, corpora_documents=1))
    read = replace(site, ada=few).add()
    assert (read["pages"], [x["reason"] for x in read["failures"]]) == (1, [pages.QUOTA_EXCEEDED])


def test_a_deleted_site_takes_its_documents_with_it(site: Reader) -> None:
    site.page("/", TEXT)
    read = site.add(refresh="daily")
    site.ada.upload(site.corpus, "rooks.md", "# Rooks\n\nTheir nests are high up in trees.")
    path = f"{site.corpus}/sites/{read['id']}"
    assert site.ada.ask("DELETE", path).status_code == 204
    assert site.ada.ask("GET", path).status_code == 404
    site.read(read["id"])
    assert list(site.documents()) == ["rooks.md"]
    assert site.ada.sources(QUESTION) == []
    with db.reading() as reader:
        assert db.value(reader, "select count(*) from schedules where kind = 'sites.read'") == 0


def test_a_site_is_added_again_before_its_former_documents_are_gone(site: Reader) -> None:
    site.page("/", TEXT)
    path = f"{site.corpus}/sites"
    site.ada.ask("DELETE", f"{path}/{site.add()['id']}")
    added = site.ada.ask("POST", path, json={"url": f"{site.internet.url}/"}).get_json()
    _forgetting, reading = site.waiting()
    builders.run(site.ada.settings, [reading])
    assert site.read(added["id"])["pages"] == 1
    assert list(site.documents()) == ["/"]
    assert site.ada.sources(QUESTION) == [f"{site.internet.url}/"]


def test_a_deleted_corpus_takes_its_sites_with_it(site: Reader) -> None:
    site.page("/", TEXT)
    site.add(refresh="hourly")
    assert site.ada.ask("DELETE", site.corpus).status_code == 204
    read_all(site.ada.settings)
    with db.reading() as reader:
        left = """
            select count(*) from own_sites full join site_pages on true full join documents on true
            full join own_corpora on true
            """
        assert db.value(reader, left) == 0
        assert db.value(reader, "select count(*) from schedules where kind = 'sites.read'") == 0


def test_a_site_is_read_some_pages_at_a_time(site: Reader, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sites, "SLICE_SECONDS", 0.0)
    site.page("/", "Birds. All about birds.", "/owls", "/rooks")
    site.page("/owls", TEXT)
    site.page("/rooks", "Rooks. Their nests are high up in trees.")
    assert site.add()["pages"] == 3
    with db.reading() as reader:
        assert db.value(reader, "select count(*) from jobs where kind = 'sites.read'") == 3


def test_the_end_of_another_job_does_not_end_a_reading(
    site: Reader, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sites, "SLICE_SECONDS", 0.0)
    site.page("/", "Birds. All about birds.", "/owls")
    site.page("/owls", TEXT)
    url = f"{site.internet.url}/"
    id = site.ada.ask("POST", f"{site.corpus}/sites", json={"url": url}).get_json()["id"]
    builders.run(site.ada.settings, site.waiting()[:1])
    with db.transaction() as tx:
        owner = db.value(tx, "select account_id from own_sites")
        stray = jobs.enqueue(tx, READ, owner, {"site_id": str(ids.lookup(Noun.SITE, id))})
        jobs.cancel(tx, stray)
    assert site.read(id)["pages"] == 2
    assert site.internet.requests["/"] == 2  # where the site begins is asked for first


def test_a_host_that_is_down_is_left_alone(site: Reader, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sites, "HOPELESS", 3)
    site.page("/", "Birds. All about birds.", *(f"/{n}" for n in range(9)))
    for n in range(9):
        site.internet.pages[f"/{n}"] = 503, {}, b""
    read = site.add()
    assert (read["state"], read["reason"], read["failed"]) == ("ready", "http_503", 9)
    assert sum(site.internet.requests[f"/{n}"] > 0 for n in range(9)) == 3


def test_the_owner_is_told_also_when_the_reading_fails(site: Reader) -> None:
    site.ada.subscribe("corpus.ready")
    site.ada.ask("POST", f"{site.corpus}/sites", json={"url": f"{site.internet.url}/"})
    (reading,) = site.waiting()
    with db.transaction() as tx:
        jobs.cancel(tx, reading)
    (event,) = told()
    assert event["data"]["id"] == site.corpus.rpartition("/")[2]
