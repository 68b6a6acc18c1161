"""The corpus_links table: which registrable domains the pages of each corpus link to."""

from uuid import UUID

from app.core.db import Reader, Tx, run, value, values

SET_DOMAIN = "update corpora set domain = %(domain)s where id = %(corpus_id)s"

FORGET = "delete from corpus_links where corpus_id = %(corpus_id)s"

COUNT = """
    insert into corpus_links (domain, corpus_id)
    select distinct linked, %(corpus_id)s::uuid from pages, unnest(pages.linked_domains) as linked
    where pages.corpus_id = %(corpus_id)s
    """

A_PAGE = """
    select url from pages where corpus_id = %(corpus_id)s and snapshot_id is not null
    order by depth, id limit 1
    """


def a_page(tx: Tx, corpus_id: UUID) -> str | None:
    """The address of an indexed page: all pages of a corpus are of one origin."""
    url: str | None = value(tx, A_PAGE, corpus_id=corpus_id)
    return url


def recount(tx: Tx, corpus_id: UUID, domain: str | None) -> None:
    """Make the links of a corpus those of its pages now. `domain` is that of the pages."""
    run(tx, SET_DOMAIN, corpus_id=corpus_id, domain=domain)
    run(tx, FORGET, corpus_id=corpus_id)
    if domain is not None:
        run(tx, COUNT, corpus_id=corpus_id)


CRAWLED = "select distinct domain from corpora where domain is not null"

LINKING = """
    select corpus_links.domain, count(distinct corpora.domain)::int
    from corpus_links join corpora on corpora.id = corpus_links.corpus_id
    where corpus_links.domain = any(%(domains)s) and corpora.domain <> corpus_links.domain
    group by corpus_links.domain
    """


def crawled(reader: Reader) -> set[str]:
    """The registrable domains whose links are known."""
    return set(values(reader, CRAWLED))


def linking(reader: Reader, domains: list[str]) -> dict[str, int]:
    """Counts the other registrable domains that link to each, of those that any links to."""
    return dict(reader.execute(LINKING, {"domains": domains}).fetchall())
