"""The lexical_* tables: BM25 over array blocks of postings (design/engine.md A2).

A posting is (passage, frequency, length), so scores follow the collection's mean length at once and
no block ever goes stale. Removed passages are marked dead and drop out of every count in the same
transaction; compaction drops their postings later.

Whoever writes to a namespace holds its row of lexical_stats until the transaction ends, so writers
take turns and cannot deadlock. Rewriting blocks (compaction, replacing an id) is serialised by an
advisory lock taken after that row. Readers wait for nobody: a query is one statement, one snapshot.
"""

from dataclasses import dataclass
from datetime import datetime
from typing import Any, LiteralString

from app.core.db import Tx, one, run, value, values
from app.domains.passages.postings import Postings


@dataclass(frozen=True, slots=True)
class Entry:
    """One row of lexical_passages, but for its terms."""

    passage_id: int
    source_id: str
    corpus: str | None
    domain: str | None
    language: str | None
    published_at: datetime | None
    fetched_at: datetime | None
    length: int


LOCK = """
    insert into lexical_stats (ns) values (%(ns)s)
    on conflict (ns) do update set ns = excluded.ns
    """

GROW = """
    update lexical_stats set passages = passages + %(passages)s, terms = terms + %(terms)s
    where ns = %(ns)s
    """

COUNT_LANGUAGES = """
    insert into lexical_languages (ns, language, passages)
    select %(ns)s, language, count(*) from unnest(%(languages)s::text[]) as given (language)
    where language is not null group by language order by language
    on conflict (ns, language)
    do update set passages = lexical_languages.passages + excluded.passages
    """

COUNT_TERMS = """
    insert into lexical_terms (ns, lexeme, df)
    select %(ns)s, lexeme, df from unnest(%(lexemes)s::text[], %(dfs)s::int[]) as new (lexeme, df)
    order by lexeme
    on conflict (ns, lexeme) do update set df = lexical_terms.df + excluded.df
    returning lexeme, id
    """

ADD_BLOCKS = """
    insert into lexical_blocks (term_id, block, size, passages, counts)
    select term_id, %(block)s, count(*), array_agg(passage order by passage),
           array_agg(count order by passage)
    from unnest(%(terms)s::int[], %(passages)s::int[], %(counts)s::int[])
         as posting (term_id, passage, count)
    group by term_id
    """

ADD_ENTRIES = """
    insert into lexical_passages (passage_id, ns, source_id, corpus, domain, language,
                                  published_at, fetched_at, length, terms)
    select entry.*, coalesce(own.terms, '{}')
    from (select id, %(ns)s::text, source, corpus, domain, language, published, fetched, length
          from unnest(%(ids)s::int[], %(sources)s::text[], %(corpora)s::text[], %(domains)s::text[],
                      %(languages)s::text[], %(published)s::timestamptz[],
                      %(fetched)s::timestamptz[], %(sizes)s::smallint[])
               as given (id, source, corpus, domain, language, published, fetched, length)) as entry
    left join (select passage, array_agg(term) as terms
               from unnest(%(terms)s::int[], %(passages)s::int[]) as posting (term, passage)
               group by passage) as own on own.passage = entry.id
    """


def lock(tx: Tx, ns: str) -> None:
    """Be the only writer of the namespace until the transaction ends."""
    run(tx, "set local lock_timeout = '30s'")  # a large corpus may be on its way out
    run(tx, LOCK, ns=ns)


def add(tx: Tx, ns: str, entries: list[Entry], postings: Postings) -> None:
    """Index passages whose ids are not in the index. The caller holds the lock."""
    run(tx, GROW, ns=ns, passages=len(entries), terms=sum(entry.length for entry in entries))
    run(tx, COUNT_LANGUAGES, ns=ns, languages=[entry.language for entry in entries])
    dfs = postings.frequency_of_lexemes()
    counted = tx.execute(
        COUNT_TERMS, {"ns": ns, "lexemes": list(dfs), "dfs": list(dfs.values())}
    ).fetchall()
    ids: dict[str, int] = dict(counted)
    terms = [ids[lexeme] for lexeme in postings.lexemes]
    run(
        tx,
        ADD_BLOCKS,
        block=value(tx, "select nextval('lexical_block_numbers')"),
        terms=terms,
        passages=postings.passages,
        counts=postings.counts,
    )
    run(
        tx,
        ADD_ENTRIES,
        ns=ns,
        ids=[entry.passage_id for entry in entries],
        sources=[entry.source_id for entry in entries],
        corpora=[entry.corpus for entry in entries],
        domains=[entry.domain for entry in entries],
        languages=[entry.language for entry in entries],
        published=[entry.published_at for entry in entries],
        fetched=[entry.fetched_at for entry in entries],
        sizes=[entry.length for entry in entries],
        terms=terms,
        passages=postings.passages,
    )


