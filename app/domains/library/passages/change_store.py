"""The remote_indexes and passage_changes tables."""

from dataclasses import dataclass

from app.core.db import Reader, Tx, first, many, run, value, values
from app.domains.library.passages.index.generation_store import NAMESPACE

_MOST_BUCKETS = 256
_NUMBERING = int.from_bytes(b"chng", "big")

RECORD = """
    insert into passage_changes (ns, added, removed, passages)
    select %(ns)s, %(added)s::int[], %(removed)s::int[],
           cardinality(%(added)s::int[]) + cardinality(%(removed)s::int[])
    where exists (select from remote_indexes where ns = %(ns)s and state <> 'left')
    """


def record(tx: Tx, added: list[int], removed: list[int]) -> bool:
    """Write a change down, if any index follows; whether one does."""
    return run(tx, RECORD, ns=NAMESPACE, added=added, removed=removed) == 1


ALONE = "select pg_advisory_xact_lock(%(key)s)"

NUMBER = """
    update passage_changes set position = numbered.position
    from (
        select id, nextval('passage_change_positions') as position
        from (select id from passage_changes where position is null
              order by id limit %(most)s) as waiting
    ) as numbered
    where passage_changes.id = numbered.id and passage_changes.position is null
    """


def number(tx: Tx, most: int = 10_000) -> None:
    """Give committed changes the next positions, those written first the lowest.

    One at a time: positions become visible in their order.
    """
    run(tx, ALONE, key=_NUMBERING)
    run(tx, NUMBER, most=most)


@dataclass(frozen=True, slots=True)
class PassageChange:
    position: int
    added: list[int]
    removed: list[int]


# Rows whose passages are `most` at least, or all there are.
AFTER = """
    select position, added, removed from (
        select position, added, removed,
               sum(passages) over (order by position) - passages as before
        from (select * from passage_changes
              where ns = %(ns)s and position > %(sent)s order by position limit 1000) as head
    ) as summed
    where before < %(most)s order by position
    """


def after(reader: Reader, sent: int, most: int) -> list[PassageChange]:
    """The next changes, with about `most` passages."""
    return many(reader, PassageChange, AFTER, ns=NAMESPACE, sent=sent, most=most)


@dataclass(frozen=True, slots=True)
class Remote:
    """An index that follows: `serving`, or `building` beside it."""

    id: int
    name: str
    analysis: int
    state: str
    built_to: int
    sent: int


CURRENT = """
    select id, name, analysis, state, built_to, sent from remote_indexes
    where ns = %(ns)s and state <> 'left' order by state desc
    """


def current(reader: Reader) -> list[Remote]:
    """The indexes that follow: the one that serves first, then the one being built."""
    return many(reader, Remote, CURRENT, ns=NAMESPACE)


BEGIN = """
    insert into remote_indexes (ns, name, analysis, state)
    values (%(ns)s, %(name)s, %(analysis)s, 'building')
    """


def begin(tx: Tx, name: str, analysis: int) -> None:
    run(tx, BEGIN, ns=NAMESPACE, name=name, analysis=analysis)


SENT = "update remote_indexes set sent = %(to)s where id = %(id)s and sent = %(sent)s"

BUILT = """
    update remote_indexes set built_to = %(to)s
    where id = %(id)s and state = 'building' and built_to = %(built_to)s
    """


def set_sent(tx: Tx, id: int, sent: int, to: int) -> bool:
    """False when somebody else has sent something since."""
    return run(tx, SENT, id=id, sent=sent, to=to) == 1


def set_built(tx: Tx, id: int, built_to: int, to: int) -> bool:
    """False when somebody else has built on, or the index was left."""
    return run(tx, BUILT, id=id, built_to=built_to, to=to) == 1


LEAVE = "update remote_indexes set state = 'left' where ns = %(ns)s and state = any(%(states)s)"

SERVE = "update remote_indexes set state = 'serving' where id = %(id)s and state = 'building'"

LEFT = "select id, name from remote_indexes where ns = %(ns)s and state = 'left' order by id"

FORGET = "delete from remote_indexes where id = %(id)s and state = 'left'"


def leave(tx: Tx, states: list[str]) -> None:
    run(tx, LEAVE, ns=NAMESPACE, states=states)


def serve(tx: Tx, id: int) -> bool:
    return run(tx, SERVE, id=id) == 1


