"""The tables of requests, and of how many there were."""

from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any, Final
from uuid import UUID

import orjson

from app.core.db import Reader, Tx, first, lists, run

INSERT = """
    insert into requests (id, account_id, credential_id, source, at, method, route, path, operation,
                          status, milliseconds, error, headers, replayed, made_prefix, made_id)
    select id, account_id, credential_id, source, at, method, route, path, operation,
           status, milliseconds, error, headers, replayed, made_prefix, made_id
    from jsonb_populate_recordset(null::requests, %(rows)s::jsonb)
    on conflict (id) do nothing
    """


def insert(tx: Tx, rows: list[dict[str, Any]]) -> None:
    run(tx, INSERT, rows=orjson.dumps(rows).decode())


# Always in one order: processes that count the same rows must not wait for each other in a circle.
COUNT = """
    insert into request_counts
    select * from jsonb_populate_recordset(null::request_counts, %(rows)s::jsonb)
    order by account_id, day, credential_id, operation
    on conflict (account_id, day, credential_id, operation) do update
    set requests = request_counts.requests + excluded.requests,
        failed = request_counts.failed + excluded.failed,
        replayed = request_counts.replayed + excluded.replayed
    """


def count(tx: Tx, rows: list[dict[str, Any]]) -> None:
    run(tx, COUNT, rows=orjson.dumps(rows).decode())


@dataclass(frozen=True, slots=True)
class ApiRequest:
    """With the API key that was used, and what the chat cost that it was, if it was one.

    A chat that was free has no `token`."""

    id: UUID
    source: str
    at: datetime
    method: str
    route: str
    path: str
    operation: str | None
    status: int
    milliseconds: float
    error: dict[str, Any] | None
    headers: dict[str, str]
    replayed: bool
    made_prefix: str | None
    made_id: UUID | None
    cost: Decimal | None
    token: str | None
    key_id: UUID | None
    key_name: str | None
    key_prefix: str | None
    key_last_four: str | None


ROWS = """
    select requests.id, requests.source, requests.at, requests.method, requests.route,
    requests.path, requests.operation, requests.status, requests.milliseconds, requests.error,
           requests.headers, requests.replayed, requests.made_prefix, requests.made_id,
           chats.cost, ledger_transfers.token, api_keys.id as key_id,
           api_keys.name as key_name, api_keys.prefix as key_prefix,
           api_keys.last_four as key_last_four
    from requests
    left join api_keys on api_keys.id = requests.credential_id
    left join chats on requests.operation = 'createChatCompletion' and chats.id = requests.made_id
    left join ledger_transfers on ledger_transfers.key = 'hold:' || chats.id
    where requests.account_id = %(account_id)s
    """

BY_ID = ROWS + " and requests.id = %(id)s"


def by_id(reader: Reader, account_id: UUID, id: UUID) -> ApiRequest | None:
    return first(reader, ApiRequest, BY_ID, account_id=account_id, id=id)


PAGE = ROWS + " and requests.source <> 'page'"
FILTERS: Final[lists.Filters] = {
    "hundreds": "requests.status / 100 = %(hundreds)s",
    "method": "requests.method = %(method)s",
    "credential_id": "requests.credential_id = %(credential_id)s",
}


def page(
    reader: Reader,
    account_id: UUID,
    before: UUID | None,
    most: int,
    *,
    hundreds: int | None,
    method: str | None,
    credential_id: UUID | None,
) -> list[ApiRequest]:
    """`hundreds` is the first digit of the status."""
    given = {
        "account_id": account_id,
        "hundreds": hundreds,
        "method": method,
        "credential_id": credential_id,
    }
    return lists.newest(reader, ApiRequest, PAGE, before, most, FILTERS, id="requests.id", **given)


# Identifiers sort by time, and so the primary key finds the oldest.
FORGET = """
    delete from requests where id in (
        select id from requests where id < %(until)s order by id limit %(most)s)
    """


def forget(tx: Tx, until: UUID, most: int) -> int:
    return run(tx, FORGET, until=until, most=most)


FORGET_COUNTS = """
    delete from request_counts where ctid in (
        select ctid from request_counts
        where day < current_date - %(days)s::int order by day limit %(most)s)
    """


def forget_counts(tx: Tx, days: int, most: int) -> int:
    return run(tx, FORGET_COUNTS, days=days, most=most)
