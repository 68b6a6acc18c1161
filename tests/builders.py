"""What tests need to exist: one function per noun."""

import uuid
from datetime import UTC, datetime
from decimal import Decimal
from types import SimpleNamespace
from typing import Any
from uuid import UUID

from argon2 import PasswordHasher

from app.core import db, ids
from app.core.config.settings import Settings
from app.core.db import Tx
from app.core.ids import Noun
from app.core.redis import events
from app.domains.account.accounts import store as accounts_store
from app.domains.account.accounts.service import create_key
from app.domains.account.accounts.sign_in import sessions
from app.domains.account.accounts.sign_in.credentials import Pepper
from app.domains.campaigns.rewards import payouts
from app.domains.campaigns.rewards import service as rewards
from app.domains.library.passages import service as passages
from app.domains.library.passages.prepared import prepare
from app.domains.money.ledger import service as ledger
from app.domains.money.ledger.store import LedgerAccount, LedgerLine
from app.domains.own_data.personal_data import service as personal_data
from app.domains.own_data.requests import recorder
from app.domains.providers.chats.service import ChatSettlement
from app.domains.providers.providers import saved_offers
from app.domains.providers.providers.offer_rules import OfferFields
from app.domains.queue.jobs import service as jobs
from app.domains.records.page_jobs import store
from app.domains.records.page_jobs.runs import page_store, page_turn_store, results
from app.domains.records.page_jobs.runs.types import PageResult
from app.engine.pages.read import read
from app.engine.sandbox.prepare import prepare_page
from tests import parts, wired
from workers.queue.runner import Runner

wired.use()

QUICK = PasswordHasher(time_cost=1, memory_cost=8, parallelism=1)

CAMPAIGN = {
    "name": "Owls",
    "objective": "owls and how they live",
    "data_requirements": {"sources": ["web"], "freshness": "7d", "records_target": 10},
    "reward_budget": {"token": "USD", "amount": "5"},
    "validation": {"min_validators": 2, "require_citations": True},
}
"""The body of a request for one."""


def account(tx: Tx, email: str = "owner@example.org") -> UUID:
    """An account nobody signs in to: hashing a password takes time."""
    added = accounts_store.insert_account(tx, ids.new(), email, "no password fits")
    assert added is not None
    return added.id


def account_with_password(tx: Tx, email: str, password: str) -> UUID:
    """An account somebody signs in to; its hash is weak, and takes no time."""
    added = accounts_store.insert_account(tx, ids.new(), email, QUICK.hash(password))
    assert added is not None
    return added.id


def api_key(
    tx: Tx, settings: Settings, account_id: UUID, scopes: tuple[str, ...] = ("search",)
) -> str:
    """The secret of a new key."""
    pepper = Pepper.of(settings)
    return create_key(tx, account_id, "test", list(scopes), pepper=pepper).secret


def access_token(tx: Tx, settings: Settings, account_id: UUID) -> str:
    """A token of a new sign-in."""
    return sessions.start(tx, Pepper.of(settings), account_id).access_token


def credit(tx: Tx, account_id: UUID, amount: str, token: str = "USD") -> None:  # noqa: S107
    """What an operator grants."""
    ledger.grant(tx, ids.new(), account_id, token, Decimal(amount))


def reward(tx: Tx, account_id: UUID, amount: str) -> None:
    """What a chat earned: it is available."""
    id, earned = ids.new(), Decimal(amount)
    from_outside = LedgerLine(ledger.WORLD, "world", -earned)
    available = LedgerLine(account_id, "available", earned)
    ledger.post(tx, f"settle:{id}", "chat", "USD", from_outside, available)
    rewards.earn(tx, ChatSettlement(id, account_id, "USD", earned))


def chat_paid(tx: Tx, account_id: UUID, held: str, cost: str) -> UUID:
    """The money of a chat that has ended, by its id; somebody else earned it."""
    id, credit = ids.new(), LedgerAccount(account_id, "credit")
    holding = LedgerAccount(account_id, "held")
    ledger.hold(tx, id, f"hold:{id}", "chat", "USD", credit, holding, Decimal(held))
    earned = LedgerLine(ids.new(), "available", Decimal(cost))
    ledger.settle(tx, id, f"settle:{id}", "chat", earned, rest=credit)
    return id


