"""A row in every table that names one account wherever an account can be named.

All other ids are one and the same, so that each row hangs on those of the other tables.
"""

import re
from collections import defaultdict
from typing import Any
from uuid import UUID

import psycopg
from psycopg import sql

from app.core import ids

ROW = ids.new()
EMAIL = "ada@example.org"
WRITTEN = f"{EMAIL} wrote this"

OF_ACCOUNTS = {
    "account_id",
    "owner",
    "provider_id",
    "contributor_id",
    "payer_id",
    "funder_id",
    "loser",
    "meant_for",
}
# What the schema does not tell: text that a person may have written, and rows that have ended.
VALUES: dict[str, dict[str, Any]] = {
    "accounts": {"id": "ACCOUNT", "email": EMAIL, "erase_at": "yesterday"},
    "alert_addresses": {"email": WRITTEN},
    "alert_mails": {"body": WRITTEN},
    "alerts": {"about_id": ROW, "address_id": ROW},
    "audit_events": {"actor": "operator", "by_whom": EMAIL, "object": WRITTEN},
    "bulk_actions": {"requested_by": EMAIL},
    "chats": {"ended": "done"},
    "extraction_jobs": {"ended_at": "now", "type": "extraction"},
    "extraction_verifications": {"snapshot_id": ROW},
    "idempotency_keys": {"owner": "ACCOUNT"},
    "jobs": {"state": "succeeded", "kind": "searches.run", "finished_at": "now"},
    "ledger_accounts": {"kind": "credit", "token": "USD", "owner": "ACCOUNT"},
    "ledger_entries": {"account_id": 1},
    "offer_days": {"first_token_ms": [0] * 20, "tokens_per_second": [0] * 20},
    "offer_minutes": {"first_token_ms": [0] * 20, "tokens_per_second": [0] * 20},
    "payments": {"state": "failed", "decided_at": "now", "nonce": "0x" + "1" * 64},
    "payouts": {"destination": WRITTEN, "state": "settled", "reference": "7", "ended_at": "now"},
    "provider_offers": {"public_name": WRITTEN},
    "provider_profiles": {"handle": "ada", "display_name": WRITTEN},
    "queue_samples": {"step_seconds": 10},
    "queues": {"paused_by": EMAIL, "paused_at": "now"},
    "record_disputes": {
        "reason": WRITTEN,
        "state": "refused",
        "decided_at": "now",
        "decided_by": "votes",
        "settled_at": "now",
    },
    "reviews": {"state": "accepted", "decided_at": "now"},
    "reward_entries": {"state": "available", "ended_at": "now", "amount": 0.5},
    "reward_freezes": {"subject": "ACCOUNT"},
    "schedules": {"every_seconds": 60},
    "token_families": {"browser": WRITTEN},
    "votes": {"reason": WRITTEN},
    "work_turns": {"claim_key": WRITTEN, "ended_at": "now", "answer": "{}"},
    "campaign_runs": {"state": "closed"},
    "campaigns": {"ended_at": "now"},
}
OF_TYPE: dict[str, Any] = {
    "uuid": ROW,
    "text": "a-word",
    "bool": True,
    "timestamptz": "now",
    "date": "today",
    "jsonb": "{}",
    "json": "{}",
    "bytea": b"{}",
    "numeric": 1,
    "float4": 1,
    "float8": 1,
    "int2": 1,
    "int4": 1,
    "int8": 1,
}
COLUMNS = """
    select c.table_name, c.column_name, c.udt_name
    from information_schema.columns c join pg_tables on tablename = c.table_name
    where c.table_schema = 'public' and pg_tables.schemaname = 'public'
      and c.is_generated = 'NEVER'
      and (c.is_nullable = 'NO' and c.column_default is null or c.column_name = any(%(named)s))
    order by c.table_name, c.ordinal_position
    """
CHECKS = """
    select conrelid::regclass::text, pg_get_constraintdef(oid) from pg_constraint
    where contype = 'c' and connamespace = 'public'::regnamespace
    """
ONE_OF = re.compile(r"\((\w+) = ANY \(ARRAY\['([^']+)'")


def plant(url: str, account_id: UUID) -> None:
    """Fill every table but the history of the schema; no trigger and no foreign key is asked."""
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("set session_replication_role = replica")
        for table, row in _rows(connection, account_id).items():
            connection.execute(f"delete from {table}")  # noqa: S608 (names of the schema)
            insert = sql.SQL("insert into {} ({}) overriding system value values ({})").format(
                sql.Identifier(table),
                sql.SQL(", ").join(map(sql.Identifier, row)),
                sql.SQL(", ").join(map(sql.Literal, row.values())),
            )
            connection.execute(insert)


def _rows(connection: psycopg.Connection[Any], account_id: UUID) -> dict[str, dict[str, Any]]:
    allowed = {
        (table, column): first
        for table, check in connection.execute(CHECKS)
        for column, first in ONE_OF.findall(check)
    }
    rows: dict[str, dict[str, Any]] = defaultdict(dict)
    for table, column, type in connection.execute(COLUMNS, {"named": sorted(OF_ACCOUNTS)}):
        of_account = column in OF_ACCOUNTS and type == "uuid"
        plain = "{}" if type.startswith("_") else OF_TYPE[type]
        rows[table][column] = account_id if of_account else allowed.get((table, column), plain)
    rows.pop("schema_migrations")
    for table, values in VALUES.items():
        rows[table] |= {
            name: account_id if value == "ACCOUNT" else value for name, value in values.items()
        }
    return rows


HOLDING = "select count(*) from {} held where strpos(held::text, {}) > 0"


def holding(url: str, text: str) -> set[str]:
    """The tables in which any column of any row has this text."""
    with psycopg.connect(url, autocommit=True) as connection:
        tables = [
            row[0]
            for row in connection.execute("""
            select tablename from pg_tables where schemaname = 'public'""")
        ]
        return {
            table
            for table in tables
            if connection.execute(
                sql.SQL(HOLDING).format(sql.Identifier(table), sql.Literal(text))
            ).fetchone()
            != (0,)
        }
