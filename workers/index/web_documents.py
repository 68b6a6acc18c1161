"""Fetching the documents of accounts that have an address, as pages of jobs are fetched."""

from functools import lru_cache

from app.core.config.settings import Settings
from app.domains.library.documents.service import content_hash
from app.domains.library.documents.store import Upload
from app.engine.fetch import PoliteFetcher
from app.engine.sandbox import visit
from app.engine.sandbox.documents import Document
from app.engine.sandbox.reader import page_reader
from app.engine.sandbox.sites import Web, make_web, turn
from workers.web_access import access


class NotFetched(Exception):
    """Nothing to read came from an address; `outcome` says why."""

    def __init__(self, outcome: str) -> None:
        super().__init__(outcome)
        self.outcome = outcome


def fetched(settings: Settings, url: str) -> tuple[Upload, Document]:
    """The content at an address. Raises NotFetched."""
    response = visit.fetch(_fetcher(settings), url, turn())
    if isinstance(response, str):
        raise NotFetched(response)
    content = Upload(
        response.media_type, response.charset, response.body, content_hash(response.body)
    )
    return content, visit.document_of(response)


@lru_cache(maxsize=1)
def _fetcher(settings: Settings) -> PoliteFetcher:
    return web_of(settings).getter(1)()


@lru_cache(maxsize=1)
def web_of(settings: Settings) -> Web:
    """The web as accounts may reach it, one for the process, with its memory."""
    return reach(settings, settings.extract_fetch_allow)


def reach(settings: Settings, allowed: str) -> Web:
    """The web with the private hosts that a list allows."""
    fetcher, gate = access(settings, allowed)
    return make_web(fetcher, gate, settings.fetch_gap_seconds, page_reader())
