"""Rewriting blocks of postings: taking in what was added last, dropping what is dead.

Rows are deleted and rewritten in one transaction, so a reader sees them before or after, never
between, and what writers add meanwhile is simply not among them.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from app.core.db import Reader, Tx, first, run, value, values
from app.domains.library.passages.index import generation_store
from app.domains.library.passages.index.postings import ALL_TERMS

_ALONE = int.from_bytes(b"blocks", "big")


def alone(tx: Tx) -> None:
    """Be the only one who rewrites blocks until the transaction ends."""
    run(tx, "set local lock_timeout = '30s'")  # a step of another may take a second or two
    run(tx, "select pg_advisory_xact_lock(%(key)s)", key=_ALONE)


FRESH_ROWS = "select count(*) from (select from lexical_fresh limit %(enough)s) as head"

# In the order of buckets, so that a step meets few terms and a step rewrites a term's block once.
# By ctid: a table that is empty after every merge has no statistics that could plan a join, and
# nobody else updates or deletes here.
TAKE_FRESH = """
    delete from lexical_fresh where ctid = any(array(
        select ctid from lexical_fresh order by generation, bucket, id limit %(most)s))
    returning generation, postings
    """


def fresh_rows(tx: Tx, enough: int) -> int:
    """Counts the rows that wait to be taken in, up to `enough`."""
    return int(value(tx, FRESH_ROWS, enough=enough))


def take_fresh(tx: Tx, most: int) -> dict[int, bytes]:
    """Remove some fresh rows; their postings by generation."""
    taken: dict[int, list[bytes]] = {}
    for generation, postings in tx.execute(TAKE_FRESH, {"most": most}, binary=True):
        taken.setdefault(generation, []).append(postings)
    return {generation: b"".join(rows) for generation, rows in taken.items()}


TAKE_OPEN = """
    delete from lexical_blocks
    where term = any(%(terms)b::bigint[]) and generation = %(generation)s and part = 0
    returning term, postings
    """

COPY_OPEN = """
    copy lexical_blocks (term, generation, part, postings) from stdin (format binary)
    """

COPY_FULL = "copy lexical_blocks (term, generation, postings) from stdin (format binary)"


def take_open(tx: Tx, generation: int, terms: list[int]) -> dict[int, bytes]:
    """Remove the blocks of these terms that are not full; their postings by term."""
    parameters = {"generation": generation, "terms": terms}
    return dict(tx.execute(TAKE_OPEN, parameters, binary=True).fetchall())


def put_open(tx: Tx, generation: int, blocks: Iterable[tuple[int, bytes]]) -> None:
    """Write (term, postings): the blocks that are not full, at most one of a term."""
    with tx.cursor() as cursor, cursor.copy(COPY_OPEN) as copy:
        copy.set_types(["int8", "int4", "int8", "bytea"])
        for term, postings in blocks:
            copy.write_row((term, generation, 0, postings))


# Of the generations given, those of accounts that have no block. For the operator's index blocks
# are the only form: it is but one, and workers of a release before know no other.
# `limit 1`: not to be planned as a join of all blocks of the index.
WITHOUT_BLOCKS = """
    select id from lexical_generations
    where id = any(%(generations)s) and starts_with(ns, %(prefix)s)
      and (select true from lexical_blocks where generation = id and term >= 0 limit 1) is null
    """

TAKE_SMALL = f"""
    delete from lexical_blocks
    where term = {ALL_TERMS} and generation = any(%(generations)s::int[])
    returning generation, postings
    """  # noqa: S608 (a constant)


def without_blocks(tx: Tx, generations: list[int]) -> list[int]:
    """The generations among them that may be kept in one row each."""
    prefix = generation_store.OF_ACCOUNTS
    return values(tx, WITHOUT_BLOCKS, generations=generations, prefix=prefix)


def take_small(tx: Tx, generations: list[int]) -> dict[int, bytes]:
    parameters = {"generations": generations}
    return dict(tx.execute(TAKE_SMALL, parameters, binary=True).fetchall())


def put_small(tx: Tx, postings: Mapping[int, bytes]) -> None:
    """Write the postings of generations, as FRESH, in a row each."""
    with tx.cursor() as cursor, cursor.copy(COPY_OPEN) as copy:
        copy.set_types(["int8", "int4", "int8", "bytea"])
        for generation, packed in postings.items():
            copy.write_row((ALL_TERMS, generation, 0, packed))


def put_full(tx: Tx, generation: int, blocks: Iterable[tuple[int, bytes]]) -> None:
    """Write (term, postings): full blocks."""
    with tx.cursor() as cursor, cursor.copy(COPY_FULL) as copy:
        copy.set_types(["int8", "int4", "bytea"])
        for term, postings in blocks:
            copy.write_row((term, generation, postings))


# The sums stay what they are.
FOLD_COUNTS = """
    with taken as (
        delete from lexical_counts where generation = any(%(generations)s)
        returning generation, language, passages, terms
    )
    insert into lexical_counts (generation, language, passages, terms)
    select generation, language, sum(passages), sum(terms) from taken
    group by 1, 2 having sum(passages) <> 0
    """


def fold_counts(tx: Tx, generations: list[int]) -> None:
    run(tx, FOLD_COUNTS, generations=generations)


DEAD = "select string_agg(passages, '') from lexical_dead where generation = %(generation)s"


ALL_DEAD = "select string_agg(passages, '') from lexical_dead"


def dead(tx: Tx, generation: int) -> bytes | None:
    found: bytes | None = value(tx, DEAD, generation=generation)
    return found


def all_dead(tx: Tx) -> bytes | None:
    found: bytes | None = value(tx, ALL_DEAD)
    return found


@dataclass(frozen=True, slots=True)
class Purge:
    """A generation being swept of `passages`; blocks of terms up to `purged_to` are done."""

    generation: int
    purged_to: int
    passages: bytes


PURGE = """
    select generation, min(purged_to) as purged_to, string_agg(passages, '') as passages
    from lexical_dead where purged_to is not null group by generation order by generation limit 1
    """

# Where the dead are more than the given share of the living.
BEGIN_PURGE = """
    update lexical_dead set purged_to = -2 where generation in (
        select generation from lexical_dead group by generation
        having sum(length(passages) / 4) >= %(share)s * (
            select coalesce(sum(living.passages), 0) from lexical_counts as living
            where living.generation = lexical_dead.generation))
    """

NEXT_TERM = """
    select max(term) from (
        select term from lexical_blocks where generation = %(generation)s and term > %(after)s
        order by term limit %(rows)s) as head
    """

BLOCKS = """
    select term, postings from lexical_blocks
    where term > %(after)s and term <= %(upto)s and generation = %(generation)s
    """

DROP_BLOCKS = """
    delete from lexical_blocks where term = any(%(terms)s) and generation = %(generation)s
    """

PURGED_TO = """
    update lexical_dead set purged_to = %(upto)s
    where generation = %(generation)s and purged_to is not null
    """

FORGET_DEAD = """
    delete from lexical_dead where generation = %(generation)s and purged_to is not null
    """


def begin_purge(tx: Tx, share: float) -> bool:
    """Choose what to sweep away, if the dead are that share of the living; whether anything is."""
    return run(tx, BEGIN_PURGE, share=share) > 0


def purging(tx: Tx) -> Purge | None:
    return first(tx, Purge, PURGE)


def next_term(tx: Tx, generation: int, after: int, rows: int) -> int | None:
    """The term that ends the generation's next `rows` blocks above `after`; None at the end."""
    found: int | None = value(tx, NEXT_TERM, generation=generation, after=after, rows=rows)
    return found


