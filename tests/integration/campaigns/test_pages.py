"""The pages of a run are read as those of page jobs are."""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from types import ModuleType
from typing import Any

import pytest
from flask.testing import FlaskClient

from app.core import db, ids
from app.domains.campaigns.campaigns.runs import page_job, page_store, pages, run
from app.domains.campaigns.campaigns.store import Campaign
from app.domains.own_data.personal_data import table_store, tables
from app.domains.queue.jobs.dispatch import sweep
from app.domains.records.page_jobs import service as page_jobs
from app.domains.records.page_jobs.runs import erasure
from app.domains.records.page_jobs.runs import page_store as job_page_store
from app.engine.fetch import Response
from app.engine.rendering.rendered import RenderedPage
from tests import builders
from tests.integration.campaigns.market import OWLS, Market
from workers.records.lanes import lane, rendering

APP = "<title>Owls</title><div id=app></div><script src=/app.js></script>"
SITE = '<meta name=description content="All that there is to know about the owls of the world.">'
DEAD = "update jobs set lease_until = now() - interval '1 s' where state = 'running'"
RETRY = "update jobs set run_at = now() where state = 'queued'"
PASS_DEADLINE = """
    update jobs set run_at = now(), state = 'queued', deadline_at = now() + interval '100 s'
    where kind = 'campaigns.run'
    """
PAGES_READ = "select count(*) from extraction_pages"
DAY_LATER = "update extraction_jobs set expires_at = expires_at - interval '1 day'"


class Died(BaseException):
    """The worker is gone: nothing handles this."""


@dataclass(frozen=True)
class Browser:
    markup: str

    def render(self, _page: Response) -> RenderedPage:
        return RenderedPage(self.markup, 0)


def outcomes(market: Market, campaign: Campaign) -> dict[str, str | None]:
    with db.reading() as reader:
        pages = page_store.page(reader, campaign.id, None, 100)
    return {"/" + page.url.rpartition("/")[2]: page.outcome for page in pages}


def written(market: Market, *paths: str) -> Campaign:
    """A campaign over these pages, of which one is written by its script."""
    market.site.pages["/app"] = APP
    market.site.searxng(*(market.site.url + path for path in paths))
    return market.funded(target=4, amount="4")


def test_a_page_that_needs_a_browser_gets_one(
    market: Market, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lane, "can_render", lambda _: True)
    market.site.page("/made", OWLS[0])
    made = market.site.pages["/made"]
    monkeypatch.setattr(rendering, "renderer", lambda _: Browser(str(made)))
    campaign = written(market, "/app")
    market.collect()
    assert outcomes(market, campaign) == {"/app": "read"}
    [record] = market.records(campaign, "candidate")
    assert "Barn owls" in record["data"]["title"]


def test_without_a_browser_such_a_page_says_so(market: Market) -> None:
    campaign = written(market, "/app", "/0")
    market.collect()
    assert outcomes(market, campaign) == {"/app": "needs_rendering", "/0": "read"}


def owls(count: int) -> list[str]:
    return [
        f"Owl {n} of the north. It hunts mice by the tree with {n} rings." for n in range(count)
    ]


def labelled(market: Market, path: str, text: str) -> str:
    """Publish a page that labels its summary, and states what is the same on the whole site."""
    address = market.site.page(path, text, head=SITE)
    page = market.site.pages[path]
    assert isinstance(page, str)
    market.site.pages[path] = page.replace("<p>", "<h2>Summary</h2><p class=summary>")
    return address


def test_later_pages_of_a_host_are_read_by_what_the_first_ones_taught(market: Market) -> None:
    texts = owls(30)
    urls = [labelled(market, f"/{n}", text) for n, text in enumerate(texts)]
    market.site.searxng(*urls)
    campaign = market.funded(target=40, amount="40")
    market.collect()
    later = market.records(campaign, "candidate")[:10]
    assert {record["data"]["summary"] for record in later} <= set(texts)


