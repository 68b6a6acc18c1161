"""The searches table. The life of a search is read from its job of the same id."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from psycopg.types.json import Jsonb

from app.core.db import Reader, Statement, Tx, first, lists, run, value


@dataclass(frozen=True, slots=True)
class Search:
    id: UUID
    query: str
    follows: dict[str, Any] | None
    created_at: datetime
    expires_at: datetime
    warnings: list[str]
    result: dict[str, Any] | None
    answer_state: str | None
    # from the job
    state: str
    attempt: int
    progress: dict[str, Any]
    error: dict[str, Any] | None
    started_at: datetime | None
    finished_at: datetime | None
    deadline_at: datetime


INSERT = """
    insert into searches (id, account_id, query, options, expires_at, warnings, key_id)
    values (%(id)s, %(owner_id)s, %(query)s, %(options)s,
            now() + make_interval(secs => %(kept_seconds)s), %(warnings)s, %(key_id)s)
    """


def insertion(
    owner_id: UUID,
    query: str,
    options: dict[str, Any],
    kept_seconds: float,
    warnings: list[str],
    key_id: UUID | None = None,
) -> Statement:
    """Of the search whose job has the id `%(id)s`."""
    params = {
        "owner_id": owner_id,
        "query": query,
        "options": options,
        "kept_seconds": kept_seconds,
        "warnings": Jsonb(warnings),
        "key_id": key_id,
    }
    return Statement(INSERT, params)


BY_ID = """
    select searches.id, searches.query, searches.options -> 'follows' as follows,
           searches.created_at, searches.expires_at,
    searches.warnings, searches.result, searches.answer_state,
           jobs.state, jobs.attempt, jobs.progress, jobs.error, jobs.started_at,
           jobs.finished_at, jobs.deadline_at
    from searches join jobs using (id)
    where searches.id = %(id)s and searches.account_id = %(account_id)s
    and searches.expires_at > now()
    """


def by_id(reader: Reader, id: UUID, account_id: UUID) -> Search | None:
    return first(reader, Search, BY_ID, id=id, account_id=account_id)


PAGE = """
    select searches.id, searches.query, searches.options -> 'follows' as follows,
           searches.created_at, searches.expires_at,
    searches.warnings, null::jsonb as result, searches.answer_state,
           jobs.state, jobs.attempt, jobs.progress, jobs.error, jobs.started_at,
           jobs.finished_at, jobs.deadline_at
    from searches join jobs using (id)
    where searches.account_id = %(account_id)s and searches.expires_at > now()
    """
FILTERS: Final[lists.Filters] = {
    "keys": "searches.key_id = any(%(keys)s)",
    "states": "jobs.state = any(%(states)s)",
    "words": "position(lower(%(words)s) in lower(searches.query)) > 0",
}


def page(
    reader: Reader,
    account_id: UUID,
    keys: list[UUID] | None,
    before: UUID | None,
    states: list[str] | None,
    words: str | None,
    most: int,
) -> list[Search]:
    given = {"account_id": account_id, "keys": keys, "states": states, "words": words}
    return lists.newest(reader, Search, PAGE, before, most, FILTERS, id="searches.id", **given)


KEY_OF = "select key_id from searches where id = %(id)s"


def key_of(reader: Reader, id: UUID) -> UUID | None:
    """The limited key that asked a search; None for any other, and for none."""
    key_id: UUID | None = value(reader, KEY_OF, id=id)
    return key_id


COUNTS = """
    select jobs.state, count(*) from (
        select id from searches where account_id = %(account_id)s and expires_at > now()
        order by id desc limit 1000
    ) latest join jobs using (id) group by jobs.state
    """


def counts(reader: Reader, account_id: UUID) -> list[tuple[str, int]]:
    return reader.execute(COUNTS, {"account_id": account_id}).fetchall()


@dataclass(frozen=True, slots=True)
class SearchQuestion:
    account_id: UUID
    query: str
    options: dict[str, Any]
    created_at: datetime

    @property
    def searched(self) -> str:
        """The text that is searched for: a follow-up alone hardly says what it is about."""
        followed = self.options.get("follows")
        return f"{self.query}\n{followed['query']}" if followed else self.query


QUESTION = "select account_id, query, options, created_at from searches where id = %(id)s"


def question(reader: Reader, id: UUID) -> SearchQuestion | None:
    return first(reader, SearchQuestion, QUESTION, id=id)


COMPLETE = """
    update searches
    set result = %(result)s, warnings = warnings || %(warnings)s, answer_state = %(answer_state)s
    where id = %(id)s
    """

CITE = """
    insert into search_sources (search_id, n, snapshot_id)
    select %(id)s, n, snapshot_id
    from unnest(%(ns)s::int[], %(snapshots)s::uuid[]) as cited (n, snapshot_id)
    """


def complete(
    tx: Tx,
    id: UUID,
    result: dict[str, Any],
    answer_state: str,
    warnings: list[str],
    snapshots: dict[int, UUID],
) -> None:
    """Write the result and tie each source number to the snapshot that was read."""
    run(tx, COMPLETE, id=id, warnings=Jsonb(warnings), result=result, answer_state=answer_state)
    run(tx, CITE, id=id, ns=list(snapshots), snapshots=list(snapshots.values()))


# Where a memory's text may have gone into what a model wrote.
ERASE_ANSWERS = """
    update searches set expires_at = now(), result = null
    where account_id = %(account_id)s and options ->> 'persona_id' = %(persona_id)s
      and result is not null and exists (
        select from jsonb_array_elements(result -> 'memories') used
        where used ->> 'used_for' = 'answer' and used ->> 'id' = any(%(memories)s))
    """


def erase_answers(tx: Tx, account_id: UUID, persona_id: str, memories: list[str]) -> None:
    """Nobody reads these searches any more; retention deletes what is left of them."""
    run(tx, ERASE_ANSWERS, account_id=account_id, persona_id=persona_id, memories=memories)


SHARE_KEY = """
    select share_key from searches
    where id = %(id)s and account_id = %(account_id)s and expires_at > now()
    """

SHARE = """
    update searches set share_key = coalesce(share_key, %(key)s)
    where id = %(id)s and account_id = %(account_id)s and result is not null and expires_at > now()
    """

UNSHARE = "update searches set share_key = null where id = %(id)s and account_id = %(account_id)s"

SHARED = """
    select searches.account_id from searches join accounts on accounts.id = searches.account_id
    where searches.id = %(id)s and searches.share_key = %(key)s and searches.expires_at > now()
      and accounts.disabled_at is null and accounts.erase_at is null
    """


def share_key(reader: Reader, account_id: UUID, id: UUID) -> str | None:
    key: str | None = value(reader, SHARE_KEY, account_id=account_id, id=id)
    return key


def share(tx: Tx, account_id: UUID, id: UUID, key: str) -> bool:
    """Keep the key, unless it has one; False when there is no answer to share."""
    return run(tx, SHARE, account_id=account_id, id=id, key=key) == 1


def unshare(tx: Tx, account_id: UUID, id: UUID) -> None:
    run(tx, UNSHARE, account_id=account_id, id=id)


def owner_of_shared(reader: Reader, id: UUID, key: str) -> UUID | None:
    owner: UUID | None = value(reader, SHARED, id=id, key=key)
    return owner


SNAPSHOT = """
    select search_sources.snapshot_id from search_sources join searches
      on searches.id = search_sources.search_id
    where search_sources.search_id = %(id)s and search_sources.n = %(n)s
    and searches.account_id = %(account_id)s and searches.expires_at > now()
    """


def snapshot_of(reader: Reader, id: UUID, n: int, account_id: UUID) -> UUID | None:
    snapshot_id: UUID | None = value(reader, SNAPSHOT, id=id, n=n, account_id=account_id)
    return snapshot_id


EXPIRE = """
    with old as (
        select id from searches where expires_at <= now() order by expires_at limit %(most)s
        for update skip locked
    ), cited as (
        delete from search_sources using old where search_sources.search_id
            = old.id returning search_sources.snapshot_id
    ), gone as (
        delete from searches using old where searches.id = old.id
    )
    select (select count(*) from old), array(select distinct snapshot_id from cited)
    """


def expire(tx: Tx, most: int) -> tuple[int, list[UUID]]:
    """Delete searches past their retention; how many, and the snapshots they cited."""
    expired, snapshots = tx.execute(EXPIRE, {"most": most}).fetchone() or (0, [])
    return expired, snapshots
