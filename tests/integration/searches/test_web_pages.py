"""Pages that engines return: which are read, which become sources, and what becomes of the rest."""

from datetime import UTC, datetime, timedelta

import pytest

from tests.integration.searches.asking import (
    OWLS,
    QUESTION,
    TRAINS,
    Asking,
    outcomes,
    sources,
    warned,
)
from tests.internet import Internet
from tests.servers import until


def test_results_on_excluded_domains_are_not_read(asking: Asking, internet: Internet) -> None:
    internet.searxng(internet.page("/owls", OWLS), internet.other + "/owls")
    search = asking.ask(exclude_domains=["localhost"])
    assert sources(search) == [internet.url + "/owls"]
    assert internet.queries["searxng"][0]["q"] == f"{QUESTION} -site:localhost"


def test_results_beside_the_included_domains_are_not_read(
    asking: Asking, internet: Internet
) -> None:
    internet.page("/owls", OWLS)
    internet.searxng(internet.url + "/owls", internet.other + "/owls")
    search = asking.ask(include_domains=["localhost"])
    assert sources(search) == [internet.other + "/owls"]
    assert internet.requests["/owls"] == 1


def test_a_redirect_to_an_excluded_domain_leads_to_no_source(
    asking: Asking, internet: Internet
) -> None:
    internet.page("/owls", OWLS)
    internet.pages["/moved"] = (302, {"Location": internet.other + "/owls"}, b"")
    internet.searxng(internet.url + "/moved")
    search = asking.ask(exclude_domains=["localhost"])
    assert sources(search) == []
    assert outcomes(search) == {"left_out": 1}


def test_only_young_pages_are_sources_when_that_is_asked(
    asking: Asking, internet: Internet
) -> None:
    now = datetime.now(UTC)
    dated = '<meta property="article:published_time" content="{:%Y-%m-%dT%H:%M:%SZ}">'
    young = internet.page("/young", OWLS, head=dated.format(now - timedelta(days=2)))
    old = internet.page(
        "/old", "Owl eggs. A clutch of barn owl eggs.", head=dated.format(now - timedelta(days=90))
    )
    undated = internet.page("/undated", "Owl clutches. Eggs of a barn owl clutch are white.")
    internet.searxng(old, undated, young)
    search = asking.ask(freshness="7d")
    assert sources(search) == [young]
    assert internet.queries["searxng"][0]["time_range"] == "week"


def test_a_private_address_among_results_is_refused_and_counted(
    asking: Asking, internet: Internet
) -> None:
    url = internet.page("/owls", OWLS)
    private = ["http://10.0.0.1/", "http://169.254.169.254/latest/", "http://wiki.corp/"]
    internet.searxng(*private, url)
    search = asking.ask()
    assert sources(search) == [url]
    assert outcomes(search) == {"address_not_allowed": 2, "host_not_allowed": 1, "read": 1}
    assert "pages_unread" in warned(search)


def test_hosts_only_the_crawler_may_reach_are_refused_too(ada: Asking, internet: Internet) -> None:
    internet.searxng(internet.page("/owls", OWLS))
    allow = f"127.0.0.1:{internet.port}"
    closed = ada.through(internet, "searxng").configured(fetch_allow=allow, web_fetch_allow="")
    assert sources(closed.ask()) == []
    assert internet.requests["/owls"] == 0


def test_hostile_results_spoil_nothing(asking: Asking, internet: Internet) -> None:
    url = internet.page("/owls", OWLS)
    internet.searxng(
        {"url": "javascript:alert(1)"}, {"url": ["x"]}, {"url": "https://u:p@127.0.0.1/"}, {}, url
    )
    internet.replies["brave"] = lambda _: (200, {}, b'{"web": [[[]]]}')
    assert sources(asking.ask()) == [url]


def test_robots_are_obeyed_and_counted(asking: Asking, internet: Internet) -> None:
    internet.pages["/robots.txt"] = (
        200,
        {"Content-Type": "text/plain"},
        b"User-agent: *\nDisallow: /owls",
    )
    internet.searxng(internet.page("/owls", OWLS))
    assert outcomes(asking.ask()) == {"robots_disallowed": 1}
    assert internet.requests["/owls"] == 0


def test_a_page_that_does_not_come_is_skipped_and_counted(ada: Asking, internet: Internet) -> None:
    hasty = ada.through(internet, "searxng", web_page_seconds=5.0)
    url = internet.page("/owls", OWLS)
    internet.searxng(url)
    hasty.ask()  # from now on a copy of it is kept
    internet.searxng(url, internet.hanging("/slow"))
    search = hasty.ask()
    assert sources(search) == [url]
    assert outcomes(search) == {"read": 1, "slow": 1}


def test_a_site_that_hangs_delays_nobody_for_longer_than_there_is_time(
    ada: Asking, internet: Internet
) -> None:
    """Its other pages wait for their turn in vain; those of another host are read."""
    hasty = ada.through(internet, "searxng", web_page_seconds=5.0)
    internet.page("/owls", OWLS)
    internet.hanging("/slow")
    internet.page("/trains", TRAINS)
    elsewhere = internet.other + "/owls"
    internet.searxng(internet.url + "/slow", internet.url + "/trains", elsewhere)
    search = hasty.ask()
    assert sources(search) == [elsewhere]
    assert outcomes(search)["read"] + outcomes(search)["slow"] == 3


def test_progress_tells_of_pages_as_they_are_read(ada: Asking, internet: Internet) -> None:
    asking = ada.through(internet, "searxng", web_page_seconds=25)
    owls = internet.page("/owls", OWLS)
    internet.searxng(owls, internet.hanging("/slow", internet.other))
    with asking.underway() as id:
        until(lambda: asking.progress(id)["sources_found"] == 1)
        assert asking.progress(id)["stage"] == "reading pages"
        assert [page["url"] for page in asking.progress(id)["pages"]] == [owls]
        internet.hang.set()


@pytest.mark.parametrize("stage", ["asking engines", "reading pages"])
def test_a_cancelled_search_stops_waiting_for_the_web(
    ada: Asking, internet: Internet, stage: str
) -> None:
    patient = ada.through(
        internet, "searxng", web_engine_seconds=60, web_page_seconds=60, job_lease_seconds=0.6
    )
    asking = patient.configured(search_deadline_seconds=600)
    internet.searxng(internet.hanging("/slow"))
    if stage == "asking engines":
        internet.hangs("searxng")
    with asking.underway() as id:
        until(lambda: asking.progress(id)["stage"] == stage)
        asking.post(below=f"/{id}/cancel")
    assert asking.get(f"/{id}").json["status"] == "cancelled"


def test_a_hostile_page_is_an_outcome_and_the_other_pages_are_read(
    ada: Asking, internet: Internet
) -> None:
    patient = ada.through(internet, "searxng", web_page_seconds=60, web_engine_seconds=60)
    costly = {"Content-Type": "text/markdown"}
    internet.pages["/costly"] = (200, costly, b"[" * 800_000)
    url = internet.page("/owls", OWLS)
    internet.searxng(internet.url + "/costly", url)
    search = patient.configured(search_deadline_seconds=600).ask()
    assert sources(search) == [url]
    assert outcomes(search) == {"too_costly": 1, "read": 1}


def test_a_form_feed_in_a_page_is_no_matter(asking: Asking, internet: Internet) -> None:
    url = internet.page("/owls", f"{OWLS}\n\n<nav>a\x0c</nav>&#12; and <nav>b</nav>\ufffe more.")
    internet.searxng(url)
    assert sources(asking.ask()) == [url]
