"""The time that each table keeps its rows, and the job that deletes what is past it."""

import math
import time
from collections import Counter, deque
from dataclasses import dataclass
from functools import partial
from typing import Protocol

import psycopg

from app.core import log
from app.core.config.settings import Settings
from app.core.db import Tx
from app.core.http import idempotency
from app.domains.account.accounts.sign_in import session_store
from app.domains.account.audit import store as audit_store
from app.domains.campaigns.campaigns import service as campaigns
from app.domains.campaigns.reviews import gold_store, store
from app.domains.library.pages import service as pages
from app.domains.library.passages import changes
from app.domains.library.passages.store import forget_released_snapshots
from app.domains.money.payments.store import forget_nonces
from app.domains.own_data.personal_data import export_store
from app.domains.own_data.personal_data import service as personal_data
from app.domains.own_data.requests import service as requests
from app.domains.providers.chats import store as chat_store
from app.domains.providers.chats.health import health_store
from app.domains.queue.alerts.mail import address_store, mail_store
from app.domains.queue.jobs import schedule_store, schedules
from app.domains.queue.jobs.dispatch import selection
from app.domains.queue.jobs.operations import bulk
from app.domains.queue.jobs.operations.queues import sample_store
from app.domains.queue.jobs.service import OPERATOR, Finish, enqueue
from app.domains.queue.webhooks import event_store
from app.domains.records.monitors import service as monitors
from app.domains.records.page_jobs import service as page_jobs
from app.domains.records.page_jobs.runs import erasure
from app.domains.records.page_jobs.verification import verifications
from app.domains.search.memories import service as memories
from app.domains.search.searches import service as searches
from workers.queue.attempt import Attempt, Lost, handles

logger = log.get(__name__)

ROWS_PER_STEP = 1_000
SLICE_SECONDS = 20.0  # then other work of the queue gets its turn


class Forget(Protocol):
    def __call__(self, tx: Tx, /, *, most: int) -> int: ...


@dataclass(frozen=True, slots=True)
class Expires:
    """`forget` deletes rows past their time: at most so many, and returns how many it dealt with.

    Fewer than `most` means that none are left. It finds them by an index.
    """

    when: str
    forget: Forget


@dataclass(frozen=True, slots=True)
class WithOwner:
    """Rows go with the row of `owner` they belong to, by a foreign key unless `by` says how."""

    owner: str
    by: str = "on delete cascade"


@dataclass(frozen=True, slots=True)
class Kept:
    """Rows stay until somebody deletes them, or forever."""

    why: str


Rule = Expires | WithOwner | Kept

_BY_INDEX = "the index removes it with its passage, and compaction what is left of it"


