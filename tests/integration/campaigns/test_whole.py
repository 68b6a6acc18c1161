"""A whole campaign without any node, judged by our own checks."""

from dataclasses import replace
from decimal import Decimal

from app.core import db
from app.domains.campaigns.campaigns import schemas
from app.domains.campaigns.reviews import service as reviews
from app.domains.queue.jobs import service as jobs
from tests.integration.campaigns.market import Market

SUM = "select coalesce(sum(amount), 0) from ledger_entries"


def test_a_funded_campaign_finishes_without_nodes_and_says_so(market: Market) -> None:
    market = replace(market, settings=replace(market.settings, review_alone_seconds=0.0))
    campaign = market.funded(target=2, amount="2", schema=schemas.DEFAULT_SCHEMA)
    market.tick()
    market.work()
    with db.transaction() as tx:
        jobs.enqueue(tx, reviews.ATTEND, jobs.OPERATOR, {})
    market.work()
    assert market.now(campaign).state == "completed"
    assert [record["independent_votes"] for record in market.records(campaign)] == [0, 0]
    assert all(record["validated_by"] for record in market.records(campaign))
    [run] = market.runs(campaign)
    assert run["report"]["built_in"] == {"extracted": 2, "validated": 2}
    assert market.credit == 100
    with db.reading() as reader:
        assert db.value(reader, SUM) == Decimal(0)