# The counts change with the mark, so N, mean length and df are those of the living at any time.
_MARK_DEAD: LiteralString = """
    with gone as (
        update lexical_passages set dead = true
        where ns = %(ns)s and not dead and {which}
        returning length, terms, language
    ), rarer as (
        update lexical_languages set passages = lexical_languages.passages - lost.passages
        from (select language, count(*) as passages from gone group by 1) as lost
        where ns = %(ns)s and lexical_languages.language = lost.language
    ), fewer as (
        update lexical_terms set df = df - lost.passages
        from (select unnest(terms) as id, count(*) as passages from gone group by 1) as lost
        where lexical_terms.id = lost.id
    )
    update lexical_stats
    set passages = passages - (select count(*) from gone),
        terms = terms - (select coalesce(sum(length), 0) from gone)
    where ns = %(ns)s
    """

REMOVE_SOURCES = _MARK_DEAD.replace("{which}", "source_id = any(%(sources)s)")

REMOVE_PASSAGES = _MARK_DEAD.replace("{which}", "passage_id = any(%(ids)s)")


def remove_sources(tx: Tx, ns: str, sources: list[str]) -> None:
    """Take the passages of the sources out of every count and answer. The caller holds the lock."""
    run(tx, REMOVE_SOURCES, ns=ns, sources=sources)


def remove_passages(tx: Tx, ns: str, ids: list[int]) -> None:
    """As `remove_sources`, by passage."""
    run(tx, REMOVE_PASSAGES, ns=ns, ids=ids)


# Okapi: idf tf (k1 + 1) / (tf + k1 (1 - b + b dl / avgdl)) with k1 = 1.2, b = .75.
# real, not double: sums of equal parts in another order must tie, and ties go by id.
_BEST: LiteralString = """
    with size as materialized (
        select passages as n, 0.9 * passages / greatest(terms, 1) as per_term
        from lexical_stats where ns = %(ns)s
    ), asked as materialized (
        select term.id, 2.2 * weight * ln(1 + (n - df + 0.5) / (df + 0.5)) as share
        from unnest(%(lexemes)s::text[], %(weights)s::float8[]) as wanted (lexeme, weight)
        join lexical_terms as term on term.ns = %(ns)s and term.lexeme = wanted.lexeme
        cross join size
    ), scored as (
        select passage,
               sum(share * (count >> 16)
                   / ((count >> 16) + 0.3::float8
                      + (select per_term::float8 from size) * (count & 65535))
               )::real as score
        from (select share::float8, unnest(passages) as passage, unnest(counts) as count
              from asked join lexical_blocks on term_id = asked.id) as posting
        group by passage
        having passage not in (select passage_id from lexical_passages where dead)
    )
    select passage, score from scored {admitted}
    order by score desc, passage limit %(k)s
    """

_ADMITTED: LiteralString = """
    join lexical_passages as entry on entry.passage_id = passage
    where (%(include)s::text[] = '{}' or exists (
              select from unnest(%(include)s::text[]) as name
              where domain = name or right(domain, length(name) + 1) = '.' || name))
      and not exists (
              select from unnest(%(exclude)s::text[]) as name
              where domain = name or right(domain, length(name) + 1) = '.' || name)
      and (%(published_after)s::timestamptz is null or published_at >= %(published_after)s)
      and (%(fetched_after)s::timestamptz is null or fetched_at >= %(fetched_after)s)
      and (%(languages)s::text[] = '{}' or language = any(%(languages)s))
      and (%(corpora)s::text[] = '{}' or corpus = any(%(corpora)s))
      and not (terms && array(select id from lexical_terms
                              where ns = %(ns)s and lexeme = any(%(excluded)s::text[])))
    """

BEST = _BEST.replace("{admitted}", "")

BEST_AMONG = _BEST.replace("{admitted}", _ADMITTED)


def best(
    tx: Tx, ns: str, lexemes: list[str], weights: list[float], k: int, where: dict[str, Any] | None
) -> list[tuple[int, float]]:
    """(passage id, BM25) of the best `k`, best first, ties by id. None filters nothing."""
    asked = {"ns": ns, "lexemes": lexemes, "weights": weights, "k": k}
    if where is None:
        return tx.execute(BEST, asked).fetchall()
    return tx.execute(BEST_AMONG, {**asked, **where}).fetchall()


@dataclass(frozen=True, slots=True)
class Size:
    passages: int
    terms: int


SIZE = """
    select coalesce(sum(passages), 0)::bigint as passages, coalesce(sum(terms), 0)::bigint as terms
    from lexical_stats where ns = %(ns)s
    """

DF = "select lexeme, df from lexical_terms where ns = %(ns)s and lexeme = any(%(lexemes)s)"


def size(tx: Tx, ns: str) -> Size:
    return one(tx, Size, SIZE, ns=ns)


def df(tx: Tx, ns: str, lexemes: list[str]) -> dict[str, int]:
    return dict(tx.execute(DF, {"ns": ns, "lexemes": lexemes}).fetchall())


LANGUAGES = """
    select language from lexical_languages where ns = %(ns)s and passages > 0
    order by passages desc, language limit %(most)s
    """


def languages(tx: Tx, ns: str, most: int) -> list[str]:
    return list(values(tx, LANGUAGES, ns=ns, most=most))
