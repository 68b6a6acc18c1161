"""Refreshing corpora: a worker against a site on loopback and folders."""

from dataclasses import replace
from pathlib import Path
from urllib.parse import unquote

import pytest

from app.core import db
from app.domains.library.corpora import service as corpora
from app.domains.queue.jobs import service as jobs
from tests.integration.corpora.sites import FILLER, Operator, Site


def test_a_site_is_found_by_its_words_after_a_refresh(operator: Operator, site: Site) -> None:
    site.page("/", "welcome", "/a", "b/")
    site.page("/a", "aardvarks")
    site.page("/b/", "badgers", "../c")
    site.page("/c", "camels")
    operator.add("zoo", "site", site.url)
    assert operator.refresh("zoo").state == "succeeded"
    assert operator.found("camels") == [f"{site.url}/c"]


@pytest.fixture
def zoo(operator: Operator, site: Site) -> Site:
    """The site, of which a page about aardvarks is indexed."""
    site.page("/", "welcome", "/a")
    site.page("/a", "aardvarks")
    operator.add("zoo", "site", site.url)
    operator.refresh("zoo")
    return site


def test_a_page_is_found_by_its_words_of_today_for_as_long_as_it_is_there(
    operator: Operator, zoo: Site
) -> None:
    operator.refresh("zoo")
    assert operator.outcomes(zoo) == {"/": "unchanged", "/a": "unchanged"}
    assert operator.found("aardvarks") == [f"{zoo.url}/a"]
    zoo.page("/a", "badgers")
    operator.refresh("zoo")
    assert operator.found("badgers") == [f"{zoo.url}/a"]
    assert operator.found("aardvarks") == []
    page = zoo.pages.pop("/a")
    operator.refresh("zoo")
    assert operator.found("badgers") == []
    assert operator.outcomes(zoo)["/a"] == "http_404"
    zoo.pages["/a"] = page
    operator.refresh("zoo")
    assert operator.found("badgers") == [f"{zoo.url}/a"]
    zoo.page("/", "goodbye")  # nothing links to it any more
    operator.refresh("zoo")
    assert operator.found("badgers") == []
    assert operator.outcomes(zoo) == {"/": "indexed"}


def test_a_page_that_fails_for_the_moment_stays_found(operator: Operator, site: Site) -> None:
    site.page("/", "welcome", "/a")
    site.page("/a", "aardvarks", "/b")
    site.page("/b", "badgers")
    operator.add("zoo", "site", site.url)
    operator.refresh("zoo")
    site.pages["/a"] = (503, {}, "")
    job = operator.refresh("zoo")
    assert operator.outcomes(site) == {"/": "unchanged", "/a": "http_503", "/b": "unchanged"}
    assert operator.found("aardvarks") == [f"{site.url}/a"]
    assert job.progress["failed"] == 1


def test_a_page_that_fails_once_is_read_by_the_same_refresh(operator: Operator, site: Site) -> None:
    site.page("/", "welcome", "/a", "/b")
    site.page("/b", "badgers")
    site.pages["/a"] = (503, {}, "")

    def recover(path: str) -> None:
        if site.asked["/a"] == 2:
            site.page("/a", "aardvarks")

    site.before = recover
    operator.add("zoo", "site", site.url)
    job = operator.refresh("zoo")
    assert operator.found("aardvarks") == [f"{site.url}/a"]
    assert (job.progress["fetched"], job.progress["failed"]) == (3, 0)


def test_robots_that_cannot_be_had_lose_nothing_and_those_that_forbid_a_page_take_it_out(
    operator: Operator, zoo: Site
) -> None:
    zoo.pages["/robots.txt"] = (503, {}, "")
    assert operator.refresh("zoo").state == "failed"
    assert zoo.asked["/a"] == 1
    assert operator.found("aardvarks") == [f"{zoo.url}/a"]
    rules = "User-agent: *\nDisallow: /a"
    zoo.pages["/robots.txt"] = (200, {"Content-Type": "text/plain"}, rules)
    operator.refresh("zoo")
    assert operator.found("aardvarks") == []


def test_what_postgres_cannot_store_does_not_stop_a_refresh(operator: Operator, site: Site) -> None:
    linked = '{"@type": "Article", "headline": "a\\u0000b", "author": {"name": "\\ud800 \\u0000"}}'
    site.page("/", "welcome", "/a&#0;b", "/\ud83d", "/%00", "/ok" + "ä" * 1500)
    site.pages["/"] = site.pages["/"].encode("utf-8", "replace").decode()
    site.page(
        "/%00", "nul&#0;s", head=f'<script type="application/ld+json">{linked}</script>'
        '<meta name=author content="x&#0;y"><meta property="og:site_name" content="&#xd800;">',
    )  # fmt: skip
    operator.add("zoo", "site", site.url)
    job = operator.refresh("zoo")
    assert job.state == "succeeded"
    assert operator.outcomes(site)["/%00"] == "indexed"


