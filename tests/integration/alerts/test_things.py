"""Monitors, campaigns and queues that alerts are about, from what happens to what is promised."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any
from uuid import UUID

import pytest

from app.core import db, ids
from app.core.config.settings import Settings
from app.core.ids import Noun
from app.domains.account.accounts import deletion
from app.domains.account.accounts.service import set_operator
from app.domains.queue.alerts import observations, service
from app.domains.queue.alerts.conditions import About, Condition
from app.domains.queue.alerts.mail.terms import MailTerms
from app.domains.queue.alerts.service import AlertRequest
from app.domains.queue.jobs.operations.queues import queues
from app.domains.queue.webhooks import service as webhooks
from app.domains.queue.webhooks.terms import DeliveryTerms
from app.domains.records.page_jobs import service as extractions
from app.domains.records.page_jobs.runs import erasure
from app.domains.records.page_jobs.store import PageJob
from tests import builders, internet, parts
from tests.integration.campaigns.market import OWLS, Market
from tests.integration.monitors.watching import Watching
from tests.integration.page_jobs.reading import lamp

TOLD = """
    select convert_from(body, 'utf8')::json->'data' from webhook_events
    where type = 'alert.raised' order by id
    """
SAMPLE = """
    insert into queue_samples (step_seconds, at, queue, waiting, running, oldest_seconds, finished,
                               failed, workers)
    values (10, date_bin('10 seconds', now(), 'epoch') + make_interval(secs => 10 * %(step)s),
            'searches', %(waiting)s, 0, %(oldest)s, 0, 0, 1)
    """


@dataclass
class Listener:
    """An account with a webhook that hears of its alerts."""

    settings: Settings
    account_id: UUID
    webhook_id: UUID

    @classmethod
    def of(cls, settings: Settings, account_id: UUID) -> "Listener":
        terms = DeliveryTerms.of(settings)
        with db.transaction() as tx:
            made = webhooks.create(tx, account_id, "https://hooks.example.org/", ["*"], terms)
        return cls(settings, account_id, made.webhook.id)

    def alert(
        self,
        about: About,
        condition: Condition,
        threshold: float | None = None,
        *,
        id: UUID | None = None,
        queue: str | None = None,
    ) -> None:
        wanted = AlertRequest(about, id, queue, condition, threshold, None, self.webhook_id)
        with db.transaction() as tx:
            terms = MailTerms.of(self.settings)
            service.create(tx, self.account_id, wanted, terms, operator=True)

    def told(self) -> list[dict[str, Any]]:
        with db.reading() as reader:
            return list(db.values(reader, TOLD))

    def values(self) -> list[float]:
        return [data["value"] for data in self.told()]


@pytest.fixture
def site() -> Iterator[internet.Internet]:
    with internet.running() as site:
        yield site


@pytest.fixture
def shop(settings: Settings, site: internet.Internet) -> Watching:
    return Watching.over(settings, site)


@pytest.fixture
def market(settings: Settings, site: internet.Internet) -> Market:
    market = Market.over(settings, site)
    market.publish(*OWLS)
    return market


@pytest.fixture
def watched(shop: Watching) -> tuple[PageJob, Listener]:
    """A monitor of one lamp at 100 dollars that was not run, and its listener."""
    shop.site.pages["/0"] = lamp("Alder", 100)
    return shop.watch(shop.urls("/0")), Listener.of(shop.settings, shop.account_id)


@pytest.mark.parametrize(("percent", "quiet", "loud"), [(None, 100, 104), (5, 104, 120)])
def test_a_change_of_a_monitor_beyond_its_threshold_is_told_with_its_run(
    shop: Watching,
    watched: tuple[PageJob, Listener],
    percent: float | None,
    quiet: int,
    loud: int,
) -> None:
    job, listener = watched
    listener.alert("monitor", "changed", percent, id=job.id)
    shop.site.pages["/0"] = lamp("Alder", quiet)
    shop.run(job)
    assert listener.told() == []
    shop.site.pages["/0"] = lamp("Alder", loud)
    shop.run(job)
    [data] = listener.told()
    assert (data["monitor"], data["value"]) == (ids.public(Noun.JOB, job.id), 1)


def _price_list(*prices: int) -> str:
    rows = "".join(f"<tr><td>Lamp {n}</td><td>${price}</td></tr>" for n, price in enumerate(prices))
    return f"<main><h1>Lamps</h1><table><tr><th>Name</th><th>Price</th></tr>{rows}</table></main>"


@pytest.mark.parametrize("percent", [None, 5])
def test_a_page_with_several_changed_records_is_one_page(
    shop: Watching, percent: float | None
) -> None:
    shop.site.pages["/0"] = _price_list(100, 200, 300)
    job = shop.watch(shop.urls("/0"))
    listener = Listener.of(shop.settings, shop.account_id)
    listener.alert("monitor", "changed", percent, id=job.id)
    shop.site.pages["/0"] = _price_list(150, 250, 350)
    shop.run(job)
    assert len(shop.changes(job)) == 3
    assert listener.values() == [1]


def test_runs_in_a_row_that_read_nothing_are_told_once(
    shop: Watching, watched: tuple[PageJob, Listener]
) -> None:
    job, listener = watched
    listener.alert("monitor", "failing", 2, id=job.id)
    shop.site.pages["/0"] = (403, {}, b"")
    for _ in range(3):
        shop.run(job)
    assert listener.values() == [2]


def test_a_monitor_that_is_erased_takes_its_alerts_with_it(
    shop: Watching, watched: tuple[PageJob, Listener]
) -> None:
    job, listener = watched
    listener.alert("monitor", "failing", 2, id=job.id)
    with db.transaction() as tx:
        extractions.delete(tx, shop.account_id, job.id)
        while erasure.step(tx, job.id):
            pass
    with db.reading() as reader:
        assert db.value(reader, "select count(*) from alerts") == 0


def test_a_campaign_tells_of_its_spending_and_of_its_end(market: Market) -> None:
    campaign = market.funded(target=2, amount="2")
    listener = Listener.of(market.settings, market.account_id)
    listener.alert("campaign", "budget_spent", 10, id=campaign.id)
    listener.alert("campaign", "ended", id=campaign.id)
    market.collect()
    with db.transaction() as tx:  # as if somebody had found the records, who is paid for them
        tx.execute("update campaign_versions set contributor_id = %s", [market.account_id])
    market.decide()
    told = {data["condition"]: data["campaign"] for data in listener.told()}
    assert told == {"budget_spent": market.id(campaign), "ended": market.id(campaign)}


def test_funds_that_are_added_let_the_alert_tell_again(market: Market) -> None:
    campaign = market.funded(target=2, amount="2")
    listener = Listener.of(market.settings, market.account_id)
    listener.alert("campaign", "budget_spent", 10, id=campaign.id)
    with db.transaction() as tx:
        tx.execute("update alerts set raised = true")
    market.fund(campaign, "2")
    with db.reading() as reader:
        assert db.value(reader, "select raised from alerts") is False


def sampled(waiting: int, step: int, oldest: float = 0.0) -> None:
    """As a dispatcher writes it down."""
    with parts.worker(), db.transaction() as tx:
        tx.execute(SAMPLE, {"waiting": waiting, "step": step, "oldest": oldest})
        observations.queues(tx)


@pytest.fixture
def operator(settings: Settings) -> Listener:
    with db.transaction() as tx:
        account_id = builders.account(tx, "operator@example.org")
        set_operator(tx, "operator@example.org", True)
        queues.establish(tx)
    return Listener.of(settings, account_id)


def test_a_queue_tells_once_for_each_crossing(operator: Listener) -> None:
    operator.alert("queue", "waiting", 100, queue="searches")
    for step, waiting in enumerate((100, 101, 90, 150, 80, 40)):
        sampled(waiting, step)
    assert operator.values() == [101]


def test_a_queue_tells_how_long_the_oldest_waits(operator: Listener) -> None:
    operator.alert("queue", "oldest", 60, queue="searches")
    sampled(3, 0, oldest=61.5)
    assert operator.told()[0]["queue"] == "searches"
    assert operator.values() == [61.5]


@pytest.mark.parametrize(
    "leave",
    [
        lambda tx, _: set_operator(tx, "operator@example.org", False),
        lambda tx, account_id: deletion.request(tx, account_id, grace_seconds=86_400),
    ],
    ids=["rights taken", "account left"],
)
def test_who_is_no_operator_any_more_hears_of_no_queue(
    operator: Listener, leave: Callable[[db.Tx, UUID], object]
) -> None:
    operator.alert("queue", "waiting", 100, queue="searches")
    with db.transaction() as tx:
        leave(tx, operator.account_id)
    sampled(1_000, 0)
    assert operator.told() == []