def rules(settings: Settings) -> dict[str, Rule]:
    days = settings.retention_days + 1  # nothing may outlive the job that says how it ended
    old_jobs = partial(selection.retire, kept_days=days)
    read_pages = partial(campaigns.retire_pages, kept_days=days)
    old_ticks = partial(schedule_store.retire, kept_days=days)
    # A dispute asks for other voters than those who decided.
    old_reviews = partial(store.expire, kept_days=max(days, settings.rewards_pending_hours / 24))
    old_gold = partial(gold_store.expire, kept_days=days)
    old_requests = partial(requests.forget, kept_days=settings.requests_kept_days)
    old_events = partial(audit_store.forget, kept_days=settings.audit_kept_days)
    old_counts = partial(requests.forget_counts, kept_days=days)
    return {
        "accounts": Kept("an id without a name, once it is deleted"),
        "account_exports": Expires("after ACCOUNT_EXPORT_KEPT_DAYS", export_store.expire),
        "account_export_parts": WithOwner("account_exports"),
        "api_keys": WithOwner("accounts"),
        "peppers": Kept("a row per SECRET_KEY that was replaced"),
        "tokens": Expires("a week after it expired", session_store.retire),
        "preferences": WithOwner("accounts"),
        "token_families": WithOwner("tokens", by="goes with the last of them"),
        "requests": Expires("after REQUESTS_KEPT_DAYS", old_requests),
        "request_counts": Expires("a day after RETENTION_DAYS", old_counts),
        "idempotency_keys": Expires("after 24 hours", idempotency.forget_old),
        "jobs": Expires("a day after RETENTION_DAYS", old_jobs),
        "job_attempts": WithOwner("jobs"),
        "schedules": Kept("until what it belongs to is removed"),
        "schedule_runs": Expires("a day after RETENTION_DAYS", old_ticks),
        "dispatchers": WithOwner("the process", by="others forget it a minute after its last beat"),
        "queues": Kept("a row per queue"),
        "queue_samples": Expires(
            "those of 10 seconds after a day, those of five minutes after 30 days",
            sample_store.forget,
        ),
        "workers": WithOwner("the process", by="forgotten a week after its last beat"),
        "bulk_actions": Expires("a day after RETENTION_DAYS", partial(bulk.forget, kept_days=days)),
        "audit_events": Expires("after AUDIT_KEPT_DAYS", old_events),
        "upload_hours": Kept("one row for an account that uploads, until it is erased"),
        "own_sites": Kept("until its owner deletes it or its corpus"),
        "site_pages": Kept("as long as the site on which it was found"),
        "own_corpora": Kept("until its owner deletes it"),
        "documents": Kept("until its owner deletes it or its corpus"),
        "searches": Expires("after RETENTION_DAYS", searches.expire),
        "search_sources": WithOwner("searches"),
        "extraction_jobs": Expires("RETENTION_DAYS after its end", page_jobs.expire),
        "extraction_runs": Expires(
            "RETENTION_DAYS after its end, unless it is its job's last", erasure.retire
        ),
        "extraction_pages": WithOwner("extraction_runs"),
        "extraction_records": WithOwner("extraction_runs"),
        "extraction_samples": WithOwner("extraction_records"),
        "workflow_steps": WithOwner("extraction_runs"),
        "workflow_items": WithOwner("workflow_steps"),
        "workflow_outputs": WithOwner("workflow_steps"),
        "monitor_pages": WithOwner("extraction_jobs"),
        "monitor_views": WithOwner("extraction_jobs"),
        "monitor_changes": Expires("RETENTION_DAYS after it was found", monitors.retire),
        "extraction_verifications": Expires("a day after it began", verifications.expire),
        "web_pages": Expires("a week after its site last confirmed it", pages.expire),
        "snapshots": Expires("when nothing refers to it", forget_released_snapshots),
        "corpora": Kept("until the operator removes it"),
        "corpus_links": WithOwner("corpora"),
        "pages": WithOwner("corpora"),
        "passages": WithOwner("pages", by="removed with the content of its page"),
        "passage_vectors": WithOwner("passages"),
        "embedding_models": Kept("a row per model that was ever used"),
        "lexical_generations": WithOwner("the index", by="compaction drops what was left"),
        "lexical_passages": WithOwner("passages", by=_BY_INDEX),
        "lexical_blocks": WithOwner("passages", by=_BY_INDEX),
        "lexical_fresh": WithOwner("passages", by=_BY_INDEX),
        "lexical_dead": WithOwner("passages", by=_BY_INDEX),
        "lexical_counts": WithOwner("passages", by=_BY_INDEX),
        "passage_changes": Expires("when every index that follows has it", changes.forget_sent),
        "remote_indexes": WithOwner("the index", by="a rebuild deletes what was left"),
        "listed_domains": Kept("until the operator takes it off the list"),
        "provider_profiles": WithOwner("accounts"),
        "provider_devices": WithOwner("accounts"),
        "provider_offers": WithOwner("provider_devices"),
        "provider_offer_prices": WithOwner("provider_offers"),
        "editions": Kept("a row per revision of a model that the operator enabled"),
        "ledger_accounts": Kept("a row per balance"),
        "ledger_transfers": Kept("they are the operator's books, and append-only"),
        "ledger_entries": Kept("they are the operator's books, and append-only"),
        "ledger_holds": Kept("holds and their outcomes"),
        "nodes": Kept("until their owner deletes them"),
        "node_suspensions": Kept("until the operator lifts them"),
        "work": WithOwner("jobs"),
        "work_turns": WithOwner("work"),
        "sweeps": Kept("one row: when dispatchers last swept"),
        "chats": Expires(
            "a day after RETENTION_DAYS", partial(chat_store.expire, days=math.ceil(days))
        ),
        "offer_minutes": Expires("after two days", health_store.forget),
        "offer_days": Expires("after 30 days", health_store.forget_days),
        "payments": Kept("they are the operator's books"),
        "reward_awards": Kept("what was paid for a record, and when"),
        "reward_entries": Kept("they are the operator's books"),
        "reward_freezes": WithOwner("the doubt", by="deleted when it is settled"),
        "payouts": Kept("they are the operator's books"),
        "record_disputes": Kept("a version is disputed once"),
        "memories": Expires("after its `expires_at`", memories.forget_expired),
        "memory_keys": WithOwner("accounts"),
        "memory_versions": WithOwner("memories"),
        "sign_in_nonces": Expires("when no signature with it is valid", forget_nonces),
        "campaigns": Kept("what was paid for stays until its account goes"),
        "campaign_runs": WithOwner("campaigns"),
        "campaign_records": WithOwner("campaigns"),
        "campaign_versions": WithOwner("campaign_records"),
        "campaign_pages": Expires("a day after RETENTION_DAYS", read_pages),
        "webhooks": WithOwner("accounts"),
        "webhook_events": Expires("after 30 days", event_store.forget),
        "webhook_deliveries": WithOwner("webhook_events"),
        "webhook_attempts": WithOwner("webhook_deliveries"),
        "alerts": Kept("until their owner deletes them, or what they are about is erased"),
        "alert_addresses": Expires(
            "30 days after it was asked, a year after it refused, unless an alert uses it",
            address_store.forget,
        ),
        "alert_mails": Expires("after 30 days", mail_store.forget),
        "reviews": Expires(
            "a day after RETENTION_DAYS from its decision, when its run and the time to dispute it"
            " are over",
            old_reviews,
        ),
        "votes": WithOwner("reviews"),
        "reputations": WithOwner("accounts"),
        "payer_tests": WithOwner("accounts"),
        "gold_items": Expires("a day after RETENTION_DAYS from when it was made", old_gold),
        "gold_answers": WithOwner("gold_items"),
        "schema_migrations": Kept("the history of the schema"),
    }


