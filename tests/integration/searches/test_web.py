"""Searches that ask engines: a worker against SearXNG, Brave and sites on loopback."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
import redis
from flask.testing import FlaskClient

from app.core import db
from app.core.config import Settings
from app.domains.pages import service as pages
from app.domains.passages import service as passages
from tests import builders
from tests.internet import Internet, running
from tests.servers import until

PATH = "/external/v1/search"
QUESTION = "How many eggs does a barn owl lay in a clutch?"
OWLS = (
    "Barn owls. The barn owl hunts at night and weighs between 250 and 480 grams.\n\n"
    "A clutch of the barn owl holds four to seven eggs, which hatch after 30 days."
)
TRAINS = (
    "Night trains. Sleeping cars leave the central station at nine in the evening.\n\n"
    "Passengers reach the coast at six, when the first ferry is about to leave."
)


@pytest.fixture
def internet() -> Iterator[Internet]:
    with running() as internet:
        yield internet


class Asking:
    """An account that asks, and the worker that answers."""

    def __init__(self, client: FlaskClient, settings: Settings, key: dict[str, str]) -> None:
        self.client, self.settings, self.key = client, settings, key

    @contextmanager
    def underway(self, query: str = QUESTION, **options: Any) -> Iterator[str]:
        """A search some worker is at; when the block ends the worker must be done with it."""
        body = {"query": query, **options}
        id = self.client.post(PATH, json=body, headers=self.key).json["id"]
        worker = threading.Thread(target=builders.work, args=(self.settings, id))
        worker.start()
        yield id
        worker.join(15)
        assert not worker.is_alive()

    def progress(self, id: str) -> dict[str, Any]:
        found: dict[str, Any] = self.client.get(f"{PATH}/{id}", headers=self.key).json["progress"]
        return found

    def ask(self, query: str = QUESTION, **options: Any) -> dict[str, Any]:
        """The completed search."""
        body = {"query": query, **options}
        id = self.client.post(PATH, json=body, headers=self.key).json["id"]
        builders.work(self.settings, id)
        found: dict[str, Any] = self.client.get(f"{PATH}/{id}", headers=self.key).json
        assert found["status"] == "completed"
        return found

    def snapshot(self, id: str, n: int) -> Any:
        return self.client.get(f"{PATH}/{id}/sources/{n}/snapshot", headers=self.key).json


@pytest.fixture
def asking(
    client: FlaskClient, settings: Settings, owner: dict[str, str], internet: Internet
) -> Asking:
    """With both engines."""
    return Asking(client, internet.configured(settings, "searxng", "brave"), owner)


def sources(search: dict[str, Any]) -> list[str]:
    return [source["url"] for source in search["result"]["sources"]]


def engines(search: dict[str, Any]) -> dict[str, str]:
    rows = search["result"]["stats"]["engines"]
    return {row["engine"]: row["outcome"] for row in rows}


def warned(search: dict[str, Any]) -> list[str]:
    return [warning.partition(":")[0] for warning in search["warnings"]]


def outcomes(search: dict[str, Any]) -> dict[str, int]:
    found: dict[str, int] = search["result"]["stats"]["pages"]
    return found


def test_an_answer_cites_a_page_of_the_web(asking: Asking, internet: Internet) -> None:
    url = internet.page("/owls", OWLS)
    internet.searxng(url)
    search = asking.ask()
    assert search["result"]["answered"] is True
    assert "four to seven eggs" in search["result"]["answer"]
    assert sources(search) == [url]


def test_a_quote_is_a_slice_of_the_page_that_was_read(asking: Asking, internet: Internet) -> None:
    internet.searxng(internet.page("/owls", OWLS))
    search = asking.ask()
    citation = search["result"]["citations"][0]
    text = asking.snapshot(search["id"], citation["source"])["text"]
    assert text[citation["start"] : citation["end"]] == citation["quote"]


def test_every_engine_says_what_came_of_it(asking: Asking, internet: Internet) -> None:
    internet.searxng(internet.page("/owls", OWLS), unresponsive_engines=[["google", "CAPTCHA"]])
    search = asking.ask()
    assert engines(search) == {
        "corpora": "empty",
        "searxng": "ok",
        "searxng/google": "blocked",
        "brave": "empty",
    }
    assert warned(search) == ["engine_incomplete", "engine_empty"]


@pytest.mark.parametrize(
    ("status", "outcome"), [(429, "blocked"), (403, "blocked"), (503, "failed"), (404, "failed")]
)
def test_an_engine_that_refuses_is_seen_and_the_other_answers(
    asking: Asking, internet: Internet, status: int, outcome: str
) -> None:
    internet.refuses("searxng", status)
    internet.brave(internet.page("/owls", OWLS))
    search = asking.ask()
    assert search["result"]["answered"] is True
    assert engines(search)["searxng"] == outcome
    assert warned(search) == [f"engine_{outcome}"]


def test_an_engine_that_hangs_is_slow_and_the_other_answers(
    client: FlaskClient, settings: Settings, owner: dict[str, str], internet: Internet
) -> None:
    hasty = internet.configured(settings, "searxng", "brave", web_engine_seconds=0.7)
    internet.hangs("searxng")
    internet.brave(internet.page("/owls", OWLS))
    search = Asking(client, hasty, owner).ask()
    assert search["result"]["answered"] is True
    assert engines(search)["searxng"] == "slow"


def test_an_engine_that_asks_to_be_left_alone_is_not_asked_again(
    asking: Asking, internet: Internet
) -> None:
    internet.refuses("searxng", 429, **{"Retry-After": "600"})
    asking.ask()
    assert engines(asking.ask())["searxng"] == "skipped"
    assert len(internet.queries["searxng"]) == 1


def test_without_any_answer_there_is_none(asking: Asking, internet: Internet) -> None:
    internet.refuses("searxng", 503)
    internet.refuses("brave", 503)
    search = asking.ask()
    assert search["result"]["answered"] is False
    assert warned(search) == ["nothing_indexed", "engine_failed", "engine_failed"]


def test_without_engines_nothing_of_the_web_is_said(
    client: FlaskClient, settings: Settings, owner: dict[str, str], internet: Internet, owls: None
) -> None:
    search = Asking(client, internet.configured(settings), owner).ask()
    assert search["result"]["answered"] is True
    assert engines(search) == {"corpora": "ok"}
    assert "pages" not in search["result"]["stats"]
    assert set(search["result"]["stats"]["seconds"]) == {
        "reading the question",
        "retrieving",
        "answering",
    }


def test_pages_of_the_web_and_of_corpora_are_ranked_together(
    asking: Asking, internet: Internet, owls: None
) -> None:
    web = internet.page("/hatching", "Hatching. The eggs of a barn owl clutch hatch days apart.")
    internet.searxng(web, internet.page("/trains", TRAINS))
    search = asking.ask()
    assert set(sources(search)) == {"https://birds.example.org/owls", web}
    assert engines(search)["corpora"] == "ok"


def test_a_page_that_is_indexed_too_counts_as_it_was_read_last(
    asking: Asking, internet: Internet
) -> None:
    url = internet.page("/owls", OWLS.replace("four to seven", "three to nine"))
    builders.indexed_page(url, "# Barn owls\n\nA clutch of the barn owl holds four to seven eggs.")
    internet.searxng(url)
    search = asking.ask()
    assert "three to nine" in search["result"]["answer"]
    assert sources(search) == [url]


def test_a_search_with_little_time_left_still_ends_with_an_answer(
    client: FlaskClient, settings: Settings, owner: dict[str, str], internet: Internet, owls: None
) -> None:
    patient = internet.configured(settings, "searxng", web_engine_seconds=60)
    internet.hangs("searxng")
    body = {"query": QUESTION}
    id = client.post(PATH, json=body, headers=owner).json["id"]
    with db.transaction() as tx:
        tx.execute("update jobs set deadline_at = now() + interval '4 seconds'")
    builders.work(patient, id)
    search = client.get(f"{PATH}/{id}", headers=owner).json
    assert search["result"]["answered"] is True
    assert engines(search) == {"corpora": "ok", "searxng": "slow"}


def test_a_page_read_a_moment_ago_is_not_asked_for_again(
    asking: Asking, internet: Internet
) -> None:
    internet.searxng(internet.page("/owls", OWLS))
    asking.ask()
    assert asking.ask()["result"]["answered"] is True
    assert internet.requests["/owls"] == 1


def expired(asking: Asking) -> None:
    """Let the copies be old enough to be checked."""
    with db.transaction() as tx:
        tx.execute("update web_pages set checked_at = now() - interval '2 hours'")


def test_an_old_copy_is_confirmed_by_its_site(asking: Asking, internet: Internet) -> None:
    internet.searxng(internet.page("/owls", OWLS))
    asking.ask()
    expired(asking)
    assert asking.ask()["result"]["answered"] is True
    assert internet.conditional["/owls"] == 1


def test_a_changed_page_is_read_anew(asking: Asking, internet: Internet) -> None:
    url = internet.page("/owls", OWLS)
    internet.searxng(url)
    asking.ask()
    expired(asking)
    internet.page("/owls", OWLS.replace("four to seven", "three to nine"))
    assert "three to nine" in asking.ask()["result"]["answer"]


def test_a_copy_stands_in_while_its_site_is_down(asking: Asking, internet: Internet) -> None:
    internet.searxng(internet.page("/owls", OWLS))
    asking.ask()
    expired(asking)
    internet.pages["/owls"] = (503, {}, b"")
    search = asking.ask()
    assert search["result"]["answered"] is True
    assert outcomes(search) == {"stale": 1}
    assert warned(search) == ["engine_empty", "pages_stale"]


def test_a_page_its_site_has_withdrawn_is_no_source(asking: Asking, internet: Internet) -> None:
    internet.searxng(internet.page("/owls", OWLS))
    asking.ask()
    expired(asking)
    del internet.pages["/owls"]
    search = asking.ask()
    assert sources(search) == []
    assert outcomes(search) == {"http_404": 1}


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


def test_copies_of_one_text_are_one_source(asking: Asking, internet: Internet) -> None:
    long = OWLS + "".join(f"\n\nRemark {i}: the owl of barn {i} was seen." for i in range(60))
    first = internet.page("/first", long)
    second = internet.page("/second", long.replace("barn 31 was", "barn 31 has been"))
    internet.searxng(first, second)
    search = asking.ask()
    assert sources(search) == [first]
    assert outcomes(search) == {"read": 1, "duplicate": 1}


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


def test_hosts_only_the_crawler_may_reach_are_refused_too(
    client: FlaskClient, settings: Settings, owner: dict[str, str], internet: Internet
) -> None:
    internet.searxng(internet.page("/owls", OWLS))
    allow = f"127.0.0.1:{internet.port}"
    closed = replace(
        internet.configured(settings, "searxng"), fetch_allow=allow, web_fetch_allow=""
    )
    assert sources(Asking(client, closed, owner).ask()) == []
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


def test_a_page_that_does_not_come_is_skipped_and_counted(
    client: FlaskClient, settings: Settings, owner: dict[str, str], internet: Internet
) -> None:
    hasty = internet.configured(settings, "searxng", web_page_seconds=0.7)
    url = internet.page("/owls", OWLS)
    internet.searxng(url, internet.hanging("/slow"))
    search = Asking(client, hasty, owner).ask()
    assert sources(search) == [url]
    assert outcomes(search) == {"read": 1, "slow": 1}


def test_a_site_that_hangs_delays_nobody_for_longer_than_there_is_time(
    client: FlaskClient, settings: Settings, owner: dict[str, str], internet: Internet
) -> None:
    """Its other pages wait for their turn in vain; those of another host are read."""
    hasty = internet.configured(settings, "searxng", web_page_seconds=1.0)
    internet.page("/owls", OWLS)
    internet.hanging("/slow")
    internet.page("/trains", TRAINS)
    elsewhere = internet.other + "/owls"
    internet.searxng(internet.url + "/slow", internet.url + "/trains", elsewhere)
    search = Asking(client, hasty, owner).ask()
    assert sources(search) == [elsewhere]
    assert outcomes(search)["read"] + outcomes(search)["slow"] == 3


def test_progress_tells_of_pages_as_they_are_read(
    client: FlaskClient, settings: Settings, owner: dict[str, str], internet: Internet
) -> None:
    patient = internet.configured(settings, "searxng", web_page_seconds=25)
    internet.searxng(internet.page("/owls", OWLS), internet.hanging("/slow", internet.other))
    asking = Asking(client, patient, owner)
    with asking.underway() as id:
        until(lambda: asking.progress(id)["sources_found"] == 1)
        assert asking.progress(id)["stage"] == "reading pages"
        internet.hang.set()


@pytest.mark.parametrize("stage", ["asking engines", "reading pages"])
def test_a_cancelled_search_stops_waiting_for_the_web(
    client: FlaskClient, settings: Settings, owner: dict[str, str], internet: Internet, stage: str
) -> None:
    patient = internet.configured(
        settings, "searxng", web_engine_seconds=60, web_page_seconds=60, job_lease_seconds=0.6
    )
    asking = Asking(client, replace(patient, search_deadline_seconds=600), owner)
    internet.searxng(internet.hanging("/slow"))
    if stage == "asking engines":
        internet.hangs("searxng")
    with asking.underway() as id:
        until(lambda: asking.progress(id)["stage"] == stage)
        client.post(f"{PATH}/{id}/cancel", headers=owner)
    assert client.get(f"{PATH}/{id}", headers=owner).json["status"] == "cancelled"


def test_what_one_account_had_read_is_no_candidate_of_another(
    asking: Asking, internet: Internet, stranger: dict[str, str]
) -> None:
    internet.searxng(internet.page("/owls", OWLS))
    asking.ask()
    internet.searxng()
    other = Asking(asking.client, asking.settings, stranger).ask()
    assert sources(other) == []
    assert warned(other)[0] == "nothing_indexed"


def test_a_quick_search_asks_one_engine_for_five_pages(asking: Asking, internet: Internet) -> None:
    urls = [internet.page(f"/{i}", OWLS.replace("480", f"48{i}")) for i in range(8)]
    internet.searxng(*urls)
    internet.brave(*urls)
    search = asking.ask(depth="quick")
    assert "brave" not in engines(search)
    assert sum(outcomes(search).values()) == 5


def test_a_quick_search_asks_the_next_engine_when_the_first_is_left_alone(
    asking: Asking, internet: Internet
) -> None:
    internet.refuses("searxng", 429, **{"Retry-After": "600"})
    internet.brave(internet.page("/owls", OWLS))
    asking.ask()
    assert asking.ask(depth="quick")["result"]["answered"] is True


def test_a_deep_search_asks_the_parts_of_a_question(asking: Asking, internet: Internet) -> None:
    eggs = internet.page("/eggs", OWLS)
    food = internet.page("/food", "Tawny owls. The tawny owl eats voles and earthworms at night.")

    def reply(asked: dict[str, str]) -> Any:
        url = food if asked["q"].startswith("what do") else eggs
        return 200, {}, f'{{"results": [{{"url": "{url}"}}]}}'.encode()

    internet.replies["searxng"] = reply
    search = asking.ask(
        "How many eggs does a barn owl lay and what do tawny owls eat?", depth="deep"
    )
    assert set(sources(search)) == {eggs, food}
    assert {"asking further", "reading further"} <= set(search["result"]["stats"]["seconds"])


def test_a_copy_nobody_confirmed_for_long_is_forgotten_with_its_snapshot(
    asking: Asking, internet: Internet
) -> None:
    internet.searxng(internet.page("/owls", OWLS), internet.page("/trains", TRAINS))
    search = asking.ask()
    assert len(sources(search)) == 1
    with db.transaction() as tx:
        passages.forget_snapshots(tx, after_seconds=-1)  # finds that both are held
    with db.transaction() as tx:
        tx.execute("update web_pages set checked_at = now() - interval '8 days'")
        pages.expire(tx)
    with db.transaction() as tx:
        passages.forget_snapshots(tx, after_seconds=0)
        left = [url for (url,) in tx.execute("select url from snapshots").fetchall()]
    assert left == [internet.url + "/owls"]
    assert asking.snapshot(search["id"], 1)["url"] == internet.url + "/owls"


def test_a_snapshot_is_kept_while_a_copy_holds_it(asking: Asking, internet: Internet) -> None:
    internet.searxng(internet.page("/trains", TRAINS))
    assert sources(asking.ask()) == []
    with db.transaction() as tx:
        passages.forget_snapshots(tx, after_seconds=0)
    internet.searxng(internet.url + "/trains")
    found = asking.ask("When does the first ferry leave the coast?")
    assert found["result"]["answered"] is True
    assert internet.requests["/trains"] == 1


def test_searches_work_while_redis_is_away(
    client: FlaskClient, settings: Settings, owner: dict[str, str], internet: Internet
) -> None:
    away = internet.configured(settings, "searxng", redis_url="redis://127.0.0.1:1/0")
    internet.searxng(internet.page("/owls", OWLS))
    assert Asking(client, away, owner).ask()["result"]["answered"] is True


def test_no_secret_is_logged_or_shown(
    asking: Asking, internet: Internet, log_lines: Any, settings: Settings
) -> None:
    internet.refuses("brave", 401)
    search = asking.ask()
    assert "brave-secret" not in str(search) + log_lines.getvalue()
    with redis.Redis.from_url(settings.redis_url) as client:
        assert not any(b"secret" in key for key in client.scan_iter())