def test_two_pages_with_one_text_are_indexed_once(operator: Operator, site: Site) -> None:
    site.page("/", "welcome", "/a", "/a?print=1")
    site.page("/a", "aardvarks")
    site.page("/a?print=1", "aardvarks")
    operator.add("zoo", "site", site.url)
    operator.refresh("zoo")
    assert operator.found("aardvarks") == [f"{site.url}/a"]
    assert operator.outcomes(site)["/a?print=1"] == "duplicate"


def test_robots_meta_and_canonical_are_heeded(operator: Operator, site: Site) -> None:
    site.pages["/robots.txt"] = (
        200, {"Content-Type": "text/plain"}, "User-agent: *\nDisallow: /secret"
    )  # fmt: skip
    site.page("/", "welcome", "/secret", "/hidden", "/copy", "/leaf")
    site.page("/secret", "sphinxes")
    site.page("/hidden", "hydras", "/below", head='<meta name=robots content="noindex">')
    site.page("/below", "basilisks")
    site.page("/copy", "chimeras", head=f'<link rel=canonical href="{site.url}/original">')
    site.page("/original", "chimeras")
    site.page("/leaf", "leaves", "/lost", head='<meta name=robots content="nofollow">')
    site.page("/lost", "lemurs")
    operator.add("zoo", "site", site.url)
    operator.refresh("zoo")
    assert operator.outcomes(site) == {
        "/": "indexed", "/secret": "robots_disallowed", "/hidden": "noindex", "/below": "indexed",
        "/copy": "canonical", "/original": "indexed", "/leaf": "indexed",
    }  # fmt: skip
    assert site.asked["/secret"] == 0


def test_a_redirect_is_stored_under_the_address_that_answers(
    operator: Operator, site: Site
) -> None:
    site.page("/", "welcome", "/old", "/away")
    site.pages["/old"] = (301, {"Location": "/new"}, "")
    site.pages["/away"] = (302, {"Location": "http://localhost:1/"}, "")
    site.page("/new", "newts")
    operator.add("zoo", "site", site.url)
    operator.refresh("zoo")
    assert operator.found("newts") == [f"{site.url}/new"]
    assert operator.outcomes(site)["/old"] == "redirected"


def test_a_site_that_has_moved_to_another_origin_is_read_there(
    operator: Operator, site: Site
) -> None:
    site.page("/", "welcome", "/a")
    site.page("/a", "aardvarks")
    site.pages["/old"] = (301, {"Location": f"{site.url}/"}, "")
    former = site.url.replace("127.0.0.1", "localhost")
    allowed = f"{operator.settings.fetch_allow},{former.removeprefix('http://')}"
    operator.settings = replace(operator.settings, fetch_allow=allowed)
    operator.add("zoo", "site", f"{former}/old")
    assert operator.refresh("zoo").state == "succeeded"
    assert operator.found("aardvarks") == [f"{site.url}/a"]


def test_only_pages_in_scope_are_asked_for(operator: Operator, site: Site) -> None:
    links = ["/docs/a", "/docs/old/b", "/blog/c", "http://127.0.0.1:9/d", "/docs/x.png"]
    site.page("/docs/", "welcome", *links)
    site.page("/docs/a", "aardvarks")
    operator.add("zoo", "site", f"{site.url}/docs/", include=["/docs/"], exclude=["*/old/*"])
    operator.refresh("zoo")
    assert set(site.asked) == {"/robots.txt", "/docs/", "/docs/a"}


def test_no_more_than_max_pages_are_asked_for(operator: Operator, site: Site) -> None:
    for number in range(50):
        site.page(f"/{number}" if number else "/", f"n{number}", f"/{number + 1}")
    operator.add("zoo", "site", site.url, max_pages=7)
    operator.refresh("zoo")
    assert len(operator.outcomes(site)) == 7


def test_max_depth_counts_links_from_the_start(operator: Operator, site: Site) -> None:
    for number in range(9):
        site.page(f"/{number}" if number else "/", f"n{number}", f"/{number + 1}")
    operator.add("zoo", "site", site.url, max_depth=2)
    operator.refresh("zoo")
    assert set(operator.outcomes(site)) == {"/", "/1", "/2"}


def test_a_sitemap_names_the_pages_and_links_are_not_followed(
    operator: Operator, site: Site
) -> None:
    xml = {"Content-Type": "application/xml"}
    site.pages["/sitemap.xml"] = (
        200, xml, f"<sitemapindex><sitemap><loc>{site.url}/one.xml</loc></sitemap></sitemapindex>"
    )  # fmt: skip
    site.pages["/one.xml"] = (200, xml, f"<urlset><url><loc>{site.url}/a</loc></url></urlset>")
    site.page("/a", "aardvarks", "/b")
    site.page("/b", "badgers")
    operator.add("zoo", "sitemap", f"{site.url}/sitemap.xml")
    operator.refresh("zoo")
    assert operator.outcomes(site) == {"/a": "indexed"}


