"""What tests need to exist: one function per noun."""

import uuid
from datetime import UTC, datetime
from decimal import Decimal
from types import SimpleNamespace
from uuid import UUID

import app.domains.extractions.extracting  # noqa: F401 (registers its type)
import workers.searches.handler  # noqa: F401 (declares the handler of searches)
from app.core import db, events, ids
from app.core.config import Settings
from app.core.db import Tx
from app.domains.accounts import service as accounts
from app.domains.accounts import sessions
from app.domains.accounts import store as accounts_store
from app.domains.extractions import service as extractions
from app.domains.extractions import working
from app.domains.extractions.types import PageResult
from app.domains.jobs import service as jobs
from app.domains.passages import service as passages
from app.domains.providers import service as providers
from app.engine.pages.read import read
from app.engine.reading.preparing import prepare_page
from workers import retention
from workers.queue.runner import Runner
from workers.searches.candidates import ANALYZER


def account(tx: Tx, email: str = "owner@example.org") -> UUID:
    """An account nobody signs in to: hashing a password takes time."""
    added = accounts_store.insert_account(tx, ids.new(), email, "no password fits")
    assert added is not None
    return added.id


def api_key(
    tx: Tx, settings: Settings, account_id: UUID, scopes: tuple[str, ...] = ("search",)
) -> str:
    """The secret of a new key."""
    pepper = accounts.Pepper.of(settings)
    return accounts.create_key(tx, account_id, "test", list(scopes), pepper=pepper).secret


def access_token(tx: Tx, settings: Settings, account_id: UUID) -> str:
    """A token of a new sign-in."""
    return sessions.start(tx, accounts.Pepper.of(settings), account_id).access_token


def offer(tx: Tx, account_id: UUID) -> UUID:
    """A saved offer, as a node makes it."""
    offered = providers.Offered(
        device_id="device-1",
        model="example/model-7b",
        model_revision="r1",
        input_rate=Decimal("0.25"),
        output_rate=Decimal("1.5"),
        public_name="cellar",
    )
    return providers.save_offer(tx, account_id, offered).id


def indexed_page(url: str, markdown: str) -> None:
    """A page in the index, committed."""
    page = read(markdown.encode(), "text/markdown", "utf-8", url)
    prepared = passages.prepare(
        uuid.uuid4(), ids.new(), url, prepare_page(page, ANALYZER), datetime.now(UTC)
    )
    with db.transaction() as tx:
        passages.replace(tx, [prepared])


def page_of_job(tx: Tx, job_id: str, url: str, text: str, *records: SimpleNamespace) -> UUID:
    """A page of the latest run of a job, read as this text; its snapshot."""
    internal = ids.internal("job", job_id)
    job = working.job(tx, internal) if internal else None
    assert job is not None
    assert job.run_id is not None
    working.add_pages(tx, job.run_id, [url])
    [page] = working.take_pages(tx, job.run_id, uuid.uuid4(), 1)
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
    working.keep_pages(tx, job.run_id, [result])
    [kept] = extractions.pages_of(tx, job.run_id, outcome=None, after=0, limit=1_000)[-1:]
    assert kept.snapshot_id is not None
    return kept.snapshot_id


def work(settings: Settings, *public_ids: str, prefix: str = "srch") -> None:
    """Do the jobs behind these identifiers now, in this process, as a worker would."""
    found = [ids.internal(prefix, text) for text in public_ids]
    run(settings, [id for id in found if id])


def forget_expired(settings: Settings) -> None:
    """Delete what is past its time, as the job of the queue housekeeping does."""
    with db.transaction() as tx:
        id = jobs.enqueue(tx, retention.KIND, jobs.OPERATOR, {})
    run(settings, [id])


def run(settings: Settings, ids: list[UUID]) -> None:
    """Do these jobs now, in this process, as a worker would."""
    publisher = events.Publisher(events.connect(settings.redis_url))
    Runner(settings, f"test:0:{uuid.uuid4().hex}", publisher).run(ids)
