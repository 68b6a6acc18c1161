"""The product as its processes have it: every hook is connected, every handler is known."""

from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import TypeVar

from app import wiring
from app.core.hooks import Hook
from workers.queue.celery import HANDLERS

T = TypeVar("T")


def use() -> None:
    """For this process."""
    wiring.connect()
    for module in HANDLERS:
        import_module(module)


@contextmanager
def instead(hook: Hook[T], *parts: T) -> Iterator[None]:
    """In the block the hook has these, and not what the product connects."""
    wiring.connect()
    former = tuple(hook)
    hook.connect(*parts)
    try:
        yield
    finally:
        hook.connect(*former)
