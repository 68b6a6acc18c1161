"""The listed_domains table: what the operator says of registrable domains."""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from app.core.db import Reader, Tx, many, run

Verdict = Literal["allow", "deny"]


@dataclass(frozen=True, slots=True)
class DomainVerdict:
    domain: str
    verdict: Verdict
    listed_at: datetime


PUT = """
    insert into listed_domains (domain, verdict) values (%(domain)s, %(verdict)s)
    on conflict (domain) do update set verdict = excluded.verdict, listed_at = now()
    """

DELETE = "delete from listed_domains where domain = %(domain)s"

EVERY = "select domain, verdict, listed_at from listed_domains order by domain"

SOME = """
    select domain, verdict, listed_at from listed_domains where domain = any(%(domains)s)
    """


def put(tx: Tx, domain: str, verdict: Verdict) -> None:
    run(tx, PUT, domain=domain, verdict=verdict)


def delete(tx: Tx, domain: str) -> bool:
    """False when it was not listed."""
    return run(tx, DELETE, domain=domain) == 1


def every(reader: Reader) -> list[DomainVerdict]:
    return many(reader, DomainVerdict, EVERY)


def some(reader: Reader, domains: list[str]) -> list[DomainVerdict]:
    return many(reader, DomainVerdict, SOME, domains=domains)
