"""The one place where the rails of a process are loaded.

The libraries behind them take a second and 60 MB to import and are an optional extra: they are
imported once, by name, in a process that is configured to take payments, and nowhere else.
"""

import functools
from collections.abc import Mapping
from importlib import import_module
from importlib.util import find_spec

from app.core import log
from app.core.config.settings import Settings
from app.domains.money.payments.interface import Rail

logger = log.get(__name__)


@functools.lru_cache(maxsize=4)
def open_rails(settings: Settings) -> Mapping[str, Rail]:
    """The networks of payments; without a price, for those that were made before.

    Raises BadConfiguration for an address whose checksum is wrong.
    """
    if not settings.onchain_networks:
        return {}
    if find_spec("x402") is None or find_spec("web3") is None:
        logger.error("payments are configured, but the extra `payments` is not installed")
        return {}
    rail = import_module("app.domains.money.payments.x402.rail")
    opened: Mapping[str, Rail] = rail.opened(settings)
    return opened
