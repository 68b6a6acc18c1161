"""Which pages a run reads, by its source, and what becomes of each of them."""

import json

import pytest

from tests.integration.page_jobs.reading import Workshop, lamp
from tests.unit.engine.pages.pdf_bytes import pdf

pytestmark = pytest.mark.usefixtures("database")


def test_every_value_has_a_quote_that_stands_in_the_stored_text(shop: Workshop) -> None:
    shop.site.pages["/a"] = lamp("Alder", 9.5)
    read = shop.read(shop.urls("/a"))
    text = shop.text_of(read.pages[0])
    quotes = [(x["quote"], text[x["start"] : x["end"]]) for x in read.records[0].provenance]
    assert quotes
    assert all(quote == there for quote, there in quotes)


def test_addresses_are_read_each_once(shop: Workshop) -> None:
    shop.lamps(3)
    read = shop.read(shop.urls("/0", "/1", "/2", "/0", "/1"))
    assert sorted(x["name"] for x in read.data) == ["Lamp 0", "Lamp 1", "Lamp 2"]


def test_the_pages_of_a_sitemap_are_read(shop: Workshop) -> None:
    shop.lamps(3)
    shop.sitemap("/0", "/1", "/2")
    read = shop.read({"type": "sitemap", "url": shop.site.url + "/sitemap.xml"})
    assert set(read.by_path) == {"/0", "/1", "/2"}


def test_a_sitemap_that_lists_nothing_fails_the_job(shop: Workshop) -> None:
    shop.sitemap()
    read = shop.read({"type": "sitemap", "url": shop.site.url + "/sitemap.xml"})
    error = read.job.error or {}
    assert (read.job.status, error["code"]) == ("failed", "source_unreadable")
    assert error["message"].endswith(f"The sitemap lists no page of {shop.site.url}.")


def test_a_sitemap_that_does_not_answer_is_asked_for_once_more(shop: Workshop) -> None:
    shop.site.pages["/sitemap.xml"] = (503, {}, b"")
    read = shop.read({"type": "sitemap", "url": shop.site.url + "/sitemap.xml"})
    assert (read.job.error or {})["message"].endswith("could not be read: http_503.")
    assert shop.site.requests["/sitemap.xml"] == 2


def test_a_job_warns_of_a_sitemap_that_could_not_be_read_beside_others(shop: Workshop) -> None:
    shop.lamps(1)
    shop.sitemap("/0")
    index = "".join(
        f"<sitemap><loc>{shop.site.url}{path}</loc></sitemap>" for path in ("/none", "/sitemap.xml")
    )
    kind = {"Content-Type": "application/xml"}
    shop.site.pages["/all.xml"] = (200, kind, f"<sitemapindex>{index}</sitemapindex>".encode())
    read = shop.read({"type": "sitemap", "url": shop.site.url + "/all.xml"})
    assert set(read.by_path) == {"/0"}
    assert read.job.warnings == ["sitemap_unreadable: Some sitemaps could not be read: http_404."]


def test_a_crawl_follows_links_as_deep_as_it_may(shop: Workshop) -> None:
    for n in range(5):
        shop.site.pages[f"/{n}"] = lamp(f"Lamp {n}", n + 1, f"/{n + 1}", "/elsewhere.png")
    read = shop.read({"type": "crawl", "url": shop.site.url + "/0", "max_depth": 2})
    assert {page.url[-2:]: page.depth for page in read.pages} == {"/0": 0, "/1": 1, "/2": 2}


def test_a_crawl_stays_on_its_site_and_within_its_patterns(shop: Workshop) -> None:
    links = ("/in/1", "/out/1", f"{shop.site.other}/in/2")
    shop.site.pages["/in/0"] = lamp("Zero", 1, *links)
    shop.site.pages["/in/1"] = lamp("One", 1)
    source = {"type": "crawl", "url": shop.site.url + "/in/0", "max_depth": 3}
    read = shop.read({**source, "include": ["/in/"], "exclude": []})
    assert set(read.by_path) == {"/in/0", "/in/1"}


def test_a_crawl_ends_at_its_page_limit_and_says_so(shop: Workshop) -> None:
    shop.site.pages["/start"] = lamp("Start", 1, *(f"/{n}" for n in range(9)))
    shop.lamps(9)
    source = {"type": "crawl", "url": shop.site.url + "/start", "max_depth": 1}
    read = shop.read(source, max_pages=5)
    assert (read.run.stop_reason, len(read.records)) == ("page_limit", 5)


def test_a_search_reads_what_the_engines_return(shop: Workshop) -> None:
    shop.lamps(2)
    shop.site.searxng(shop.site.url + "/0", shop.site.url + "/1")
    read = shop.with_engine().read({"type": "search", "query": "lamps"})
    assert sorted(x["name"] for x in read.data) == ["Lamp 0", "Lamp 1"]


def test_a_job_whose_search_returns_no_page_ends_at_once(shop: Workshop) -> None:
    shop.site.searxng()
    read = shop.with_engine().read({"type": "search", "query": "lamps"})
    assert (read.job.status, read.run.stop_reason, read.records) == ("completed", "done", [])


def test_a_search_without_engine_and_index_fails(shop: Workshop) -> None:
    read = shop.read({"type": "search", "query": "lamps"})
    assert (read.job.error or {})["code"] == "no_engine_configured"


