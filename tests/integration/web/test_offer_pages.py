"""Models, their offers side by side, one offer, and providers: for everybody."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from html import unescape
from uuid import UUID

import pytest

from app.core import db
from app.local.embedded.redis import Redis
from app.web.pages.providers import offers
from tests import market, shared_applications
from tests.databases import Databases
from tests.market import MODEL, words
from tests.visiting import Visitor


@dataclass
class Market:
    """Three providers: cheap and failing, dear and good, and one that nobody has tried."""

    stranger: Visitor
    attic: Visitor
    cheap: UUID
    good: UUID
    new: UUID

    def order(self, query: str = "") -> list[str]:
        """The providers of a list, from top to bottom."""
        page = self.stranger.get(f"/offers?model={MODEL}{query}").text
        places = {name: page.find(f">{name}</a>") for name in ("Attic", "North", "Newcomer")}
        return sorted((name for name, at in places.items() if at >= 0), key=places.__getitem__)


@pytest.fixture(scope="module")
def shop(databases: Databases, redis_server: Redis) -> Iterator[Market]:
    anybody = {"rate_limit_anonymous": "10000/minute"}
    with shared_applications.made(databases, redis_server, **anybody) as app:
        names = ("Attic", "North", "Newcomer")
        ids = {name: market.account(f"{name.lower()}@example.org") for name in names}
        for name, id in ids.items():
            market.profile(id, name.lower(), name)
        cheap = market.offer(ids["Attic"], ("0.04", "0.07"), precision="q4", max_context=8192)
        good = market.offer(ids["North"], ("0.05", "0.09"), max_context=32768)
        new = market.offer(ids["Newcomer"], ("0.01", "0.9"), name="<b>lab</b>", seen=False)
        market.measure(cheap, good=15, failed=5)
        market.measure(good, good=25, first_token_ms=400)
        market.measure(new, good=7)
        with db.transaction() as tx:
            tx.execute("insert into editions (model, revision) values (%s, 'r1')", [MODEL])
        yield Market(Visitor(app, None), Visitor(app, ids["Attic"]), cheap, good, new)


def test_offers_are_sorted_by_the_price_of_the_example_job(shop: Market) -> None:
    assert shop.order() == ["Attic", "North", "Newcomer"]
    assert shop.order("&in=100000&out=1") == ["Newcomer", "Attic", "North"]
    shown = words(shop.stranger.get(f"/offers?model={MODEL}&in=100000&out=1"))
    assert "0.0010009" in shown  # (100000 × 0.01 + 1 × 0.9) / 1,000,000


@pytest.mark.parametrize(
    ("query", "order"),
    [
        ("&sort=uptime", ["North", "Attic", "Newcomer"]),
        ("&sort=uptime&order=ascending", ["Attic", "North", "Newcomer"]),
        ("&sort=first_token", ["Attic", "North", "Newcomer"]),
        ("&sort=context", ["North", "Attic", "Newcomer"]),
        ("&sort=provider", ["Attic", "Newcomer", "North"]),
        ("&measured=on", ["Attic", "North"]),
        ("&uptime=99", ["North"]),
        ("&context=16384", ["North"]),
        ("&precision=q4", ["Attic"]),
        ("&availability=offline", ["Newcomer"]),
    ],
)
def test_what_is_not_known_is_last_and_filters_leave_out(
    shop: Market, query: str, order: list[str]
) -> None:
    assert shop.order(query) == order


def test_a_figure_says_what_it_rests_on(shop: Market) -> None:
    shown = words(shop.stranger.get(f"/offers?model={MODEL}"))
    assert "75.00 % n=20" in shown
    assert "100.00 % n=25" in shown
    assert "– n=7, too few" in shown
    assert "q4 claimed" in shown


def test_the_sorted_column_says_so(shop: Market) -> None:
    page = shop.stranger.get(f"/offers?model={MODEL}&sort=speed").text
    assert page.count("aria-sort=") == 1
    assert 'aria-sort="descending" role="columnheader"><a id="sort-speed"' in page


def test_names_of_providers_are_text(shop: Market) -> None:
    page = shop.stranger.get(f"/offers?model={MODEL}").text
    assert "<b>lab</b>" not in page
    assert "&lt;b&gt;lab&lt;/b&gt;" in page


@pytest.mark.parametrize(
    "query",
    [
        "in=many",
        "in=-1",
        "sort=magic",
        "cursor=1",
        f"model={'m' * 161}",
        "extra=1",
    ],
)
def test_what_a_list_cannot_mean_is_refused(shop: Market, query: str) -> None:
    assert shop.stranger.get(f"/offers?{query}").status_code == 400


def test_a_model_without_offers_says_what_next(shop: Market) -> None:
    shown = words(shop.stranger.get("/offers?model=example/none"))
    assert "No offers for this model" in shown


def test_models_are_found_by_a_part_of_their_name(shop: Market) -> None:
    assert MODEL in words(shop.stranger.get("/offers/models?q=MODEL"))
    assert "Nothing matches" in words(shop.stranger.get("/offers/models?q=zebra"))


def test_of_many_models_some_are_shown_and_all_are_found(
    shop: Market, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(offers, "MOST_MODELS", 1)
    zoo = market.account("zoo@example.org")
    market.profile(zoo, "zoo", "Zoo")
    market.offer(zoo, ("1", "1"), model="zoo/last")
    shown = words(shop.stranger.get("/offers/models"))
    assert "1 of 2 models are shown" in shown
    assert "zoo/last" not in shown
    assert "zoo/last" in words(shop.stranger.get("/offers/models?q=zoo"))


def test_a_file_holds_what_the_page_shows(shop: Market) -> None:
    lines = shop.stranger.get(f"/offers.csv?model={MODEL}&measured=on").text.splitlines()
    assert [line.split(",")[4] for line in lines] == ["provider", "Attic", "North"]
    assert f"{shop.cheap},{MODEL},r1,1,Attic,attic" in lines[1]
    rows = shop.stranger.get(f"/offers.json?model={MODEL}&measured=on").get_json()
    assert [row["job_price_usd"] for row in rows] == ["0.000115", "0.000145"]


def test_an_offer_is_used_by_its_exact_ids(shop: Market) -> None:
    shown = words(shop.stranger.get(f"/offers/{shop.new}"))
    assert f'"offer_id": "{shop.new}"' in shown
    assert '"pricing_revision": 1' in shown
    assert f"citegrid chat --model {MODEL} --offer {shop.new} --revision 1" in shown


def test_an_offer_that_is_not_public_is_not_there(shop: Market) -> None:
    missing = "01a203cd-95c1-724f-a180-0fe315ec9278"
    assert shop.stranger.get(f"/offers/{missing}").status_code == 404


def test_what_differs_between_offers_is_marked(shop: Market) -> None:
    page = shop.stranger.get(f"/offers/compare?offer={shop.cheap}&offer={shop.good}").text
    assert "<strong>0.04</strong>" in page
    assert "<strong>q4</strong>" in page
    assert f">{MODEL}</td>" in page


@pytest.mark.parametrize("count", [1, 5])
def test_two_to_four_offers_are_compared(shop: Market, count: int) -> None:
    ids = [str(shop.cheap), *(f"{n}" for n in range(count - 1))]
    query = "&".join(f"offer={id}" for id in ids)
    assert shop.stranger.get(f"/offers/compare?{query}").status_code == 400


def test_a_stranger_s_page_is_for_caches_and_a_known_reader_s_is_not(shop: Market) -> None:
    first = shop.stranger.get(f"/offers?model={MODEL}")
    assert first.headers["Cache-Control"] == "public, max-age=60"
    assert "Cookie" in first.headers["Vary"]
    again = shop.stranger.get(f"/offers?model={MODEL}", **{"If-None-Match": first.headers["ETag"]})
    assert (again.status_code, again.data) == (304, b"")
    own = shop.attic.get(f"/offers?model={MODEL}")
    assert own.headers["Cache-Control"] == "no-store"
    assert "ETag" not in own.headers


def test_search_engines_read_a_title_a_description_and_one_address(shop: Market) -> None:
    page = shop.stranger.get(f"/offers?model={MODEL}&sort=speed").text
    assert f"<title>Offers for {MODEL}: prices, speed and uptime" in page
    assert '<meta name="description" content="Compare offers for example/model-7b' in page
    address = f"http://127.0.0.1:8000/offers?model={MODEL}"
    assert f'<link rel="canonical" href="{address}">' in page


def test_robots_are_told_what_is_public(shop: Market) -> None:
    told = shop.stranger.get("/robots.txt").text
    assert {"Allow: /offers", "Allow: /samples/"} <= set(told.splitlines())
    assert "Disallow: /\n" in told
    assert f"/offers?model={MODEL}" in shop.stranger.get("/sitemap.xml").text


def test_a_provider_is_shown_as_it_describes_itself_and_as_it_was_measured(shop: Market) -> None:
    shown = words(shop.stranger.get("/providers/attic"))
    assert "Attic in a cellar." in shown
    assert "Up, last 30 days" in shown
    assert "Your public profile" not in shown


def test_a_provider_that_was_hardly_tried_has_no_figures(shop: Market) -> None:
    shown = words(shop.stranger.get("/providers/newcomer"))
    assert "7 requests in the last 30 days. A measurement needs at least 20" in shown


def test_an_unknown_provider_is_not_there(shop: Market) -> None:
    assert shop.stranger.get("/providers/nobody").status_code == 404


def test_owners_see_what_consumers_miss_and_nobody_else_does(shop: Market) -> None:
    own = words(shop.attic.get("/providers/attic"))
    assert "Your profile has a picture . Upload a picture." in own
    assert "Your public profile" not in words(shop.attic.get("/providers/north"))


def test_pages_of_a_long_list_are_no_ranking_of_the_whole_and_a_file_has_all(
    shop: Market,
) -> None:
    with db.reading() as reader:
        id = db.value(reader, "select account_id from provider_profiles where handle = 'north'")
    market.many_offers(id, "example/many", 201)
    first = shop.stranger.get("/offers?model=example/many")
    assert "another page may have a cheaper offer" in words(first)
    following = re.search(r'id="next-page"[^>]* href="([^"]+)"', first.text)
    assert following is not None
    assert shop.stranger.get(unescape(following[1])).text.count("<tr id=") == 1
    lines = shop.stranger.get("/offers.csv?model=example/many").text.splitlines()
    assert len(lines) == 1 + 201


@pytest.mark.parametrize("path", ["/providers/%00", "/providers/..%2f", "/offers/x%2fy"])
def test_what_cannot_be_an_address_is_not_there(shop: Market, path: str) -> None:
    assert shop.stranger.get(path).status_code == 404