def postings(tx: Tx, generation: int, after: int, upto: int) -> dict[int, bytes]:
    """All postings of each term above `after`, up to `upto`."""
    parameters = {"generation": generation, "after": after, "upto": upto}
    found: dict[int, list[bytes]] = {}
    for term, block in tx.execute(BLOCKS, parameters, binary=True):
        found.setdefault(term, []).append(block)
    return {term: b"".join(rows) for term, rows in found.items()}


def drop_blocks(tx: Tx, generation: int, terms: list[int]) -> None:
    run(tx, DROP_BLOCKS, generation=generation, terms=terms)


def set_purged(tx: Tx, generation: int, upto: int) -> None:
    run(tx, PURGED_TO, generation=generation, upto=upto)


def forget_dead(tx: Tx, generation: int) -> None:
    """Their postings are gone from every block."""
    run(tx, FORGET_DEAD, generation=generation)


# Without waiting for locks at the end of a table: what is free there is used again soon.
VACUUM = "vacuum (truncate false) lexical_blocks, lexical_fresh, lexical_dead, lexical_counts"


def vacuum(reader: Reader) -> None:
    """Let the space of rewritten postings be used again: to be called after compaction.

    Outside of a transaction (`db.reading`). Autovacuum does the same, but looks once a minute, by
    when a busy index has grown to several times its size."""
    run(reader, VACUUM)
