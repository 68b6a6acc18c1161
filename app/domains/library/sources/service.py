"""Sources the operator trusts or does not, by registrable domain."""

from collections.abc import Collection

from app.core.db import Reader, Tx
from app.core.errors import Invalid, NotFound, required
from app.domains.account.audit.service import record_event
from app.domains.library.sources import store
from app.domains.library.sources.store import Verdict
from app.engine.pages.site.registrable import domain_of_url, registrable_domain


class NotADomain(Invalid):
    """Enter a host name such as example.org or a page URL."""

    code = "not_a_domain"


class DomainNotListed(NotFound):
    """This domain is not on a list."""

    code = "domain_not_listed"


def judge(tx: Tx, name: str, verdict: Verdict) -> str:
    """Put a registrable domain on one list, off the other; returns it. Raises NotADomain."""
    domain = _domain(name)
    store.put(tx, domain, verdict)
    record_event(tx, "source.listed", domain, verdict=verdict)
    return domain


def forget(tx: Tx, name: str) -> str:
    """Take the domain off its list. Returns it. Raises NotADomain, DomainNotListed."""
    domain = _domain(name)
    if not store.delete(tx, domain):
        raise DomainNotListed
    record_event(tx, "source.unlisted", domain)
    return domain


def verdicts(reader: Reader, domains: Collection[str]) -> dict[str, Verdict]:
    """The verdicts on those of the registrable `domains` that are listed."""
    rows = store.some(reader, sorted(domains)) if domains else []
    return {listed.domain: listed.verdict for listed in rows}


def _domain(name: str) -> str:
    return required(domain_of_url(name) if "://" in name else registrable_domain(name), NotADomain)
