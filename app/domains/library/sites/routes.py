"""/v1/corpora/{id}/sites: sites that are read into a corpus, page by page."""

from typing import Any
from uuid import UUID

from flask import url_for

from app.core import db, ids
from app.core.db import Reader
from app.core.errors import Overloaded
from app.core.http import Blueprint, caller, raises, scoped
from app.core.http.fields import RowView
from app.core.http.idempotency import once
from app.core.ids import Noun
from app.domains.library.corpora.service import CorpusNotFound
from app.domains.library.documents import limited_keys
from app.domains.library.documents.quota import CorpusQuotaExceeded
from app.domains.library.sites import page_store, schemas, service
from app.domains.library.sites.service import SiteExists, SiteNotFound
from app.domains.library.sites.store import OwnSite
from app.domains.queue.jobs.admission.acceptance import admit

sites = Blueprint(
    "sites",
    __name__,
    url_prefix="/v1/corpora/<corp:corpus_id>/sites",
    description="Sites whose pages are read into a corpus, and kept fresh.",
    preview=True,
)
sites.before_request(limited_keys.check_the_corpus)

_SITE = "/<site:site_id>"
_FAILURES = 100
"""As many are shown."""


def _shown(reader: Reader, site: OwnSite, **more: Any) -> RowView:
    state = "reading" if service.is_reading(reader, site) else "ready"
    return RowView(site, state=state, **more)


@sites.post("", operation="createSite")
@scoped("corpora")
@raises(CorpusNotFound, CorpusQuotaExceeded, SiteExists, Overloaded)
@sites.arguments(schemas.SiteIn)
@sites.response(201, schemas.SiteSchema)
def create(body: dict[str, Any], corpus_id: UUID) -> tuple[Any, int, dict[str, str]]:
    """Read a site, a sitemap or a feed into a corpus: each page becomes a document.

    The server reads one page after another, respects robots.txt, and visits up to `max_pages`
    addresses. Pages that are gone are deleted when the site is read again.
    """
    account_id = caller().account_id

    def make(tx: db.Tx) -> dict[str, Any]:
        admit(tx, service.READ)
        site = service.create(tx, account_id, corpus_id, body)
        return {"id": ids.public(Noun.SITE, site.id)}

    made = once(body, make)["id"]
    with db.reading() as reader:
        site = service.find(reader, account_id, corpus_id, ids.lookup(Noun.SITE, made))
        shown = _shown(reader, site)
    location = url_for("sites.show", corpus_id=ids.public(Noun.CORPUS, corpus_id), site_id=made)
    return shown, 201, {"Location": location}


@sites.get("", operation="listSites")
@scoped("corpora")
@raises(CorpusNotFound)
@sites.response(200, schemas.SitesOut)
def index(corpus_id: UUID) -> dict[str, Any]:
    """List the sites of a corpus."""
    with db.reading() as reader:
        found = service.every(reader, caller().account_id, corpus_id)
        return {"sites": [_shown(reader, site) for site in found]}


@sites.get(_SITE, operation="getSite")
@scoped("corpora")
@raises(CorpusNotFound, SiteNotFound)
@sites.response(200, schemas.SiteDetailSchema)
def show(corpus_id: UUID, site_id: UUID) -> Any:
    """Get a site with its progress and the pages that could not be read."""
    with db.reading() as reader:
        site = service.find(reader, caller().account_id, corpus_id, site_id)
        return _shown(reader, site, failures=page_store.failures(reader, site_id, _FAILURES))


@sites.post(f"{_SITE}/refresh", operation="refreshSite")
@scoped("corpora")
@raises(CorpusNotFound, SiteNotFound, Overloaded)
@sites.response(200, schemas.SiteSchema)
def refresh(corpus_id: UUID, site_id: UUID) -> Any:
    """Have a site read again: what changed, what is new, and what is gone."""
    with db.transaction() as tx:
        admit(tx, service.READ)
        return _shown(tx, service.refresh(tx, caller().account_id, corpus_id, site_id))


@sites.delete(_SITE, operation="deleteSite")
@scoped("corpora")
@raises(CorpusNotFound, SiteNotFound)
@sites.response(204)
def delete(corpus_id: UUID, site_id: UUID) -> None:
    """Delete a site with its documents. Answers that cite them keep their sources."""
    with db.transaction() as tx:
        service.delete(tx, caller().account_id, corpus_id, site_id)