def test_what_is_read_while_no_node_is_there_to_do_it_uses_what_was_taught(
    market: Market, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(page_job.nodes, "seen_recently", lambda *_: 1)
    texts = owls(4)
    urls = [labelled(market, f"/{n}", text) for n, text in enumerate(texts)]
    market.site.searxng(*urls)
    campaign = market.funded(target=4, amount="4")
    market.collect()
    with db.transaction() as tx:
        for page in page_store.page(tx, campaign.id, None, 10):
            pages.built_in_instead(tx, page.id)
    summaries = {record["data"]["summary"] for record in market.records(campaign, "candidate")}
    assert summaries == set(texts)


@dataclass
class Mortal:
    """Does as `real` does, and then dies as often as it has `lives`."""

    real: Callable[..., Any]
    lives: int

    def __call__(self, *args: Any, **named: Any) -> Any:
        result = self.real(*args, **named)
        if self.lives:
            self.lives -= 1
            raise Died
        return result


def work_among_deaths(market: Market, most: int) -> None:
    """Do what is to be done, with another worker after each of at most so many deaths."""
    for _ in range(most):
        with suppress(Died):
            market.work()
        with db.transaction() as tx:
            tx.execute(DEAD)
        with db.transaction() as tx:
            sweep.sweep(tx)
        with db.transaction() as tx:
            tx.execute(RETRY)
    market.work()


@pytest.mark.parametrize(
    ("where", "name"),
    [
        (run, "collect"),
        (lane, "keep"),
        (page_store, "done"),
        (job_page_store, "outcomes"),
    ],
)
def test_a_worker_that_dies_loses_nothing_and_does_nothing_twice(
    market: Market, monkeypatch: pytest.MonkeyPatch, where: ModuleType, name: str
) -> None:
    campaign = market.funded(target=4, amount="4")
    market.tick()
    monkeypatch.setattr(where, name, Mortal(getattr(where, name), 1))
    work_among_deaths(market, 2)
    assert set(outcomes(market, campaign).values()) == {"read"}
    assert len(market.records(campaign, "candidate")) == len(OWLS)
    assert [run["state"] for run in market.runs(campaign)] == ["reviewing"]


def test_pages_that_were_not_come_to_in_time_say_so(market: Market) -> None:
    campaign = market.funded(target=4, amount="4")
    market.tick()
    market.work(1)
    with db.transaction() as tx:
        tx.execute(PASS_DEADLINE)
    market.work()
    assert set(outcomes(market, campaign).values()) == {"deadline_exceeded"}
    assert [run["state"] for run in market.runs(campaign)] == ["closed"]


def test_a_cancelled_campaign_asks_for_no_further_page(market: Market) -> None:
    campaign = market.funded(target=4, amount="4")
    market.tick()
    market.work(1)
    market.act(campaign, "cancel")
    market.work()
    assert set(outcomes(market, campaign).values()) == {"stopped"}
    assert [run["state"] for run in market.runs(campaign)] == ["closed"]
    assert not any(market.site.requests[f"/{n}"] for n in range(len(OWLS)))


def test_nobody_sees_or_exports_a_job_of_pages_behind_a_campaign(
    market: Market, client: FlaskClient
) -> None:
    market.funded(target=4, amount="4")
    market.collect()
    listings = [each for each in tables.EXPORTED if each.file.startswith("extraction")]
    assert [row for each in listings for row in table_store.rows(each, market.account_id)] == []
    with db.transaction() as tx:
        token = builders.access_token(tx, market.settings, market.account_id)
        [job_id] = db.values(tx, "select id from extraction_jobs")
    headers = {"Authorization": f"Bearer {token}"}
    assert client.get("/v1/extract/jobs", headers=headers).json["jobs"] == []
    path = f"/v1/extract/jobs/{ids.public('job', job_id)}"
    assert client.get(path, headers=headers).status_code == 404
    counts = client.get("/v1/usage?days=1", headers=headers).json["total"]["counts"]
    assert (counts["extractions"], counts["pages"]) == (0, 0)


def test_what_was_read_goes_a_day_after_the_run(market: Market) -> None:
    campaign = market.funded(target=4, amount="4")
    market.collect()
    with db.transaction() as tx:
        tx.execute(DAY_LATER)
        assert page_jobs.expire(tx) == 1
        [job_id] = db.values(tx, "select id from extraction_jobs")
        while erasure.step(tx, job_id):
            pass
        assert db.value(tx, PAGES_READ) == 0
    assert len(market.records(campaign, "candidate")) == len(OWLS)
