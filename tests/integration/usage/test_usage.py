"""What an account did and spent: every number from the table that keeps it."""

from dataclasses import replace
from datetime import UTC, datetime, time, timedelta, tzinfo
from decimal import Decimal
from uuid import UUID

import pytest
from flask import Flask
from flask.testing import FlaskClient

from app.core import db, ids
from app.core.config.settings import Settings
from app.core.db import Tx
from app.core.ids import Noun
from app.domains.money.ledger import service as ledger
from app.domains.money.ledger.store import LedgerAccount, LedgerLine
from app.domains.own_data.requests import recorder
from app.domains.own_data.usage import service
from app.domains.own_data.usage.service import Period
from app.domains.records.page_jobs import service as page_jobs
from tests import builders
from tests.quick_applications import made

CHAT = """
    insert into chats (id, account_id, provider_id, offer_id, pricing_revision, input_rate,
                       output_rate, max_cost, cost)
    select %(id)s, %(account)s, %(account)s, offer_id, revision, input_rate, output_rate, 2, 0.25
    from provider_offer_prices
    """

CAMPAIGN = """
    insert into campaigns (id, account_id, body, token, reward, records_target, k,
                           freshness_seconds, cadence_seconds, state, funded)
    values (%(id)s, %(account)s, '{}', 'USD', 0.5, 10, 2, 86400, 86400, 'active', 5)
    """


@pytest.fixture
def account(settings: Settings) -> UUID:
    """An account with a search, a chat that cost 0.25, and a campaign that spent 0.5 of 5."""
    with db.transaction() as tx:
        account = builders.account(tx)
        secret = builders.api_key(tx, settings, account, ("chat", "search"))
        key_id = db.value(
            tx, "select id from api_keys where last_four = %(four)s", four=secret[-4:]
        )
        builders.credit(tx, account, "10")
        builders.offer(tx, account)
        chat = builders.chat_paid(tx, account, held="2", cost="0.25")
        tx.execute(CHAT, {"id": chat, "account": account})
        campaign = ids.new()
        tx.execute(CAMPAIGN, {"id": campaign, "account": account})
        ledger.post(
            tx, "fund:1", "fund", "USD",
            LedgerLine(account, "credit", Decimal(-5)),
            LedgerLine(campaign, "escrow", Decimal(5)),
        )  # fmt: skip
        ledger.post(
            tx, "accept:1", "accept", "USD",
            LedgerLine(campaign, "escrow", Decimal("-0.5")),
            LedgerLine(ids.new(), "available", Decimal("0.5")),
        )  # fmt: skip
        insert = "insert into searches (id, account_id, query, options, expires_at)"
        tx.execute(f"{insert} values (%s, %s, 'x', '{{}}', now())", [ids.new(), account])
        chatted = builders.answered(
            account, source="key", credential_id=key_id, operation="createChatCompletion",
            made_id=chat,
        )  # fmt: skip
        failed = chatted._replace(id=ids.public(Noun.REQUEST, ids.new()), status=503, made_id=None)
        recorder.insert(tx, [chatted, failed, builders.answered(account)])
    return account


def test_usage_by_day_kind_and_key(
    account: UUID, app: Flask, client: FlaskClient, settings: Settings
) -> None:
    app.extensions["settings"] = replace(settings, requests_kept_days=2)  # of midnight, both days
    with db.transaction() as tx:
        token = builders.access_token(tx, settings, account)
    headers = {"Authorization": f"Bearer {token}"}
    by_day = client.get("/v1/usage?days=3", headers=headers).get_json()
    now = datetime.now(UTC)
    days = [(now - timedelta(hours=ago)).date().isoformat() for ago in (0, 1)]
    [today] = [line for line in by_day["lines"] if line["counts"]["requests"]]
    assert (len(by_day["lines"]), today["name"] in days) == (3, True)
    assert today["counts"] == {
        "requests": 3, "searches": 1, "extractions": 0, "pages": 0, "chats": 1
    }  # fmt: skip
    assert today["spent"] == [{"token": "USD", "amount": "0.75"}]
    assert by_day["total"]["counts"]["requests"] == 3
    assert by_day["embedding_seconds"] == 0
    assert by_day["limits"]["waiting_jobs"] == {"now": 0, "most": 5000}
    assert by_day["limits"]["documents"] == {"now": 0, "most": 10_000}
    assert by_day["limits"]["document_bytes"] == {"now": 0, "most": 1 << 30}
    assert by_day["limits"]["passages"] == {"now": 0, "most": 500_000}
    assert by_day["limits"]["uploads_per_hour"] == {"now": 0, "most": 20_000}
    assert by_day["limits"]["read"] == {"requests": 1800, "seconds": 60}

    by_kind = client.get("/v1/usage?group=kind", headers=headers).get_json()
    spent = {line["name"]: line["spent"] for line in by_kind["lines"] if line["spent"]}
    assert spent == {
        "chats": [{"token": "USD", "amount": "0.25"}],
        "campaigns": [{"token": "USD", "amount": "0.5"}],
    }

    by_key = client.get("/v1/usage?group=key", headers=headers).get_json()
    assert [(line["name"][:4], line["counts"]["chats"]) for line in by_key["lines"]] == [
        ("key_", 1),
        ("sign", 0),
    ]
    assert by_key["lines"][0]["spent"] == [{"token": "USD", "amount": "0.25"}]