@handles(personal_data.RETENTION)
def apply(attempt: Attempt) -> Finish:
    """Delete expired rows, a step of each table in turn, and enqueue the rest."""
    attempt.stage("forgetting", 0)
    table_rules = rules(attempt.settings).items()
    waiting = deque((table, rule) for table, rule in table_rules if isinstance(rule, Expires))
    forgotten: Counter[str] = Counter()
    until = time.monotonic() + SLICE_SECONDS
    while waiting and time.monotonic() < until:
        table, rule = waiting.popleft()
        rows = _forget(attempt, table, rule)
        forgotten[table] += rows
        if rows >= ROWS_PER_STEP:
            waiting.append((table, rule))
    attempt.report("forgetting", 100, **+forgotten)
    return _go_on if waiting else lambda _tx: None


def _go_on(tx: Tx) -> None:
    enqueue(tx, personal_data.RETENTION, OPERATOR, {}, unique_key=schedules.ONLY)


def _forget(attempt: Attempt, table: str, rule: Expires) -> int:
    """One step. A fault in one domain does not keep the rows of the others."""
    try:
        with attempt.step() as tx:
            return rule.forget(tx, most=ROWS_PER_STEP)
    except (Lost, psycopg.OperationalError):
        raise
    except Exception:
        logger.exception("rows not forgotten", table=table)
        return 0
