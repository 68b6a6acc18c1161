"""What reading the web needs, made once per process: engines, circuits, the way to their pages."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from app.core import events
from app.core.circuits import Circuits
from app.core.config import Settings
from app.core.hostgate import RedisHostGate
from app.domains.pages.visits import Visitor
from app.engine.fetch import (
    Fetcher,
    LocalGate,
    Policy,
    PoliteFetcher,
    parse_allow_list,
    user_agent,
)
from app.engine.text.analysis import Analyzer
from app.engine.web.brave import Brave
from app.engine.web.interface import WebEngine
from app.engine.web.searxng import SearXNG

_PAGE_BYTES, _PAGE_TOTAL_SECONDS = 5 << 20, 12.0


@dataclass(frozen=True, slots=True)
class Browser:
    """What reading the web needs; one per process."""

    engines: tuple[WebEngine, ...]
    circuits: Circuits
    visitor: Visitor
    analyzer: Analyzer


@lru_cache(maxsize=1)
def browser_of(settings: Settings, analyzer: Analyzer) -> Browser | None:
    """None when no engine is configured."""
    engines = tuple(_engines(settings))
    if not engines:
        return None
    redis = events.connect(settings.redis_url)
    policy = Policy(
        user_agent=user_agent(settings.fetch_contact),
        allow=parse_allow_list(settings.web_fetch_allow),
        max_wire_bytes=_PAGE_BYTES,
        max_body_bytes=_PAGE_BYTES,
        total_seconds=_PAGE_TOTAL_SECONDS,
    )
    fetcher = Fetcher(policy)
    gate = RedisHostGate(redis, LocalGate())
    polite = PoliteFetcher(fetcher, gate, gap_seconds=settings.fetch_gap_seconds)
    return Browser(engines, Circuits(redis), Visitor(polite, analyzer), analyzer)


def _engines(settings: Settings) -> Iterator[WebEngine]:
    if settings.searxng_url:
        gap = 1 / settings.searxng_per_second
        yield SearXNG(settings.searxng_url, gap_seconds=gap)
    if settings.brave_api_key:
        gap = 1 / settings.brave_per_second
        yield Brave(settings.brave_url, settings.brave_api_key, gap_seconds=gap)
