"""The server of an index outside of Postgres, as the operator configured it."""

from functools import cache
from importlib import import_module

from app.core.config.settings import Settings
from app.engine.search.remote import RemoteServer


@cache
def opened(settings: Settings) -> RemoteServer | None:
    """The server at INDEX_URL, one per process; None without that setting."""
    if not settings.index_url:
        return None
    module = import_module("app.engine.search.opensearch.server")
    server: RemoteServer = module.OpenSearchServer(settings)
    return server
