"""The tables of gold items and of who was given one."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from app.core.db import Reader, Tx, first, run, values
from app.engine.judging import gold


@dataclass(frozen=True, slots=True)
class GoldItem:
    id: UUID
    made_from: UUID
    version: int
    record: dict[str, Any]
    truth: bool
    payer_id: UUID | None = None


INSERT = """
    insert into gold_items (id, made_from, version, record, truth, payer_id)
    values (%(id)s, %(made_from)s, %(version)s, %(record)s, %(truth)s, %(payer_id)s)
    """


def insert(tx: Tx, item: GoldItem) -> None:
    run(
        tx,
        INSERT,
        id=item.id,
        made_from=item.made_from,
        version=item.version,
        record=item.record,
        truth=item.truth,
        payer_id=item.payer_id,
    )


BY_ID = """
    select id, made_from, version, record, truth, payer_id from gold_items where id = %(id)s
    """


def by_id(reader: Reader, id: UUID) -> GoldItem | None:
    return first(reader, GoldItem, BY_ID, id=id)


# What an account has voted on, contributed or paid for is none of its gold.
TAKE = """
    update gold_items set uses = uses + 1
    where id = (
        select item.id from gold_items item
        where uses < %(most_uses)s
          and not exists (select from gold_answers seen
                          where seen.made_from = item.made_from and seen.account_id = %(account)s)
          and not exists (select from votes
                          where record_id = item.made_from and account_id = %(account)s)
          and not exists (select from reviews
                          where record_id = item.made_from
                            and %(account)s in (payer_id, contributor_id))
          and payer_id is distinct from %(account)s
          and (payer_id = any(%(linked)s)) is not true
          and not exists (select from payer_tests told
                          where told.payer_id = item.payer_id and told.account_id = %(account)s
                            and told.answers >= %(most_of_a_payer)s)
        order by truth <> %(truth)s, uses, md5(item.id::text || %(account)s::text)
        limit 1 for update skip locked)
    returning id, made_from, version, record, truth, payer_id
    """


def take(
    tx: Tx, account_id: UUID, linked: Sequence[UUID], *, truth: bool, most_uses: int
) -> GoldItem | None:
    """An item new to this account and its `linked` ones, of this truth if there is one."""
    return first(
        tx,
        GoldItem,
        TAKE,
        account=account_id,
        linked=list(linked),
        truth=truth,
        most_uses=most_uses,
        most_of_a_payer=gold.MOST_OF_A_PAYER,
    )


SERVED = """
    insert into gold_answers (made_from, account_id, item_id, work_id)
    values (%(made_from)s, %(account_id)s, %(item_id)s, %(work_id)s)
    """


def insert_answer(tx: Tx, item: GoldItem, account_id: UUID, work_id: UUID) -> None:
    run(
        tx,
        SERVED,
        made_from=item.made_from,
        account_id=account_id,
        item_id=item.id,
        work_id=work_id,
    )


ANSWERED = """
    update gold_answers set verdict = %(verdict)s where work_id = %(work_id)s and verdict is null
    """


def set_verdict(tx: Tx, work_id: UUID, verdict: bool) -> bool:
    return run(tx, ANSWERED, work_id=work_id, verdict=verdict) == 1


OF_PAYER = """
    insert into payer_tests as told (account_id, payer_id, answers, wrong_answers)
    select id, %(payer_id)s, 1, (not %(right)s)::int from accounts where id = %(account_id)s
    on conflict (account_id, payer_id) do update
    set answers = told.answers + 1, wrong_answers = told.wrong_answers + excluded.wrong_answers
    where told.answers < %(most)s
      and told.wrong_answers + excluded.wrong_answers <= %(most_wrong)s
    """


def of_payer(tx: Tx, account_id: UUID, payer_id: UUID, *, right: bool) -> bool:
    """True if an answer counts that is tested by what this payer says."""
    touched = run(
        tx,
        OF_PAYER,
        account_id=account_id,
        payer_id=payer_id,
        right=right,
        most=gold.MOST_OF_A_PAYER,
        most_wrong=gold.MOST_WRONG_OF_A_PAYER,
    )
    return touched == 1


EXPIRE = """
    delete from gold_items where id in (
        select id from gold_items
        where made_at < now() - make_interval(secs => %(days)s * 86400.0)
        order by made_at limit %(most)s)
    returning id
    """


def expire(tx: Tx, most: int, kept_days: float) -> int:
    """Delete items made so long ago, however often they served."""
    return len(values(tx, EXPIRE, days=kept_days, most=most))
