"""The site_pages table: the addresses found on a site, and what became of each."""

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from app.core.db import Reader, Tx, many, run, value
from app.domains.library.corpora.visits import WELL


@dataclass(frozen=True, slots=True)
class WaitingPage:
    """An address to be visited; `document_id` is that of its document, if the site has one."""

    url: str
    depth: int
    document_id: UUID | None
    etag: str | None
    last_modified: str | None


# As many as are still free of the site's `max_pages`, in the order given; none that is too long for
# the key of a document.
FOUND = """
    insert into site_pages (site_id, url, depth)
    select own_sites.id, found.url, %(depth)s
    from own_sites, unnest(%(urls)s::text[]) with ordinality as found (url, place)
    where own_sites.id = %(site_id)s and length(found.url) <= 500
      and not exists (select from site_pages where site_id = own_sites.id and url = found.url)
    order by found.place
    limit greatest(0, (select max_pages from own_sites where id = %(site_id)s)
                      - (select count(*) from site_pages where site_id = %(site_id)s))
    on conflict do nothing
    """

# They leave their room to others; what is linked all the same is found again.
FORGET_GONE = """
    delete from site_pages where site_id = %(site_id)s and outcome in ('http_404', 'http_410')
    """

AGAIN = "update site_pages set waiting = true where site_id = %(site_id)s"

NEXT = """
    select site_pages.url, site_pages.depth, documents.id as document_id, site_pages.etag,
           site_pages.last_modified
    from site_pages
    left join documents on documents.corpus_id = %(corpus_id)s and documents.key = site_pages.url
        and documents.site_id = site_pages.site_id and documents.state = 'ready'
    where site_pages.site_id = %(site_id)s and site_pages.waiting
    order by site_pages.depth, site_pages.url limit %(most)s
    """

VISITED = """
    update site_pages
    set waiting = false, outcome = %(outcome)s, etag = coalesce(%(etag)s, etag),
        last_modified = coalesce(%(last_modified)s, last_modified)
    where site_id = %(site_id)s and url = %(url)s
    """

GIVE_UP = """
    update site_pages set waiting = false, outcome = %(outcome)s
    where site_id = %(site_id)s and waiting
    """

FAILURES = """
    select url, outcome as reason from site_pages
    where site_id = %(site_id)s and outcome <> all(%(well)s) order by depth, url limit %(most)s
    """


def found(tx: Tx, site_id: UUID, urls: Sequence[str], depth: int) -> None:
    """Have these visited, unless they are known, or too many."""
    if urls:
        run(tx, FOUND, site_id=site_id, urls=list(urls), depth=depth)


def again(tx: Tx, site_id: UUID) -> None:
    """Have all known addresses visited but those that were gone."""
    run(tx, FORGET_GONE, site_id=site_id)
    run(tx, AGAIN, site_id=site_id)


def next_pages(reader: Reader, site_id: UUID, corpus_id: UUID, most: int) -> list[WaitingPage]:
    """Breadth first."""
    return many(reader, WaitingPage, NEXT, site_id=site_id, corpus_id=corpus_id, most=most)


def record_visit(
    tx: Tx, site_id: UUID, url: str, outcome: str, etag: str | None, last_modified: str | None
) -> None:
    given = {"outcome": outcome, "etag": etag, "last_modified": last_modified}
    run(tx, VISITED, site_id=site_id, url=url, **given)


def give_up(tx: Tx, site_id: UUID, outcome: str) -> None:
    """Let nothing wait any more."""
    run(tx, GIVE_UP, site_id=site_id, outcome=outcome)


@dataclass(frozen=True, slots=True)
class FailedPage:
    url: str
    reason: str


def failures(reader: Reader, site_id: UUID, most: int) -> list[FailedPage]:
    return many(reader, FailedPage, FAILURES, site_id=site_id, well=sorted(WELL), most=most)


WAITING = "select exists (select from site_pages where site_id = %(site_id)s and waiting)"


def any_waiting(reader: Reader, site_id: UUID) -> bool:
    return bool(value(reader, WAITING, site_id=site_id))


KNOWN = "select exists (select from site_pages where site_id = %(site_id)s)"


def any_known(reader: Reader, site_id: UUID) -> bool:
    return bool(value(reader, KNOWN, site_id=site_id))
