"""Secrets of endpoints, sealed anew under the newest SECRET_KEY, some at a time."""

from dataclasses import dataclass
from typing import NamedTuple
from uuid import UUID

from app.core.db import Reader, Tx, many, value
from app.core.vault import Unreadable, Vault
from app.domains.queue.webhooks import store, turns


@dataclass(frozen=True, slots=True)
class _Sealed:
    id: UUID
    secret: bytes
    former_secret: bytes | None


class WebhookBatch(NamedTuple):
    """`last` is where the next one begins; None: there is none."""

    last: UUID | None
    moved: int
    unreadable: int


_FORMER = """
    not (starts_with(encode(secret, 'hex'), %(current)s)
         and (former_secret is null or starts_with(encode(former_secret, 'hex'), %(current)s)))
    """
OF_FORMER_KEY = f"""
    select id, secret, former_secret from webhooks
    where id > %(after)s and {_FORMER}
    order by id limit %(most)s for no key update
    """  # noqa: S608 (constants only)
COUNT = f"select count(*) from webhooks where {_FORMER}"  # noqa: S608 (constants only)


def seal_again(tx: Tx, vault: Vault, after: UUID, most: int) -> WebhookBatch:
    rows = many(tx, _Sealed, OF_FORMER_KEY, after=after, current=vault.current.hex(), most=most)
    moved = sum(_seal(tx, vault, row) for row in rows)
    last = rows[-1].id if len(rows) == most else None
    return WebhookBatch(last, moved, len(rows) - moved)


def _seal(tx: Tx, vault: Vault, row: _Sealed) -> bool:
    bound_to = turns.bound(row.id)
    try:
        secret = vault.open(bytes(row.secret), bound_to)
        former = row.former_secret and vault.open(bytes(row.former_secret), bound_to)
    except Unreadable:
        return False
    resealed = vault.seal(former, bound_to) if former else None
    store.reseal(tx, row.id, vault.seal(secret, bound_to), resealed)
    return True


def of_former_key(reader: Reader, vault: Vault) -> int:
    """Counts the secrets that the newest SECRET_KEY did not seal."""
    return int(value(reader, COUNT, current=vault.current.hex()))
