"""Egress: every byte from the internet comes through here."""

from app.engine.fetch.client import Fetcher
from app.engine.fetch.egress import way_out
from app.engine.fetch.failure import REASONS, FetchFailed, Reason
from app.engine.fetch.policy import FetchPolicy, user_agent
from app.engine.fetch.politeness import HostGate, LocalGate, PoliteFetcher
from app.engine.fetch.response import Response
from app.engine.fetch.robots import MemoryCache, Robots, RobotsCache, Rules
from app.engine.fetch.url import Target, parse

__all__ = [
    "REASONS",
    "FetchFailed",
    "FetchPolicy",
    "Fetcher",
    "HostGate",
    "LocalGate",
    "MemoryCache",
    "PoliteFetcher",
    "Reason",
    "Response",
    "Robots",
    "RobotsCache",
    "Rules",
    "Target",
    "parse",
    "user_agent",
    "way_out",
]
