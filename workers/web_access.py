"""Access of workers to the web: what the settings allow, and turns at hosts for all processes."""

from typing import Any

from app.core.config.allow_list import parse_allow_list
from app.core.config.settings import Settings
from app.core.redis import events
from app.core.redis.host_turns import RedisHostGate
from app.engine.fetch import Fetcher, FetchPolicy, LocalGate, user_agent, way_out


def access(settings: Settings, allowed: str, **limits: Any) -> tuple[Fetcher, RedisHostGate]:
    """A fetcher that reaches the private hosts of a list as well, with `limits` of FetchPolicy."""
    policy = FetchPolicy(
        user_agent=user_agent(settings.fetch_contact), allow=parse_allow_list(allowed), **limits
    )
    gate = RedisHostGate(events.connect(settings.redis_url), LocalGate())
    return Fetcher(policy, connect=way_out(settings.egress_proxy)), gate
