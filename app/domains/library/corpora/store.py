"""The corpora table."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from app.core.db import Reader, Tx, first, many, run


@dataclass(frozen=True, slots=True)
class Corpus:
    id: UUID
    name: str
    kind: str
    location: str
    options: dict[str, Any]
    schedule_id: UUID | None
    refresh_job_id: UUID | None
    pass_id: UUID | None
    created_at: datetime
    refreshed_at: datetime | None


INSERT = """
    insert into corpora (id, name, kind, location, options, schedule_id)
    values (%(id)s, %(name)s, %(kind)s, %(location)s, %(options)s, %(schedule_id)s)
    on conflict (name) do nothing
    """


def insert(tx: Tx, **columns: Any) -> bool:
    """False when the name is taken."""
    return run(tx, INSERT, **columns) == 1


_COLUMNS = """
    select id, name, kind, location, options, schedule_id, refresh_job_id, pass_id, created_at,
           refreshed_at
    from corpora
    """

# Not "for update": a refresh that is writing pages refers to this row, and must not wait for us
# while we wait for it.
BY_NAME = _COLUMNS + "where name = %(name)s for no key update"

BY_ID = _COLUMNS + "where id = %(id)s for no key update"

FIND = _COLUMNS + "where name = %(name)s"

ALL = _COLUMNS + "where name > %(after)s order by name"


def lock_by_name(tx: Tx, name: str) -> Corpus | None:
    return first(tx, Corpus, BY_NAME, name=name)


def lock_by_id(tx: Tx, id: UUID) -> Corpus | None:
    return first(tx, Corpus, BY_ID, id=id)


def by_name(reader: Reader, name: str) -> Corpus | None:
    return first(reader, Corpus, FIND, name=name)


def every(reader: Reader, after: str = "") -> list[Corpus]:
    return many(reader, Corpus, ALL, after=after)


SET_JOB = "update corpora set refresh_job_id = %(job_id)s where id = %(id)s"

BEGIN_PASS = "update corpora set pass_id = %(pass_id)s where id = %(id)s"  # noqa: S105

END_PASS = "update corpora set pass_id = null where id = %(id)s"  # noqa: S105

SET_REFRESHED = "update corpora set refreshed_at = now() where id = %(id)s"

DELETE = "delete from corpora where id = %(id)s"


def set_job(tx: Tx, id: UUID, job_id: UUID) -> None:
    run(tx, SET_JOB, id=id, job_id=job_id)


def begin_pass(tx: Tx, id: UUID, pass_id: UUID) -> None:
    run(tx, BEGIN_PASS, id=id, pass_id=pass_id)


def end_pass(tx: Tx, id: UUID) -> None:
    """The next refresh starts over."""
    run(tx, END_PASS, id=id)


def set_refreshed(tx: Tx, id: UUID) -> None:
    run(tx, SET_REFRESHED, id=id)


def delete(tx: Tx, id: UUID) -> None:
    run(tx, DELETE, id=id)


@dataclass(frozen=True, slots=True)
class CorpusCounts:
    """Pages of a corpus: in the index, their passages, and pages that could not be read."""

    corpus_id: UUID
    pages: int = 0
    passages: int = 0
    failed: int = 0


COUNTS = """
    select corpus_id, count(snapshot_id)::int as pages, coalesce(sum(passages), 0)::int as passages,
           (count(*) filter (where outcome <> all(%(well)s)))::int as failed
    from pages group by corpus_id
    """


def counts(reader: Reader, well: list[str]) -> list[CorpusCounts]:
    return many(reader, CorpusCounts, COUNTS, well=well)