def test_what_a_sitemap_listed_stays_while_that_is_down(operator: Operator, site: Site) -> None:
    xml = {"Content-Type": "application/xml"}
    children = "".join(f"<sitemap><loc>{site.url}/{x}.xml</loc></sitemap>" for x in ("one", "two"))
    site.pages["/sitemap.xml"] = (200, xml, f"<sitemapindex>{children}</sitemapindex>")
    for name, path, text in (("one", "/a", "aardvarks"), ("two", "/b", "badgers")):
        listed = f"<urlset><url><loc>{site.url}{path}</loc></url></urlset>"
        site.pages[f"/{name}.xml"] = (200, xml, listed)
        site.page(path, text)
    operator.add("zoo", "sitemap", f"{site.url}/sitemap.xml")
    operator.refresh("zoo")
    site.pages["/two.xml"] = (503, {}, "")
    operator.refresh("zoo")
    assert operator.found("badgers") == [f"{site.url}/b"]


def test_a_site_without_a_readable_page_is_an_honest_failure(
    operator: Operator, site: Site
) -> None:
    operator.add("zoo", "site", site.url)
    job = operator.refresh("zoo")
    assert (job.state, (job.error or {})["code"]) == ("failed", "corpus_unreadable")


def test_a_site_that_is_down_loses_nothing(operator: Operator, site: Site) -> None:
    site.page("/", "welcome", *(f"/{number}" for number in range(30)))
    for number in range(30):
        site.page(f"/{number}", f"animal{number}x")
    operator.add("zoo", "site", site.url)
    operator.refresh("zoo")
    for path in site.pages:
        site.pages[path] = (503, {}, "")
    assert operator.refresh("zoo").state == "failed"
    assert operator.found("animal7x") == [f"{site.url}/7"]


def test_after_a_workers_death_nothing_recorded_is_fetched_again(
    operator: Operator, site: Site
) -> None:
    for number in range(60):
        site.page(f"/{number}" if number else "/", f"animal{number}x", f"/{number + 1}")
    operator.add("zoo", "site", site.url, max_depth=100)
    job_id = operator.start("zoo")

    def lose(path: str) -> None:
        if path == "/45":  # the job goes to another worker while this one fetches
            with db.transaction() as tx:
                tx.execute("update jobs set state = 'queued', run_at = now()")

    site.before = lose
    operator.work(job_id)
    recorded = len(operator.outcomes(site))
    site.before = lambda path: None
    operator.work(job_id, "w:2:2")
    assert operator.job(job_id).state == "succeeded"
    assert recorded >= 20
    assert all(site.asked[f"/{number}"] == 1 for number in range(1, recorded))
    assert operator.found("animal59x") == [f"{site.url}/59"]


def test_a_scheduled_refresh_beside_a_running_one_is_skipped_and_says_so(
    operator: Operator, site: Site
) -> None:
    site.page("/", "welcome")
    corpus_id = operator.add("zoo", "site", site.url)
    operator.start("zoo")
    with db.transaction() as tx:
        payload = {"corpus_id": str(corpus_id)}
        second = jobs.enqueue(tx, corpora.REFRESH, jobs.OPERATOR, payload)
    operator.work(second)
    job = operator.job(second)
    assert (job.state, job.progress["stage"]) == ("succeeded", "skipped")
    assert site.asked["/"] == 0


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    root = tmp_path / "manual"
    (root / "deep").mkdir(parents=True)
    (root / "a.md").write_text(f"# Aardvarks\n\n{FILLER}\n")
    (root / "deep" / "b c.txt").write_text(f"Badgers\n\n{FILLER} Badgers are mentioned.\n")
    (root / ".hidden.md").write_text("# Hidden\n\nHydras\n")
    (root / "picture.png").write_bytes(b"\x89PNG")
    outside = tmp_path / "outside.md"
    outside.write_text("# Outside\n\nOstriches\n")
    (root / "link.md").symlink_to(outside)
    (root / "up").symlink_to(tmp_path)
    return root


def test_a_folder_is_indexed_but_nothing_hidden_and_nothing_outside(
    operator: Operator, site: Site, folder: Path
) -> None:
    (folder / "a.md").rename(folder / "土豚\u3000一.md")
    operator.add("manual", "folder", str(folder))
    operator.refresh("manual")
    assert {unquote(address) for address in operator.outcomes(site)} == {
        "corpus://manual/土豚\u3000一.md",
        "corpus://manual/deep/b c.txt",
    }
    assert operator.found("badgers") == ["corpus://manual/deep/b%20c.txt"]
    [address] = operator.found("aardvarks")
    assert unquote(address) == "corpus://manual/土豚\u3000一.md"


def test_a_file_that_went_is_no_longer_found(operator: Operator, site: Site, folder: Path) -> None:
    operator.add("manual", "folder", str(folder), base_url="https://docs.example.org/manual")
    operator.refresh("manual")
    (folder / "a.md").unlink()
    operator.refresh("manual")
    assert operator.outcomes(site) == {
        "https://docs.example.org/manual/deep/b%20c.txt": "unchanged"
    }
    assert operator.found("aardvarks") == []


def test_a_folder_that_is_gone_is_an_honest_failure(
    operator: Operator, site: Site, tmp_path: Path
) -> None:
    folder = tmp_path / "gone"
    folder.mkdir()
    operator.add("manual", "folder", str(folder))
    folder.rmdir()
    assert operator.refresh("manual").state == "failed"