def test_a_running_chat_has_spent_nothing(tx: Tx, account: UUID, settings: Settings) -> None:
    chat, today = ids.new(), Period.recent(2)
    held = LedgerAccount(account, "credit"), LedgerAccount(account, "held")
    ledger.hold(tx, chat, f"hold:{chat}", "chat", "USD", *held, Decimal(2))
    report = service.by_kind(tx, account, today, settings)
    spent = {line.name: line.spent for line in report.lines if line.spent}
    assert spent == {"chats": {"USD": Decimal("0.25")}, "campaigns": {"USD": Decimal("0.5")}}


SEARCH = """
    insert into searches (id, account_id, query, options, expires_at, created_at)
    values (%s, %s, 'x', '{}', now(), %s)
    """
JOB = {"source": {"type": "url", "url": "https://a.test/"}, "schema": {}, "max_pages": 1}
MIDNIGHT = datetime.combine(datetime.now(UTC).date(), time(), UTC)
TODAY = Period(MIDNIGHT.date(), MIDNIGHT.date())
YESTERDAY = Period(TODAY.first - timedelta(1), TODAY.first - timedelta(1))


def counted(tx: Tx, account_id: UUID, kind: str, settings: Settings) -> list[int]:
    """So much yesterday and today, each asked for alone."""
    reports = (service.by_day(tx, account_id, day, settings) for day in (YESTERDAY, TODAY))
    return [report.total.counts[kind] for report in reports]


@pytest.mark.parametrize(
    ("asked_ms", "kept_ms", "expected"),
    [(-1, 1, [0, 1]), (1, -1, [1, 0])],
    ids=["kept after midnight", "by a clock that is behind"],
)
def test_what_is_done_around_midnight_belongs_to_one_day(
    tx: Tx, settings: Settings, asked_ms: int, kept_ms: int, expected: list[int]
) -> None:
    account_id = builders.account(tx)
    asked, kept = (MIDNIGHT + timedelta(milliseconds=ms) for ms in (asked_ms, kept_ms))
    tx.execute(SEARCH, [ids.first_of(asked), account_id, kept])
    assert counted(tx, account_id, "searches", settings) == expected


@pytest.mark.parametrize("is_over", [True, False], ids=["over", "under way"])
def test_the_pages_of_a_run_belong_to_the_day_when_it_started(
    tx: Tx, settings: Settings, is_over: bool
) -> None:
    account_id = builders.account(tx)
    job = page_jobs.submit(tx, account_id, "extraction", JOB, kept_seconds=86_400)
    tx.execute("update extraction_jobs set created_at = now() - interval '40 days'")
    tx.execute("update jobs set started_at = %s where id = %s", [MIDNIGHT, job.run_id])
    started, ended = (MIDNIGHT, MIDNIGHT + timedelta(seconds=1)) if is_over else (None, None)
    tx.execute(
        "update extraction_runs set done = 3, started_at = %s, ended_at = %s", [started, ended]
    )
    assert counted(tx, account_id, "pages", settings) == [0, 3]


def test_the_pages_of_a_run_that_waited_over_midnight_belong_to_one_day(
    tx: Tx, settings: Settings
) -> None:
    account_id = builders.account(tx)
    job = page_jobs.submit(tx, account_id, "extraction", JOB, kept_seconds=86_400)
    waited = ids.first_of(MIDNIGHT - timedelta(hours=30))
    tx.execute(
        "insert into extraction_runs (id, job_id, n, started_at, ended_at, done)"
        " values (%s, %s, 2, %s, %s, 3)",
        [waited, job.id, MIDNIGHT, MIDNIGHT + timedelta(seconds=1)],
    )
    assert counted(tx, account_id, "pages", settings) == [0, 3]


def test_a_chat_keeps_the_token_that_it_was_charged_in(account: UUID, settings: Settings) -> None:
    with db.transaction() as tx:
        token = builders.access_token(tx, settings, account)
    client, headers = (
        made(settings, credit_token="EUR").test_client(),
        {"Authorization": f"Bearer {token}"},
    )
    usage = client.get("/v1/usage?group=key", headers=headers).get_json()
    requests = client.get("/v1/requests", headers=headers).get_json()["requests"]
    costs = [usage["total"]["spent"][0], *(each["cost"] for each in requests if each["cost"])]
    assert costs == [{"token": "USD", "amount": "0.25"}] * 2


class Later(datetime):
    """The clock in 40 days, when nothing is kept of the work of today."""

    @classmethod
    def now(cls, tz: tzinfo | None = None) -> datetime:  # type: ignore[override]
        return datetime.now(tz) + timedelta(days=40)


def test_spending_is_told_when_the_work_is_no_longer_kept(
    account: UUID, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    today = datetime.now(UTC).date()
    period = Period(today - timedelta(days=1), today)
    monkeypatch.setattr(service, "datetime", Later)
    with db.reading() as reader:
        by_day = service.by_day(reader, account, period, settings)
        by_kind = service.by_kind(reader, account, period, settings)
    assert by_day.total.spent == by_kind.total.spent == {"USD": Decimal("0.75")}
    assert (by_day.first_day, by_day.last_day) == (period.first, period.last)
    assert [line.counts for line in by_day.lines] == [{}, {}]
