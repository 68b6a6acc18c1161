"""Counts what an operation asks of Postgres and Redis: a cost that no busy machine changes."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import pytest
from psycopg.abc import PQGen
from redis.connection import AbstractConnection

from app.core.db import Reader


@dataclass
class Trips:
    """Round trips since counting began."""

    postgres: int = 0
    redis: int = 0


@contextmanager
def round_trips() -> Iterator[Trips]:
    """Of all threads of this process, while the block runs."""
    trips = Trips()
    wait, send = Reader.wait, AbstractConnection.send_packed_command

    def waited(self: Reader, gen: PQGen[Any], *args: Any, **kwargs: Any) -> Any:
        # A pool says "commit" of each connection that comes back, for which nothing is sent.
        trips.postgres += getattr(gen, "__name__", "") != "_commit_gen"
        return wait(self, gen, *args, **kwargs)

    def sent(self: AbstractConnection, *args: Any, **kwargs: Any) -> Any:
        trips.redis += 1
        return send(self, *args, **kwargs)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Reader, "wait", waited)
        patch.setattr(AbstractConnection, "send_packed_command", sent)
        yield trips
