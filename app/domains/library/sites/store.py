"""The own_sites table."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final
from uuid import UUID

from app.core.db import Reader, Tx, first, many, run, value
from app.domains.library.corpora.visits import INDEXED, UNCHANGED, WELL

KINDS: Final = ("site", "sitemap")
REFRESH_SECONDS: Final = {"hourly": 3_600, "daily": 86_400, "weekly": 604_800}


@dataclass(frozen=True, slots=True)
class OwnSite:
    """A site of an account, with the number of its pages that are found, wait, or failed.

    `pass_id` is set while its pages are read.
    """

    id: UUID
    account_id: UUID
    corpus_id: UUID
    url: str
    kind: str
    include_paths: Sequence[str]
    exclude_paths: Sequence[str]
    max_pages: int
    refresh: str | None
    schedule_id: UUID | None
    job_id: UUID | None
    pass_id: UUID | None
    reason: str | None
    created_at: datetime
    read_at: datetime | None
    pages: int
    waiting: int
    failed: int


INSERT = """
    insert into own_sites (id, account_id, corpus_id, url, kind, include_paths, exclude_paths,
                           max_pages, refresh, schedule_id)
    values (%(id)s, %(account_id)s, %(corpus_id)s, %(url)s, %(kind)s, %(include_paths)s,
            %(exclude_paths)s, %(max_pages)s, %(refresh)s, %(schedule_id)s)
    on conflict (corpus_id, url) do nothing
    returning id
    """

_SELECT = """
    select sites.id, sites.account_id, sites.corpus_id, sites.url, sites.kind, sites.include_paths,
           sites.exclude_paths, sites.max_pages, sites.refresh, sites.schedule_id, sites.job_id,
           sites.pass_id, sites.reason, sites.created_at, sites.read_at,
           counted.pages::int as pages, counted.waiting::int as waiting,
           counted.failed::int as failed
    from own_sites as sites
    cross join lateral (
        select count(*) filter (where outcome = any(%(kept)s)) as pages,
               count(*) filter (where waiting) as waiting,
               count(*) filter (where outcome <> all(%(well)s)) as failed
        from site_pages where site_id = sites.id
    ) as counted
    """

BY_ID = (
    _SELECT
    + """
    where sites.id = %(id)s
      and exists (select from own_corpora where id = sites.corpus_id and deleted_at is null)
    """
)

OF_CORPUS = (
    _SELECT
    + """
    where sites.account_id = %(account_id)s and sites.corpus_id = %(corpus_id)s
    order by sites.id desc
    """
)

_COUNTED = {"kept": [INDEXED, UNCHANGED], "well": sorted(WELL)}


def insert(tx: Tx, **columns: object) -> bool:
    """False when the corpus has a site at this address."""
    return value(tx, INSERT, **columns) is not None


def by_id(reader: Reader, id: UUID) -> OwnSite | None:
    """None also when its corpus was deleted."""
    return first(reader, OwnSite, BY_ID, id=id, **_COUNTED)


def of_corpus(reader: Reader, account_id: UUID, corpus_id: UUID) -> list[OwnSite]:
    """Newest first."""
    return many(reader, OwnSite, OF_CORPUS, account_id=account_id, corpus_id=corpus_id, **_COUNTED)


COUNT = "select count(*) from own_sites where account_id = %(account_id)s"

LOCK = "select id from own_sites where id = %(id)s for update"

SET_JOB = "update own_sites set job_id = %(job_id)s where id = %(id)s"

BEGIN = "update own_sites set pass_id = %(pass_id)s where id = %(id)s"

END = """
    update own_sites set pass_id = null, reason = %(reason)s, read_at = now() where id = %(id)s
    """

DELETE = "delete from own_sites where id = %(id)s"


def count(reader: Reader, account_id: UUID) -> int:
    """Of all of the account's corpora."""
    return int(value(reader, COUNT, account_id=account_id))


def lock(tx: Tx, id: UUID) -> bool:
    """False when it is gone. It is locked after its corpus and documents are."""
    return value(tx, LOCK, id=id) is not None


def set_job(tx: Tx, id: UUID, job_id: UUID) -> None:
    run(tx, SET_JOB, id=id, job_id=job_id)


def begin_pass(tx: Tx, id: UUID, pass_id: UUID) -> None:
    run(tx, BEGIN, id=id, pass_id=pass_id)


def end_pass(tx: Tx, id: UUID, reason: str | None) -> None:
    """`reason` says why nothing was read, or not all."""
    run(tx, END, id=id, reason=reason)


def delete(tx: Tx, id: UUID) -> None:
    run(tx, DELETE, id=id)