def payout(tx: Tx, account_id: UUID) -> UUID:
    """A request for a dollar; the one that is open, if one is."""
    waiting = "select id from payouts where account_id = %(account_id)s and state = 'requested'"
    if id := db.value(tx, waiting, account_id=account_id):
        return UUID(str(id))
    reward(tx, account_id, "1")
    return payouts.request_payout(tx, account_id, "USD", Decimal(1), "wallet 7").id


def offer(tx: Tx, account_id: UUID) -> UUID:
    """A saved offer, as a node makes it."""
    offered = OfferFields(
        device_id="device-1",
        model="example/model-7b",
        model_revision="r1",
        input_rate=Decimal("0.25"),
        output_rate=Decimal("1.5"),
        public_name="cellar",
    )
    return saved_offers.save_offer(tx, account_id, offered).id


def indexed_page(url: str, document: str | bytes, media_type: str = "text/markdown") -> None:
    """A page in the index, committed."""
    body = document.encode() if isinstance(document, str) else document
    page = read(body, media_type, "utf-8", url)
    prepared = prepare(uuid.uuid4(), ids.new(), url, prepare_page(page), datetime.now(UTC))
    with db.transaction() as tx:
        passages.replace(tx, [prepared])


def request(tx: Tx, account_id: UUID, **changes: Any) -> str:
    """A kept request; its public id."""
    made = answered(account_id, **changes)
    recorder.insert(tx, [made])
    return made.id


def answered(account_id: UUID, **changes: Any) -> recorder.RequestEntry:
    """A request that is not kept yet."""
    made = recorder.RequestEntry(
        id=ids.public(Noun.REQUEST, ids.new()),
        account_id=account_id,
        credential_id=account_id,
        source="token",
        at=datetime.now(UTC),
        method="GET",
        route="/v1/account",
        path="/v1/account",
        operation="getAccount",
        status=200,
        seconds=0.002,
        error=None,
        headers={},
        replayed=False,
        location=None,
        made_id=None,
    )
    return made._replace(**changes)


def page_of_job(tx: Tx, job_id: str, url: str, text: str, *records: SimpleNamespace) -> UUID:
    """A page of the latest run of a job, read as this text; its snapshot."""
    internal = ids.internal(Noun.JOB, job_id)
    job = store.of_anybody(tx, internal) if internal else None
    assert job is not None
    assert job.run_id is not None
    page_store.add(tx, job.run_id, [url])
    [page] = page_turn_store.take(tx, job.run_id, uuid.uuid4(), 1)
    read = SimpleNamespace(
        text=text,
        visible_end=len(text),
        title=None,
        language="en",
        records=records,
        readings={},
    )
    result = PageResult(
        page_id=page.id,
        n=page.n,
        url=url,
        outcome="read",
        fetched_at=datetime.now(UTC),
        page_records=read,
    )
    results.keep(tx, job.run_id, [result])
    [kept] = page_store.listed(tx, job.run_id, outcome=None, after=0, most=1_000)[-1:]
    assert kept.snapshot_id is not None
    return kept.snapshot_id


def missed_page(tx: Tx, run_id: UUID, url: str, outcome: str) -> None:
    """A page of a run that could not be read."""
    page_store.add(tx, run_id, [url])
    [page] = page_turn_store.take(tx, run_id, uuid.uuid4(), 1)
    now = datetime.now(UTC)
    missed = PageResult(page_id=page.id, n=page.n, url=url, outcome=outcome, fetched_at=now)
    results.keep(tx, run_id, [missed])


def work(settings: Settings, *public_ids: str, noun: Noun = Noun.SEARCH) -> None:
    """Do the jobs behind these identifiers now, in this process, as a worker would."""
    found = [ids.internal(noun, text) for text in public_ids]
    run(settings, [id for id in found if id])


def forget_expired(settings: Settings) -> None:
    """Delete what is past its time, as the job of the queue housekeeping does."""
    with db.transaction() as tx:
        id = jobs.enqueue(tx, personal_data.RETENTION, jobs.OPERATOR, {})
    run(settings, [id])


def run(settings: Settings, ids: list[UUID]) -> None:
    """Do these jobs now, in this process, as a worker would."""
    publisher = events.Publisher(events.connect(settings.redis_url))
    with parts.worker():
        Runner(settings, f"test:0:{uuid.uuid4().hex}", publisher).run(ids)
