"""The lexical_* tables as readers and writers of passages see them.

Adding and removing only ever insert (into lexical_fresh, lexical_counts, lexical_dead), so writers
never wait and no row of a common term is contended. Document frequencies are counted from
the postings a query reads anyway. A query is one statement, one snapshot; the numbers it needs
(passages, mean length, frequencies, the dead) are those of that snapshot, so scores are exact.

The postings of a term are in blocks, those of a small account all in one row: as blocks they would
take a row with its index entries for each word, nine times as much.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any, LiteralString

from app.core.db import Reader, Tx, run, values
from app.domains.library.passages.index.postings import ALL_TERMS


@dataclass(frozen=True, slots=True)
class PassageEntry:
    """One row of lexical_passages: what filters ask about."""

    passage_id: int
    source_id: str
    corpus: str | None
    domain: str | None
    language: str | None
    published_at: datetime | None
    fetched_at: datetime | None
    length: int


ADD_ENTRIES = """
    copy lexical_passages (generation, passage_id, source_id, corpus, domain, language,
                           published_at, fetched_at, length)
    from stdin
    """

ADD_FRESH = """
    insert into lexical_fresh (generation, bucket, postings)
    select %(generation)s, bucket, postings
    from unnest(%(buckets)s::smallint[], %(postings)b::bytea[]) as given (bucket, postings)
    """

COUNT = """
    insert into lexical_counts (generation, language, passages, terms)
    select %(generation)s, language, count(*), sum(length)
    from unnest(%(languages)s::text[], %(lengths)s::int[]) as given (language, length)
    group by language
    """


def add(
    tx: Tx, generation: int, entries: list[PassageEntry], fresh: Iterable[tuple[int, bytes]]
) -> None:
    """Index passages whose ids are not in the generation; `fresh` are postings by bucket."""
    with tx.cursor() as cursor, cursor.copy(ADD_ENTRIES) as copy:
        for entry in entries:
            copy.write_row((
                generation, entry.passage_id, entry.source_id, entry.corpus, entry.domain,
                entry.language, entry.published_at, entry.fetched_at, entry.length,
            ))  # fmt: skip
    by_bucket = dict(fresh)
    run(
        tx,
        ADD_FRESH,
        generation=generation,
        buckets=list(by_bucket),
        postings=list(by_bucket.values()),
    )
    run(
        tx,
        COUNT,
        generation=generation,
        languages=[entry.language for entry in entries],
        lengths=[entry.length for entry in entries],
    )


_REMOVE: LiteralString = """
    with gone as (
        delete from lexical_passages
        where generation = any(array(select id from lexical_generations where ns = %(ns)s))
          and {which}
        returning generation, passage_id, language, length
    ), fewer as (
        insert into lexical_counts (generation, language, passages, terms)
        select generation, language, -count(*), -sum(length) from gone group by 1, 2
    )
    insert into lexical_dead (generation, passages)
    select generation, string_agg(int4send(passage_id), '') from gone group by 1
    """

REMOVE_SOURCES = _REMOVE.replace("{which}", "source_id = any(%(sources)s)")

REMOVE_PASSAGES = _REMOVE.replace("{which}", "passage_id = any(%(ids)s)")


def remove_sources(tx: Tx, ns: str, sources: list[str]) -> None:
    """Take the passages of the sources out of every count and answer, in every generation."""
    run(tx, REMOVE_SOURCES, ns=ns, sources=sources)


def remove_passages(tx: Tx, ns: str, ids: list[int]) -> None:
    """As `remove_sources`, by passage."""
    run(tx, REMOVE_PASSAGES, ns=ns, ids=ids)


HELD = """
    select passage_id from lexical_passages
    where generation = %(generation)s and passage_id = any(%(ids)s)
    """


def held(tx: Tx, generation: int, ids: list[int]) -> set[int]:
    return set(values(tx, HELD, generation=generation, ids=ids))


STATISTICS, DEAD, FRESH, SMALL = -1, -2, -3, -4

_READ: LiteralString = """
    with serving as materialized (
        select id from lexical_generations where ns = %(ns)s and state = 'serving'
    )
    select -1::bigint as term, coalesce(sum(passages), 0)::bigint as passages,
           coalesce(sum(terms), 0)::bigint as terms, null::bytea as postings
    from lexical_counts where generation = (select id from serving)
    union all
    select -2, 0, 0, string_agg(passages, '')
    from lexical_dead where generation = (select id from serving)
    union all
    select -3, 0, 0, string_agg(postings, '')
    from lexical_fresh
    where generation = (select id from serving) and bucket = any(%(buckets)s::smallint[])
    union all
    select -4, 0, 0, string_agg(postings, '')
    from lexical_blocks
    where term = {ALL_TERMS} and generation = (select id from serving)
    union all
    {blocks}
    """.replace("{ALL_TERMS}", str(ALL_TERMS))

# Some blocks at a time: Postgres moves a value that grows to megabytes again and again. Without
# `offset 0` a join of all blocks of the index could be planned.
READ = _READ.replace(
    "{blocks}",
    """
    select wanted.term, 0, 0, string_agg(held.postings, '')
    from unnest(%(terms)s::bigint[]) as wanted (term), lateral (
        select part, postings from lexical_blocks
        where term = wanted.term and generation = (select id from serving) offset 0) as held
    group by wanted.term, held.part >> 5
    """,
)

READ_SIZES = _READ.replace(
    "{blocks}",
    """
    select wanted.term, 0, 0, (
        select int8send(sum(length(postings))) from lexical_blocks
        where lexical_blocks.term = wanted.term and generation = (select id from serving))
    from unnest(%(terms)s::bigint[]) as wanted (term)
    """,
)


@dataclass(frozen=True, slots=True)
class SnapshotPostings:
    """Postings of one snapshot for some terms, packed as by postings.py."""

    passages: int
    terms: int
    dead: bytes | None
    fresh: bytes
    blocks: dict[int, bytes | None]


def read(reader: Reader, ns: str, terms: list[int], buckets: list[int]) -> SnapshotPostings:
    """The statistics of the serving generation, its dead, and the postings of distinct `terms`."""
    return _read(reader, READ, ns, terms, buckets)


def read_sizes(reader: Reader, ns: str, terms: list[int], buckets: list[int]) -> SnapshotPostings:
    """As `read`, but of blocks how many bytes they are, as 8 bytes: what nobody has to send."""
    return _read(reader, READ_SIZES, ns, terms, buckets)


def _read(
    reader: Reader, sql: LiteralString, ns: str, terms: list[int], buckets: list[int]
) -> SnapshotPostings:
    parameters = {"ns": ns, "terms": terms, "buckets": buckets}
    blocks: dict[int, list[bytes]] = {term: [] for term in terms}
    others = {}
    for term, passages, length, packed in reader.execute(sql, parameters, binary=True):
        if term < 0:
            others[term] = (passages, length, packed)
        elif packed is not None:
            blocks[term].append(packed)
    passages, total, _ = others[STATISTICS]
    fresh = (others[FRESH][2] or b"") + (others[SMALL][2] or b"")
    joined = {term: b"".join(parts) or None for term, parts in blocks.items()}
    return SnapshotPostings(passages, total, others[DEAD][2], fresh, joined)


_ADMITTED: LiteralString = """
    select {what} from lexical_passages
    where generation = (select id from lexical_generations where ns = %(ns)s and state = 'serving')
      and (%(include)s::text[] = '{}'
           or domain = any(%(include)s) or domain like any(%(below_include)s::text[]))
      and (%(exclude)s::text[] = '{}' or domain is null
           or not (domain = any(%(exclude)s) or domain like any(%(below_exclude)s::text[])))
      and (%(published_after)s::timestamptz is null or published_at >= %(published_after)s)
      and (%(fetched_after)s::timestamptz is null or fetched_at >= %(fetched_after)s)
      and (%(languages)s::text[] = '{}' or language = any(%(languages)s))
      and (%(corpora)s::text[] = '{}' or corpus = any(%(corpora)s))
      and (%(path)s::jsonpath is null
           or source_id in (select documents.id::text from documents
                            where documents.account_id = %(owner)s
                              and jsonb_path_match(documents.metadata, %(path)s, %(values)s, true)))
    """

ADMITTED = _ADMITTED.replace("{what}", "passage_id") + " and passage_id = any(%(ids)s)"

ALL_ADMITTED = _ADMITTED.replace("{what}", "string_agg(int4send(passage_id), '')")


def admitted(reader: Reader, ns: str, ids: list[int], where: dict[str, Any]) -> set[int]:
    """The passages among them that a filter lets through."""
    return set(values(reader, ADMITTED, ns=ns, ids=ids, **where))


def all_admitted(reader: Reader, ns: str, where: dict[str, Any]) -> bytes | None:
    """All passages that a filter lets through, as postings.PASSAGE: reads the whole table."""
    row = reader.execute(ALL_ADMITTED, {"ns": ns, **where}, binary=True).fetchone()
    found: bytes | None = row[0] if row else None
    return found


LANGUAGES = """
    select language from lexical_counts
    where generation = (select id from lexical_generations where ns = %(ns)s and state = 'serving')
      and language is not null
    group by language having sum(passages) > 0
    order by sum(passages) desc, language limit %(most)s
    """


def languages(reader: Reader, ns: str, most: int = 3) -> list[str]:
    """The languages most passages are in: those that a query should also be read as."""
    return values(reader, LANGUAGES, ns=ns, most=most)
