"""The findings of `doctor` on access to the API: listening addresses and proxies."""

import shlex
from collections.abc import Iterator
from contextlib import suppress

import redis
from gunicorn.config import Config
from gunicorn.util import parse_address

from app.core.config import settings
from app.core.config.settings import Settings
from app.core.http import proxies
from app.core.http.hosts import is_local, is_loopback
from app.core.redis import limits
from app.local.doctor.findings import Finding

IN_FRONT = "See docs/how-to/run-on-real-servers.md, What to put in front."
COUNT_THEM = "Set TRUSTED_PROXIES to the number of proxies. Without it, callers share one address."


def examine(settings: Settings) -> Iterator[Finding]:
    """One finding; with a proxy that is counted there is nothing to warn of."""
    if settings.trusted_proxies:
        yield Finding("ok", f"{settings.trusted_proxies} trusted proxies configured")
    elif public := [bind for bind in _listening() if not is_loopback(_host(bind))]:
        what = f"The API accepts remote connections ({public[0]}) without a trusted proxy"
        yield Finding("warn", what, IN_FRONT)
    elif _were_noticed(settings):
        yield Finding("warn", "Requests pass through an untrusted proxy", COUNT_THEM)
    elif not is_local(settings):
        what = f"{settings.service_base_url} is public without a trusted proxy"
        yield Finding("warn", what, COUNT_THEM)
    else:
        yield Finding("ok", "The API is accessible from this machine only")


def _listening() -> list[str]:
    """As gunicorn reads its environment; what a command line adds is not known here."""
    environment = settings.environment()
    defaults = Config()
    words = shlex.split(environment.get("GUNICORN_CMD_ARGS", ""))
    given, _ = defaults.parser().parse_known_args(words)
    return list(given.bind or defaults.bind)


def _host(bind: str) -> str:
    address = parse_address(bind)
    return "localhost" if isinstance(address, str) else str(address[0])  # a Unix socket


def _were_noticed(settings: Settings) -> bool:
    with suppress(redis.RedisError), limits.connect(settings.redis_url) as client:
        return proxies.were_noticed(client)
    return False
