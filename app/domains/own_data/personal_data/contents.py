"""What an export holds: a file for each list of rows. What it does not hold: unexported.py."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, LiteralString

from app.domains.records.page_jobs.store import OF_CALLERS

_JOBS: LiteralString = (
    "select id from extraction_jobs where account_id = %(account_id)s and " + OF_CALLERS  # noqa: S608
)
_RUNS: LiteralString = (
    "select id from extraction_runs where job_id = any(array(" + _JOBS + "))"  # noqa: S608
)
_CAMPAIGNS: LiteralString = "select id from campaigns where account_id = %(account_id)s"
_CAMPAIGN_RUNS: LiteralString = (
    "select id from campaign_runs where campaign_id = any(array(" + _CAMPAIGNS + "))"  # noqa: S608
)
_WEBHOOKS: LiteralString = "select id from webhooks where account_id = %(account_id)s"
_DELIVERIES: LiteralString = (
    "select id from webhook_deliveries where webhook_id = any(array(" + _WEBHOOKS + "))"  # noqa: S608
)
_OFFERS: LiteralString = "select id from provider_offers where account_id = %(account_id)s"
_OWNERS: LiteralString = (
    "select %(account_id)s::uuid union all " + _CAMPAIGNS + " union all " + _CAMPAIGN_RUNS
)
_BALANCES: LiteralString = (
    "select id from ledger_accounts where owner = any(array(" + _OWNERS + "))"  # noqa: S608
)


@dataclass(frozen=True, slots=True)
class TableExport:
    """Rows of one table, read by an index, some at a time in the order of `key`.

    With `each`, which selects ids, they are the rows that hang on one of those after the other.
    Columns that hold secrets, or only digests of them, are never among `columns`.
    """

    file: str
    table: str
    columns: LiteralString
    where: LiteralString = "account_id = %(account_id)s"
    key: tuple[LiteralString, ...] = ("id",)
    each: LiteralString = ""
    prefixes: Mapping[str, str] = field(default_factory=dict)
    """Of the public ids in these columns; other ids are shown as they are stored."""


_JOB = {"job_id": "job", "run_id": "run"}
_CAMPAIGN = {"campaign_id": "camp", "run_id": "crun", "record_id": "crec"}

LISTINGS: Final = (
    TableExport(
        "account",
        "accounts",
        "id, email, created_at, disabled_at, operator, deletion_requested_at, erase_at",
        where="id = %(account_id)s",
        prefixes={"id": "acct"},
    ),
    TableExport(
        "preferences",
        "preferences",
        "zone, theme, shortcuts, page_size",
        key=("account_id",),
    ),
    TableExport(
        "api_keys",
        "api_keys",
        "id, name, prefix, last_four, scopes, created_at, expires_at, last_used_at, revoked_at,"
        " replaced_by",
        prefixes={"id": "key", "replaced_by": "key"},
    ),
    TableExport(
        "sign_ins",
        "token_families",
        "created_at, last_used_at, revoked_at, browser, network",
        key=("id",),
    ),
    TableExport(
        "audit_events",
        "audit_events",
        "id, at, actor, action, object, facts, address, request_id",
        prefixes={"id": "event", "request_id": "req"},
    ),
    TableExport(
        "requests",
        "requests",
        "id, credential_id, source, at, method, route, path, operation, status, milliseconds,"
        " error, headers, replayed",
        prefixes={"id": "req"},
    ),
    TableExport(
        "usage",
        "request_counts",
        "day, credential_id, operation, requests, failed, replayed",
        key=("day", "credential_id", "operation"),
    ),
    TableExport(
        "jobs",
        "jobs",
        "id, queue, kind, state, attempt, request_id, error, created_at, started_at, finished_at",
        prefixes={"id": "task"},
    ),
    TableExport(
        "searches",
        "searches",
        "id, query, options, created_at, expires_at, warnings, result",
        prefixes={"id": "srch"},
    ),
    TableExport(
        "extractions",
        "extraction_jobs",
        "id, type, body, metadata, run_id, rerun_of, webhook_id, warnings, stop_reason, error,"
        " created_at, ended_at, cancelled_at, expires_at",
        where="account_id = %(account_id)s and erased_at is null and " + OF_CALLERS,
        prefixes={"id": "job", "run_id": "run", "rerun_of": "job", "webhook_id": "whk"},
    ),
    TableExport(
        "extraction_runs",
        "extraction_runs",
        "id, job_id, n, tick, skipped, stop_reason, error, started_at, ended_at, found, done,"
        " failed, records, stats, validation",
        where="job_id = %(each)s",
        each=_JOBS,
        prefixes={"id": "run", **_JOB},
    ),
    TableExport(
        "extraction_pages",
        "extraction_pages",
        "run_id, n, url, final_url, state, outcome, verdict, records, fetched_at",
        where="run_id = %(each)s",
        key=("n",),
        each=_RUNS,
        prefixes=_JOB,
    ),
    TableExport(
        "extraction_records",
        "extraction_records",
        "id, run_id, position, version, data, unsatisfied, provenance, confidence",
        where="run_id = %(each)s",
        key=("position", "id"),
        each=_RUNS,
        prefixes={"id": "rec", **_JOB},
    ),
    TableExport(
        "workflow_steps",
        "workflow_steps",
        "run_id, step, type, needs, state, items_in, items_out, because, error, started_at,"
        " ended_at",
        where="run_id = %(each)s",
        key=("step",),
        each=_RUNS,
        prefixes=_JOB,
    ),
    TableExport(
        "workflow_outputs",
        "workflow_outputs",
        "run_id, step, n, url, data",
        where="run_id = %(each)s",
        key=("step", "n"),
        each=_RUNS,
        prefixes=_JOB,
    ),
    TableExport(
        "monitor_pages",
        "monitor_pages",
        "job_id, url, final_url, state, removed, checked_at",
        where="job_id = %(each)s",
        key=("url",),
        each=_JOBS,
        prefixes=_JOB,
    ),
    TableExport(
        "monitor_changes",
        "monitor_changes",
        "id, job_id, run_id, url, verdict, fields, facts, created_at",
        where="job_id = %(each)s",
        each=_JOBS,
        prefixes={"id": "chg", **_JOB},
    ),
    TableExport(
        "quote_checks",
        "extraction_verifications",
        "id, url, quote, stored, live, live_error, created_at",
        prefixes={"id": "vfy"},
    ),
    TableExport(
        "schedules",
        "schedules",
        "id, kind, every_seconds, cron, timezone, next_tick, enabled, created_at",
    ),
    TableExport(
        "webhooks",
        "webhooks",
        "id, job_id, url, events, enabled, disabled_at, disabled_reason, created_at",
        prefixes={"id": "whk", "job_id": "job"},
    ),
    TableExport(
        "webhook_events",
        "webhook_events",
        "id, type, version, convert_from(body, 'UTF8') as body, occurred_at",
        prefixes={"id": "msg"},
    ),
    TableExport(
        "webhook_deliveries",
        "webhook_deliveries",
        "id, webhook_id, event_id, redelivery_of, status, error, created_at",
        where="webhook_id = %(each)s",
        each=_WEBHOOKS,
        prefixes={"id": "dlv", "redelivery_of": "dlv", "webhook_id": "whk", "event_id": "msg"},
    ),
    TableExport(
        "webhook_attempts",
        "webhook_attempts",
        "delivery_id, n, at, status, error, milliseconds, answer",
        where="delivery_id = %(each)s",
        key=("n",),
        each=_DELIVERIES,
        prefixes={"delivery_id": "dlv"},
    ),
    TableExport(
        "campaigns",
        "campaigns",
        "id, body, token, reward, records_target, state, funded, refunded, starts_at, ends_at,"
        " created_at, ended_at",
        prefixes={"id": "camp"},
    ),
    TableExport(
        "campaign_runs",
        "campaign_runs",
        "id, campaign_id, tick, state, reserved, spent, report, created_at, ended_at",
        where="campaign_id = %(each)s",
        each=_CAMPAIGNS,
        prefixes={"id": "crun", **_CAMPAIGN},
    ),
    TableExport(
        "campaign_records",
        "campaign_records",
        "id, campaign_id, run_id, url, version, state, duplicate_of, verified_at, fresh_until,"
        " created_at",
        where="campaign_id = %(each)s",
        each=_CAMPAIGNS,
        prefixes={"id": "crec", "duplicate_of": "crec", **_CAMPAIGN},
    ),
    TableExport(
        "campaign_record_versions",
        "campaign_versions",
        "record_id, version, run_id, data, provenance, state, reasons, validated_by,"
        " independent_votes, decided_at, created_at",
        where="run_id = %(each)s",
        key=("record_id", "version"),
        each=_CAMPAIGN_RUNS,
        prefixes=_CAMPAIGN,
    ),
    TableExport(
        "disputes",
        "record_disputes",
        "id, kind, campaign_id, record_id, version, category, reason, state, decided_by,"
        " opened_at, decided_at",
        prefixes={"id": "disp", **_CAMPAIGN},
    ),
    TableExport(
        "ledger_balances",
        "ledger_accounts",
        "kind, token, balance",
        where="owner = %(account_id)s",
    ),
    TableExport(
        "ledger_entries",
        "ledger_entries join ledger_transfers transfer on transfer.id = transfer_id",
        "transfer_id, key, why, token, amount, posted_at",
        where="account_id = %(each)s",
        key=("ledger_entries.id",),
        each=_BALANCES,
    ),
    TableExport(
        "rewards",
        "reward_entries",
        "id, token, amount, role, campaign_id, record_id, version, verdict, chat_id, why, state,"
        " created_at, ended_at",
        prefixes={"id": "rwd", "chat_id": "chat", **_CAMPAIGN},
    ),
    TableExport(
        "payouts",
        "payouts",
        "id, token, amount, destination, state, reference, reason, created_at, ended_at",
        prefixes={"id": "pout"},
    ),
    TableExport(
        "chats",
        "chats",
        "id, offer_id, pricing_revision, input_rate, output_rate, max_cost, prompt_tokens,"
        " completion_tokens, cost, ended, created_at",
        prefixes={"id": "chat"},
    ),
    TableExport(
        "provider_profile",
        "provider_profiles",
        "display_name, handle, description, website, published, avatar_media_type, avatar",
        key=("account_id",),
    ),
    TableExport(
        "provider_devices",
        "provider_devices",
        "device_id, capacity, seen_at",
        key=("device_id",),
    ),
    TableExport(
        "offers",
        "provider_offers",
        "id, device_id, model, model_revision, precision, pricing_revision, input_rate,"
        " output_rate, public_name, published, auto_eligible, max_context, deleted_at",
    ),
    TableExport(
        "offer_prices",
        "provider_offer_prices",
        "offer_id, revision, input_rate, output_rate, created_at",
        where="offer_id = %(each)s",
        key=("revision",),
        each=_OFFERS,
    ),
    TableExport(
        "offer_days",
        "offer_days",
        "offer_id, day, requests, failed, aborted, tokens",
        where="offer_id = %(each)s",
        key=("day",),
        each=_OFFERS,
    ),
    TableExport(
        "nodes",
        "nodes",
        "id, name, work, options, max_bytes, capacity, maintenance, admitted_at, paused_until,"
        " paused_reason, seen_at, network, created_at",
        prefixes={"id": "node"},
    ),
    TableExport(
        "node_suspensions",
        "node_suspensions",
        "reason, suspended_at",
        key=("account_id",),
    ),
    TableExport(
        "work_done",
        "work_turns",
        "work_id, fence, node_id, claimed_at, ended_at, outcome, reason",
        key=("work_id", "fence"),
        prefixes={"work_id": "work", "node_id": "node"},
    ),
    TableExport(
        "votes",
        "votes",
        "record_id, version, verdict, category, reason, evidence, counted, agreed, cast_at",
        key=("record_id", "version"),
        prefixes=_CAMPAIGN,
    ),
    TableExport(
        "reputation",
        "reputations",
        "shown_right, shown_wrong, suspended_at, reason",
        key=("account_id",),
    ),
)

MEMORIES: Final = ("memory_keys", "memories", "memory_versions")
"""Sealed: an export opens them as their own export does."""
