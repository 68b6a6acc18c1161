"""Citegrid's client: ask, and get an answer that opens at the passages it came from."""

from citegrid.client import AsyncClient, Client
from citegrid.credentials import Credentials, Tokens
from citegrid.decoding import as_json
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
from citegrid.exchange import Policy
from citegrid.nouns.offers import OwnOffer, PublicOffer
from citegrid.nouns.profiles import Profile, avatar_data_url
from citegrid.nouns.search_results import (
    Accepted,
    Citation,
    Result,
    Search,
    SearchEvent,
    SearchNotCompleted,
    Snapshot,
    Source,
)
from citegrid.paging import Page

__all__ = [
    "Accepted",
    "ApiError",
    "AsyncClient",
    "Citation",
    "CitegridError",
    "Client",
    "ConnectionFailed",
    "Credentials",
    "DeadlineReached",
    "InvalidArgument",
    "InvalidBaseUrl",
    "OwnOffer",
    "Page",
    "Policy",
    "Profile",
    "PublicOffer",
    "Result",
    "Search",
    "SearchEvent",
    "SearchNotCompleted",
    "Snapshot",
    "Source",
    "StillRunning",
    "Tokens",
    "UnusableAnswer",
    "as_json",
    "avatar_data_url",
]
