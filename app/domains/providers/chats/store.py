"""The table of accepted chats. What was measured of offers: health_store.py."""

from dataclasses import dataclass
from decimal import Decimal
from typing import Any
from uuid import UUID

from app.core.db import Reader, Tx, first, run, send, value


@dataclass(frozen=True, slots=True)
class Chat:
    """With the rates that it was accepted at, in USD per million tokens."""

    id: UUID
    account_id: UUID
    provider_id: UUID
    offer_id: UUID
    pricing_revision: int
    input_rate: Decimal
    output_rate: Decimal
    max_cost: Decimal
    ended: str | None
    cost: Decimal | None


INSERT = """
    insert into chats (id, account_id, provider_id, offer_id, pricing_revision, input_rate,
                       output_rate, max_cost)
    values (%(id)s, %(account_id)s, %(provider_id)s, %(offer_id)s, %(pricing_revision)s,
            %(input_rate)s, %(output_rate)s, %(max_cost)s)
    """


def insert(tx: Tx, **columns: Any) -> None:
    send(tx, INSERT, **columns)


BY_ID = """
    select id, account_id, provider_id, offer_id, pricing_revision, input_rate, output_rate,
           max_cost, ended, cost
    from chats where id = %(id)s
    """


def by_id(reader: Reader, id: UUID) -> Chat | None:
    """A chat by its id, for those who know that it is theirs."""
    return first(reader, Chat, BY_ID, id=id)


END = """
    update chats
    set ended = %(ended)s, prompt_tokens = %(prompt_tokens)s, cost = %(cost)s, fee = %(fee)s,
        completion_tokens = %(completion_tokens)s, first_token_ms = %(first_token_ms)s
    where id = %(id)s and ended is null
    returning id, account_id, provider_id, offer_id, pricing_revision, input_rate, output_rate,
              max_cost, ended, cost
    """


def end(tx: Tx, id: UUID, ended: str, **charged: Any) -> Chat | None:
    """None: it had ended before."""
    return first(tx, Chat, END, id=id, ended=ended, **charged)


OPEN = """
    select count(*) from chats join provider_offers offers on offers.id = chats.offer_id
    where chats.ended is null
      and (offers.account_id, offers.device_id) = (%(provider_id)s, %(device_id)s)
    """


def open_of_device(reader: Reader, provider_id: UUID, device_id: str) -> int:
    found: int = value(reader, OPEN, provider_id=provider_id, device_id=device_id)
    return found


SERVED = """
    select chats.offer_id,
    provider_offers.model_revision from chats join provider_offers
      on provider_offers.id = chats.offer_id
    where chats.id = %(id)s
    """


def served(reader: Reader, id: UUID) -> tuple[UUID, str] | None:
    found: tuple[UUID, str] | None = reader.execute(SERVED, {"id": id}).fetchone()
    return found


IS_OPEN = "select true from chats where id = %(id)s and ended is null"


def is_open(reader: Reader, id: UUID) -> bool:
    return bool(value(reader, IS_OPEN, id=id))


EXPIRE = """
    with old as (
        select id from chats
        where created_at < now() - make_interval(days => %(days)s) and ended is not null
        order by created_at limit %(most)s
    )
    delete from chats using old where chats.id = old.id
    """


def expire(tx: Tx, days: int, most: int) -> int:
    """Delete chats that ended, so many days after they began; the ledger keeps what was paid."""
    return run(tx, EXPIRE, days=days, most=most)
