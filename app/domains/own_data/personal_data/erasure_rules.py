"""What becomes of each table when an account is erased: rows deleted, made nameless, or kept."""

from collections.abc import Mapping
from typing import Final, LiteralString, NamedTuple

_CAMPAIGNS: LiteralString = "select id from campaigns where account_id = %(account_id)s"
_OF_CAMPAIGNS: LiteralString = "campaign_id = any(array(" + _CAMPAIGNS + "))"
_RECORDS: LiteralString = "select id from campaign_records where " + _OF_CAMPAIGNS  # noqa: S608
_EXPORTS: LiteralString = "select id from account_exports where account_id = %(account_id)s"
_SEARCHES: LiteralString = "select id from searches where account_id = %(account_id)s"
_WEBHOOKS: LiteralString = "select id from webhooks where account_id = %(account_id)s"
_STOPPED: LiteralString = (
    "kind = 'accounts.stop' and payload ->> 'account_id' = %(account_id)s::text"
    " and finished_at is not null"
)
_UNUSED_OFFERS: LiteralString = (
    "account_id = %(account_id)s"
    " and not exists (select from chats where chats.offer_id = provider_offers.id)"
)
_EMPTY_DEVICES: LiteralString = (
    "account_id = %(account_id)s and not exists ("
    "select from provider_offers offer where (offer.account_id, offer.device_id)"
    " = (provider_devices.account_id, provider_devices.device_id))"
)


class DeletedRows(NamedTuple):
    """Rows that go; `snapshot` names the column of the stored page that each of them released."""

    table: LiteralString
    where: LiteralString = "account_id = %(account_id)s"
    snapshot: LiteralString = ""


# What hangs on a row comes before it, so that no statement deletes more than its bound.
DELETED: Final = (
    DeletedRows("account_export_parts", "export_id = any(array(" + _EXPORTS + "))"),
    DeletedRows("account_exports"),
    DeletedRows("idempotency_keys", "owner = %(account_id)s::text"),
    DeletedRows("requests"),
    DeletedRows("request_counts"),
    DeletedRows("search_sources", "search_id = any(array(" + _SEARCHES + "))", "snapshot_id"),
    DeletedRows("searches"),
    DeletedRows("extraction_verifications", snapshot="snapshot_id"),
    DeletedRows("campaign_pages", _OF_CAMPAIGNS, "snapshot_id"),
    DeletedRows("campaign_versions", "record_id = any(array(" + _RECORDS + "))", "snapshot_id"),
    DeletedRows("campaign_records", _OF_CAMPAIGNS),
    DeletedRows("campaign_runs", _OF_CAMPAIGNS),
    DeletedRows("campaigns"),
    DeletedRows("reviews", "payer_id = %(account_id)s"),
    DeletedRows("webhook_deliveries", "webhook_id = any(array(" + _WEBHOOKS + "))"),
    DeletedRows("webhooks"),
    DeletedRows("webhook_events"),
    DeletedRows("schedules"),
    DeletedRows("jobs", "account_id = %(account_id)s and finished_at is not null"),
    DeletedRows("jobs", _STOPPED),
    DeletedRows("chats", "account_id = %(account_id)s and ended is not null"),
    DeletedRows("gold_answers"),
    DeletedRows("reputations"),
    DeletedRows("reward_freezes", "subject = %(account_id)s"),
    DeletedRows("node_suspensions"),
    DeletedRows("nodes"),
    DeletedRows("provider_offers", _UNUSED_OFFERS),
    DeletedRows("provider_devices", _EMPTY_DEVICES),
    DeletedRows("provider_profiles"),
    DeletedRows("preferences"),
    DeletedRows("token_families"),
    DeletedRows("memory_versions"),
    DeletedRows("memories"),
    DeletedRows("memory_keys"),
)

# A key refers to the one that replaced it, so these go together: an account has few.
KEYS: Final[LiteralString] = "delete from api_keys where account_id = %(account_id)s"


class Nameless(NamedTuple):
    """Rows that stay for others, or for the books, without what a person wrote in them."""

    table: LiteralString
    change: LiteralString
    where: LiteralString
    why: str


