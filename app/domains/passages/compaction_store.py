"""Rewriting blocks of postings: merging small ones, dropping what is dead.

Blocks are deleted and written anew in one statement, so a reader sees them before or after, never
between, and a writer's new blocks are simply not among them.
"""

from dataclasses import dataclass
from typing import LiteralString

from app.core.db import Tx, many, run, values

BLOCK = 4096  # postings of a full block
_POSTINGS_PER_STEP = 300_000
_DEAD_PER_STEP = 2_000
_ALONE = int.from_bytes(b"blocks", "big")


@dataclass(frozen=True, slots=True)
class Fragmented:
    term_id: int
    postings: int


FRAGMENTED = """
    select term_id, sum(size)::int as postings from lexical_blocks
    where term_id > %(after)s and size < %(small)s
    group by term_id having count(*) >= %(least)s order by term_id limit 2000
    """

_REWRITE: LiteralString = """
    with taken as (
        delete from lexical_blocks where {which}
        returning term_id, passages, counts
    ), posting as (
        select term_id, unnest(passages) as passage, unnest(counts) as count
        from taken
    ), kept as (
        select *, (row_number() over (partition by term_id order by passage) - 1) / %(full)s as part
        from posting
        where passage not in (select passage_id from lexical_passages where dead)
    )
    insert into lexical_blocks (term_id, block, size, passages, counts)
    select term_id, nextval('lexical_block_numbers'), count(*),
           array_agg(passage order by passage), array_agg(count order by passage)
    from kept group by term_id, part
    """

MERGE = _REWRITE.replace("{which}", "term_id = any(%(terms)s) and size < %(small)s")

PURGE = _REWRITE.replace("{which}", "term_id = any(%(terms)s) and passages && %(ids)s::int[]")

DEAD = """
    select passage_id from lexical_passages where dead order by passage_id limit %(most)s
    """

DEAD_AMONG = "select passage_id from lexical_passages where dead and passage_id = any(%(ids)s)"

TERMS = "select distinct unnest(terms) from lexical_passages where passage_id = any(%(ids)s)"

FORGET = "delete from lexical_passages where passage_id = any(%(ids)s)"

# Terms nothing holds any more. A writer that counts one again holds its row, and wins: whoever
# rewrites blocks waits for no row, which is why writers may wait for it.
FORGET_TERMS = """
    with unused as (
        select id from lexical_terms where id = any(%(terms)s) and df = 0
          and not exists (select from lexical_blocks where term_id = lexical_terms.id)
        for update skip locked
    )
    delete from lexical_terms using unused where lexical_terms.id = unused.id
    """


def alone(tx: Tx) -> None:
    """Be the only one who rewrites blocks until the transaction ends."""
    run(tx, "select pg_advisory_xact_lock(%(key)s)", key=_ALONE)


def dead(tx: Tx) -> list[int]:
    """Some dead passages, lowest ids first."""
    return list(values(tx, DEAD, most=_DEAD_PER_STEP))


def dead_among(tx: Tx, ids: list[int]) -> list[int]:
    return list(values(tx, DEAD_AMONG, ids=ids))


def purge(tx: Tx, ids: list[int]) -> None:
    """Drop the postings and the entries of dead passages; their ids may be used again."""
    terms = values(tx, TERMS, ids=ids)
    run(tx, PURGE, terms=terms, ids=ids, full=BLOCK)
    run(tx, FORGET, ids=ids)
    run(tx, FORGET_TERMS, terms=terms)


@dataclass(frozen=True, slots=True)
class Merging:
    """Which terms are merged: those with at least `least` blocks under `small` postings."""

    small: int
    least: int


WHOLLY = Merging(small=BLOCK, least=2)
# While much is being added: each posting is rewritten a few times, not once per merge.
LIGHTLY = Merging(small=128, least=16)


def merge(tx: Tx, after: int, which: Merging) -> int | None:
    """Merge small blocks of the next terms above `after`; the last of them, None at the end."""
    terms, postings = [], 0
    for found in many(
        tx, Fragmented, FRAGMENTED, after=after, small=which.small, least=which.least
    ):
        terms.append(found.term_id)
        postings += found.postings
        if postings >= _POSTINGS_PER_STEP:
            break
    if not terms:
        return None
    run(tx, MERGE, terms=terms, small=which.small, full=BLOCK)
    return terms[-1]
