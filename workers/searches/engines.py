"""The web engines of this process, with what is remembered of their failures."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from app.core.breaker import FAIR_SHARE
from app.core.config.settings import Settings
from app.core.redis import events
from app.core.redis.circuits import Circuits
from app.engine.web.brave import Brave
from app.engine.web.interface import WebEngine
from app.engine.web.searxng import SearXNG


@dataclass(frozen=True, slots=True)
class Engines:
    """The tools that asking the web needs; one per process."""

    engines: tuple[WebEngine, ...]
    circuits: Circuits


@lru_cache(maxsize=1)
def engines_of(settings: Settings) -> Engines | None:
    """None when no engine is configured."""
    engines = tuple(_engines(settings))
    if not engines:
        return None
    fair_seconds = FAIR_SHARE * settings.web_engine_seconds
    return Engines(engines, Circuits(events.connect(settings.redis_url), fair_seconds))


def _engines(settings: Settings) -> Iterator[WebEngine]:
    if settings.searxng_url:
        gap = 1 / settings.searxng_per_second
        yield SearXNG(settings.searxng_url, gap_seconds=gap)
    if settings.brave_api_key:
        gap = 1 / settings.brave_per_second
        yield Brave(settings.brave_url, settings.brave_api_key, gap_seconds=gap)
