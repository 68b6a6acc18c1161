"""Citegrid's client: ask, and get an answer that opens at the passages it came from."""

from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

from citegrid.version import __version__ as __version__

if TYPE_CHECKING:
    from citegrid.client import AsyncClient as AsyncClient
    from citegrid.client import Client as Client
    from citegrid.errors import ApiError as ApiError
    from citegrid.errors import CitegridError as CitegridError
    from citegrid.errors import ConnectionFailed as ConnectionFailed
    from citegrid.errors import DeadlineReached as DeadlineReached
    from citegrid.errors import InvalidArgument as InvalidArgument
    from citegrid.errors import InvalidBaseUrl as InvalidBaseUrl
    from citegrid.errors import StillRunning as StillRunning
    from citegrid.errors import UnusableAnswer as UnusableAnswer
    from citegrid.nouns.pagination import Page as Page
    from citegrid.nouns.providers.offers import OwnOffer as OwnOffer
    from citegrid.nouns.providers.offers import PublicOffer as PublicOffer
    from citegrid.nouns.providers.profiles import Profile as Profile
    from citegrid.nouns.providers.profiles import avatar_data_url as avatar_data_url
    from citegrid.nouns.search.search_results import AcceptedSearch as AcceptedSearch
    from citegrid.nouns.search.search_results import Citation as Citation
    from citegrid.nouns.search.search_results import Excerpt as Excerpt
    from citegrid.nouns.search.search_results import Result as Result
    from citegrid.nouns.search.search_results import Search as Search
    from citegrid.nouns.search.search_results import SearchEvent as SearchEvent
    from citegrid.nouns.search.search_results import SearchNotCompleted as SearchNotCompleted
    from citegrid.nouns.search.search_results import Snapshot as Snapshot
    from citegrid.nouns.search.search_results import Source as Source
    from citegrid.profiles.credentials import Credentials as Credentials
    from citegrid.profiles.credentials import Tokens as Tokens
    from citegrid.transport.codec import as_json as as_json
    from citegrid.transport.exchange import Policy as Policy
    from citegrid.transport.raw import RawResponse as RawResponse

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

__all__ = [*_MODULE_OF, "__version__"]


def __getattr__(name: str) -> Any:
    if name not in _MODULE_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f"{__name__}.{_MODULE_OF[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
