"""Accepted versions of records, and whether what was paid for them is still theirs."""

from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any
from uuid import UUID

from app.core.db import Reader, Tx, first, value, values


@dataclass(frozen=True, slots=True)
class Award:
    """A version that was paid for; `pool_amount` is its part for votes."""

    record_id: UUID
    version: int
    campaign_id: UUID
    run_id: UUID
    token: str
    pool_amount: Decimal
    pool_shared: bool
    returned: bool
    awarded_at: datetime


# Looks first: `on conflict` would wait for whoever changes the row, and may hold money meanwhile.
INSERT = """
    insert into reward_awards (record_id, version, campaign_id, run_id, token, pool_amount)
    select %(record_id)s, %(version)s, %(campaign_id)s, %(run_id)s, %(token)s, %(pool_amount)s
    where not exists (select from reward_awards
                      where (record_id, version) = (%(record_id)s, %(version)s))
    on conflict do nothing returning record_id
    """


def insert(tx: Tx, **columns: Any) -> bool:
    """False: this version was paid for before."""
    return value(tx, INSERT, **columns) is not None


BY_VERSION = """
    select record_id, version, campaign_id, run_id, token, pool_amount, pool_shared, returned,
           awarded_at
    from reward_awards where (record_id, version) = (%(record_id)s, %(version)s)
    """


def by_version(reader: Reader, record_id: UUID, version: int) -> Award | None:
    return first(reader, Award, BY_VERSION, record_id=record_id, version=version)


SHARE = """
    update reward_awards set pool_shared = true
    where run_id = %(run_id)s and not pool_shared and not returned
    returning pool_amount
    """


def share_pool(tx: Tx, run_id: UUID) -> Decimal:
    """The amount in the pool of a run, which is shared from now on."""
    return sum(values(tx, SHARE, run_id=run_id), Decimal(0))


RETURN = """
    update reward_awards set returned = true
    where (record_id, version) = (%(record_id)s, %(version)s) and not returned
    returning record_id, version, campaign_id, run_id, token, pool_amount, pool_shared, returned,
              awarded_at
    """


def take_back(tx: Tx, record_id: UUID, version: int) -> Award | None:
    """None: it was taken back before, or never paid for."""
    return first(tx, Award, RETURN, record_id=record_id, version=version)