def test_what_is_wrong_with_a_page_is_its_outcome_alone(shop: Workshop) -> None:
    shop.site.pages["/good"] = lamp("Alder", 9.5)
    shop.site.pages["/image"] = (200, {"Content-Type": "image/png"}, b"\x89PNG")
    shop.site.pages["/empty"] = (200, {"Content-Type": "text/html"}, b" ")
    shop.site.pages["/gone"] = (410, {}, b"")
    read = shop.read(shop.urls("/good", "/none", "/image", "/empty", "/gone"))
    assert read.outcomes == {
        "/good": "read",
        "/none": "http_404",
        "/image": "unsupported_media_type",
        "/empty": "empty",
        "/gone": "http_410",
    }
    assert (read.job.status, read.run.done, read.run.failed) == ("completed", 5, 4)
    assert read.run.stats["outcomes"]["http_404"] == read.run.stats["outcomes"]["read"] == 1


def test_a_job_of_which_no_page_can_be_read_has_failed(shop: Workshop) -> None:
    read = shop.read(shop.urls("/none"))
    assert (read.job.status, read.run.stop_reason) == ("failed", "error")
    assert (read.job.error or {})["code"] == "source_unreadable"


def test_pages_that_robots_forbids_are_not_fetched(shop: Workshop) -> None:
    shop.site.pages["/robots.txt"] = (
        200,
        {"Content-Type": "text/plain"},
        b"User-agent: *\nDisallow: /x",
    )
    shop.site.pages["/x"] = lamp("Alder", 9.5)
    shop.site.pages["/a"] = lamp("Birch", 9.5)
    read = shop.read(shop.urls("/x", "/a"))
    assert (read.outcomes["/x"], shop.site.requests["/x"]) == ("robots_disallowed", 0)


def test_a_page_that_redirects_is_read_where_it_led(shop: Workshop) -> None:
    shop.site.pages["/old"] = (301, {"Location": "/new"}, b"")
    shop.site.pages["/new"] = lamp("Alder", 9.5)
    read = shop.read(shop.urls("/old"))
    assert read.by_path == {"/old": [{"name": "Alder", "price": 9.5}]}
    assert read.records[0].source_url == shop.site.url + "/new"


def test_pages_that_lead_to_one_address_have_its_records_once(shop: Workshop) -> None:
    shop.site.pages |= {path: (302, {"Location": "/new"}, b"") for path in ("/a", "/b")}
    shop.site.pages["/new"] = lamp("Alder", 9.5)
    read = shop.read(shop.urls("/a", "/b", "/new"))
    assert read.data == [{"name": "Alder", "price": 9.5}]
    assert read.outcomes == {"/a": "duplicate", "/b": "duplicate", "/new": "read"}


def test_a_site_that_does_not_answer_is_asked_once_more(shop: Workshop) -> None:
    shop.site.pages["/a"] = (503, {}, b"")
    shop.site.pages["/b"] = lamp("Birch", 9.5)
    read = shop.read(shop.urls("/a", "/b"))
    assert (read.outcomes["/a"], shop.site.requests["/a"]) == ("http_503", 2)


def test_a_host_that_is_not_allowed_is_an_outcome(shop: Workshop) -> None:
    shop.site.pages["/a"] = lamp("Alder", 9.5)
    read = shop.read({"type": "urls", "urls": ["http://10.0.0.1/a", shop.site.url + "/a"]})
    assert sorted(x.outcome or "" for x in read.pages) == ["address_not_allowed", "read"]


def test_examples_teach_each_making_of_the_pages_of_a_site(shop: Workshop) -> None:
    def page(place: str, name: str) -> str:
        return f"<html lang=en><body><h1>Shop</h1><p class={place}>{name}</p></body></html>"

    shop.site.pages |= {"/k": page("k", "Alder"), "/q": page("q", "Birch")}
    shop.site.pages |= {"/1": page("k", "Cedar"), "/2": page("q", "Daisy")}
    examples = [
        {"url": shop.site.url + path, "data": {"name": name}}
        for path, name in (("/k", "Alder"), ("/q", "Birch"))
    ]
    read = shop.read(shop.urls("/1", "/2"), examples=examples)
    assert [record["name"] for record in read.data] == ["Cedar", "Daisy"]


def test_a_value_that_an_example_page_does_not_show_is_a_warning(shop: Workshop) -> None:
    shop.site.pages |= {"/example": lamp("Alder", 12), "/a": lamp("Birch", 19)}
    example = {"url": shop.site.url + "/example", "data": {"name": "Elder", "price": 12}}
    (warning,) = shop.read(shop.urls("/a"), examples=[example]).job.warnings
    assert warning.startswith("example_not_shown")
    assert warning.endswith("/name.")


def test_an_example_that_cannot_be_read_is_a_warning(shop: Workshop) -> None:
    shop.lamps(1)
    example = {"url": shop.site.url + "/none", "data": {"name": "Alder"}}
    read = shop.read(shop.urls("/0"), examples=[example])
    assert (read.job.status, len(read.job.warnings)) == ("completed", 1)
    assert read.job.warnings[0].startswith("example_unreadable")


def test_a_page_may_hold_many_records(shop: Workshop) -> None:
    things = [{"@type": "Product", "name": f"Lamp {n}"} for n in range(40)]
    head = f"<script type='application/ld+json'>{json.dumps({'@graph': things})}</script>"
    shop.site.pages["/list"] = (
        f"<html lang=en><head>{head}</head><body><h1>Lamps</h1></body></html>"
    )
    read = shop.read(shop.urls("/list"))
    assert [record["name"] for record in read.data] == [f"Lamp {n}" for n in range(40)]


def test_a_pdf_is_read_by_its_text(shop: Workshop) -> None:
    body = pdf([(24, 700, "Lamp"), (11, 660, "Price: 9.50")])
    shop.site.pages["/a.pdf"] = (200, {"Content-Type": "application/pdf"}, body)
    read = shop.read(shop.urls("/a.pdf"))
    assert [record.get("price") for record in read.data] == [9.5]