NAMELESS: Final = (
    Nameless(
        "payouts",
        "destination = 'erased ' || id, reason = case when reason is not null then 'erased' end",
        "account_id = %(account_id)s",
        "the operator's books: what was paid, and the reference of the transfer",
    ),
    Nameless(
        "record_disputes",
        "reason = 'erased'",
        "account_id = %(account_id)s",
        "a version is disputed once; others' money followed from it",
    ),
    Nameless(
        "votes",
        "reason = null, evidence = '[]'",
        "account_id = %(account_id)s",
        "they decided about records of others; they go with their review",
    ),
    Nameless(
        "work_turns",
        "answer = null, claim_key = 'erased ' || work_id || ' ' || fence",
        "account_id = %(account_id)s and ended_at is not null",
        "of whoever paid for the work; they go with its job",
    ),
    Nameless(
        "provider_offers",
        "public_name = 'erased', published = false, listed = false, serving = false,"
        " auto_eligible = false, deleted_at = coalesce(deleted_at, now())",
        "account_id = %(account_id)s",
        "chats of others refer to their prices",
    ),
    Nameless(
        "bulk_actions",
        "requested_by = 'erased'",
        "requested_by in (%(email)s, %(public_id)s, %(account_id)s::text)",
        "what an operator had done to many jobs",
    ),
    Nameless(
        "queues",
        "paused_by = 'erased'",
        "paused_by in (%(email)s, %(public_id)s, %(account_id)s::text)",
        "a queue stays paused",
    ),
)

KEPT: Final[Mapping[str, str]] = {
    "accounts": "the id without a name, so that what others own refers to something",
    "audit_events": "what was done, without names and addresses; deleted after AUDIT_KEPT_DAYS",
    "chats": "of others with its offers: theirs, deleted after RETENTION_DAYS",
    "campaign_versions": "records of others that its nodes contributed",
    "ledger_accounts": "the books must balance; nothing is written in them but ids and amounts",
    "ledger_entries": "the books must balance",
    "ledger_holds": "the books must balance",
    "ledger_transfers": "the books must balance",
    "provider_devices": "while chats of others refer to their prices",
    "provider_offer_prices": "while chats of others refer to them",
    "reviews": "of records of others that its nodes contributed; deleted after RETENTION_DAYS",
    "reward_awards": "the operator's books",
    "reward_entries": "the operator's books: ids and amounts",
    "work": "of others, which its nodes did; it goes with its job",
    **{each.table: each.why for each in NAMELESS},
}
"""Tables in which its id may still be found, and why."""

BY_THEIR_OWNER: Final[Mapping[str, str]] = {
    "api_keys": "deleted all at once",
    "extraction_jobs": "deleted by their own domain, with all that hangs on them",
    "extraction_runs": "with its job",
    "extraction_pages": "with its run",
    "extraction_records": "with its run",
    "extraction_samples": "with its record",
    "workflow_steps": "with its run",
    "workflow_items": "with its step",
    "workflow_outputs": "with its step",
    "monitor_pages": "with its job",
    "monitor_views": "with its job",
    "monitor_changes": "with its job",
    "tokens": "with its sign-in",
    "schedule_runs": "with its schedule",
    "webhook_attempts": "with its delivery",
    "job_attempts": "with its job",
    "offer_days": "with its offer",
    "offer_minutes": "with its offer",
}

NOBODYS: Final = frozenset(
    (
        "corpora",
        "corpus_links",
        "dispatchers",
        "editions",
        "embedding_models",
        "gold_items",
        "lexical_blocks",
        "lexical_counts",
        "lexical_dead",
        "lexical_fresh",
        "lexical_generations",
        "lexical_passages",
        "listed_domains",
        "pages",
        "passage_changes",
        "passage_vectors",
        "passages",
        "payments",
        "peppers",
        "queue_samples",
        "remote_indexes",
        "schema_migrations",
        "sign_in_nonces",
        "snapshots",
        "sweeps",
        "web_pages",
        "workers",
    )
)
"""Tables that hold nothing of an account: the index, pages of others, processes, wallets."""