def left(reader: Reader) -> list[tuple[int, str]]:
    """The id and name of each index that nobody needs any more."""
    return reader.execute(LEFT, {"ns": NAMESPACE}).fetchall()


def forget(tx: Tx, id: int) -> None:
    """An index that was left has been deleted where it was."""
    run(tx, FORGET, id=id)


@dataclass(frozen=True, slots=True)
class Lag:
    """The delay of the serving index: how many passages it has not heard of, and for how long."""

    passages: int
    seconds: float


LAG = """
    select coalesce(sum(passages), 0)::bigint as passages,
           coalesce(extract(epoch from clock_timestamp() - min(written_at)), 0)::float as seconds
    from passage_changes
    where ns = %(ns)s and (position is null or position > (
        select sent from remote_indexes where ns = %(ns)s and state = 'serving'))
    """

# As LAG, but only the age, in the time of two look-ups by an index.
OLDEST = """
    select coalesce(extract(epoch from clock_timestamp() - least(
        (select written_at from passage_changes where position > sent order by position limit 1),
        (select written_at from passage_changes where position is null order by id limit 1)
    )), 0)::float
    from remote_indexes where ns = %(ns)s and state = 'serving'
    """


def lag(reader: Reader) -> Lag | None:
    return first(reader, Lag, LAG, ns=NAMESPACE)


def seconds_behind(reader: Reader) -> float | None:
    """The time for which the serving index has not heard of something; None when none serves."""
    seconds: float | None = value(reader, OLDEST, ns=NAMESPACE)
    return seconds


WAITING = """
    select exists (select from passage_changes where position is null)
        or exists (select from passage_changes where position > (
            select min(sent) from remote_indexes where state <> 'left'))
    """


def waiting(reader: Reader) -> bool:
    """True if any index has something to hear of."""
    return bool(value(reader, WAITING))


# Those of all namespaces: without an index that follows nobody needs them.
PRUNE = """
    delete from passage_changes where id in (
        select id from passage_changes
        where position <= (select min(sent) from remote_indexes where state <> 'left')
           or not exists (select from remote_indexes where state <> 'left')
        order by id limit %(most)s)
    """

GIVE_UP = """
    update remote_indexes set state = 'left'
    where state <> 'left' and now() - make_interval(secs => %(seconds)s) > least(
        (select written_at from passage_changes where position > sent order by position limit 1),
        (select written_at from passage_changes where position is null order by id limit 1))
    """


def prune(tx: Tx, most: int) -> int:
    """Delete changes that every index has; how many."""
    return run(tx, PRUNE, most=most)


def give_up(tx: Tx, seconds: float) -> int:
    """Leave the indexes that have not heard of something for so long; how many."""
    return run(tx, GIVE_UP, seconds=seconds)


# What `digest` in app/engine/search/opensearch/requests.py computes of a passage.
BUCKETS = """
    select passage_id / %(width)s * %(width)s as first, count(*) as passages,
           sum(('x' || left(encode(sha256(convert_to(
               concat_ws('|', passage_id, source_id, coalesce(corpus, ''), coalesce(domain, ''),
                         coalesce(language, ''), length),
               'UTF8')), 'hex'), 8))::bit(32)::bigint & 2147483647)::bigint as digest
    from lexical_passages
    where generation = (select id from lexical_generations where ns = %(ns)s and state = 'serving')
    group by 1
    """

WIDTH = """
    select coalesce(max(passage_id), 0) / %(most)s + 1 from lexical_passages
    where generation = (select id from lexical_generations where ns = %(ns)s and state = 'serving')
    """

CHANGING = """
    select distinct unnest(added || removed) / %(width)s * %(width)s from passage_changes
    where ns = %(ns)s and (position is null or position > %(sent)s)
    """


def width(reader: Reader) -> int:
    """The number of ids that a bucket spans, so that there are about 256 of them."""
    return int(value(reader, WIDTH, ns=NAMESPACE, most=_MOST_BUCKETS))


def buckets(reader: Reader, width: int) -> list[tuple[int, int, int]]:
    """(first id, passages, sum of digests) of what the index in Postgres holds."""
    return reader.execute(BUCKETS, {"ns": NAMESPACE, "width": width}).fetchall()


def changing(reader: Reader, sent: int, width: int) -> set[int]:
    """The first ids of buckets in which something has not been sent."""
    return set(values(reader, CHANGING, ns=NAMESPACE, sent=sent, width=width))
