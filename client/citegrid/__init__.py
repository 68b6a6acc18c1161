"""Citegrid's client: ask, and get an answer that opens at the passages it came from."""

from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

from citegrid.version import __version__

if TYPE_CHECKING:
    from citegrid.client import AsyncClient, Client
    from citegrid.errors import (
        ApiError,
        CitegridError,
        ConnectionFailed,
        DeadlineReached,
        InvalidArgument,
        InvalidBaseUrl,
        StillRunning,
        UnusableAnswer,
    )
    from citegrid.nouns.pagination import Page
    from citegrid.nouns.providers.offers import OwnOffer, PublicOffer
    from citegrid.nouns.providers.profiles import Profile, avatar_data_url
    from citegrid.nouns.search.search_results import (
        AcceptedSearch,
        Citation,
        Excerpt,
        Result,
        Search,
        SearchEvent,
        SearchNotCompleted,
        Snapshot,
        Source,
    )
    from citegrid.profiles.credentials import Credentials, Tokens
    from citegrid.transport.codec import as_json
    from citegrid.transport.exchange import Policy
    from citegrid.transport.raw import RawResponse

__all__ = [
    "AcceptedSearch",
    "ApiError",
    "AsyncClient",
    "Citation",
    "CitegridError",
    "Client",
    "ConnectionFailed",
    "Credentials",
    "DeadlineReached",
    "Excerpt",
    "InvalidArgument",
    "InvalidBaseUrl",
    "OwnOffer",
    "Page",
    "Policy",
    "Profile",
    "PublicOffer",
    "RawResponse",
    "Result",
    "Search",
    "SearchEvent",
    "SearchNotCompleted",
    "Snapshot",
    "Source",
    "StillRunning",
    "Tokens",
    "UnusableAnswer",
    "__version__",
    "as_json",
    "avatar_data_url",
]

# Loaded when it is asked for: `citegrid --version` needs none of it, and httpx takes its time.
_MODULES: Final = {
    "client": "AsyncClient Client",
    "profiles.credentials": "Credentials Tokens",
    "transport.codec": "as_json",
    "errors": "ApiError CitegridError ConnectionFailed DeadlineReached InvalidArgument "
    "InvalidBaseUrl StillRunning UnusableAnswer",
    "transport.exchange": "Policy",
    "transport.raw": "RawResponse",
    "nouns.providers.offers": "OwnOffer PublicOffer",
    "nouns.providers.profiles": "Profile avatar_data_url",
    "nouns.search.search_results": "AcceptedSearch Citation Excerpt Result Search "
    "SearchEvent SearchNotCompleted Snapshot Source",
    "nouns.pagination": "Page",
}
_MODULE_OF: Final = {name: module for module, names in _MODULES.items() for name in names.split()}


def __getattr__(name: str) -> Any:
    if name not in _MODULE_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f"{__name__}.{_MODULE_OF[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
