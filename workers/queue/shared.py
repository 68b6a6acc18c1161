"""Loads once, before they are forked, what the places of a worker share.

Only for what has no thread and no connection, since neither survives a fork.
"""

import gc
import sys
from collections.abc import Callable, Collection
from contextlib import suppress
from typing import Any, TypeVar

from billiard.util import get_pdeathsig
from celery.signals import celeryd_after_setup

from app.core.config.settings import Settings

Load = TypeVar("Load", bound=Callable[[Settings], object])
_loads: list[tuple[frozenset[str], Callable[[Settings], object]]] = []


def share(*queues: str) -> Callable[[Load], Load]:
    """Decorates a cached function that loads something which workers of these queues need."""

    def register(load: Load) -> Load:
        _loads.append((frozenset(queues), load))
        return load

    return register


def prepare(settings: Settings) -> None:
    """Have a worker of Celery load what its queues need before it forks."""

    @celeryd_after_setup.connect(weak=False)
    def prepare_fork(instance: Any, **_: object) -> None:
        load(settings, set(instance.app.amqp.queues.consume_from))


def load(settings: Settings, queues: Collection[str]) -> None:
    """Call before a worker of these queues forks; elsewhere than on Linux it does nothing."""
    if sys.platform != "linux":  # the libraries of macOS have threads of their own
        return
    for needed_by, act in _loads:
        if needed_by.intersection(queues):
            act(settings)
    with suppress(OSError):
        get_pdeathsig()  # its parser of C: else each place makes one, of ten megabytes
    gc.collect()
    gc.freeze()  # the collector would write to pages that all share
