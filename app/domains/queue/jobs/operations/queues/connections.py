"""Connections to Postgres: enough for everybody who may open one, before somebody is refused."""

from dataclasses import dataclass
from typing import Final, NamedTuple

from app.core.db import Reader, one


class Pool(NamedTuple):
    plain: int
    forgetful: int
    others: int = 0

    @property
    def most(self) -> int:
        return self.plain + self.forgetful + self.others


WORKER: Final = Pool(plain=1, forgetful=1)
"""Each place of a worker is a process of its own, whose threads take turns: nobody who holds a
connection borrows another."""
HEARTBEAT: Final = Pool(plain=0, forgetful=0, others=1)
"""Of each worker's main process."""
DISPATCHER: Final = Pool(plain=4, forgetful=1, others=1)
"""One listens."""


@dataclass(frozen=True, slots=True)
class Budget:
    """Connections that Postgres allows and has open, and the processes it knows."""

    allowed: int
    open: int
    places: int
    workers: int
    dispatchers: int

    @property
    def later(self) -> int:
        """The connections that workers and dispatchers may open, once they are busy."""
        return (
            self.places * WORKER.most
            + self.workers * HEARTBEAT.most
            + self.dispatchers * DISPATCHER.most
        )

    @property
    def left(self) -> int:
        """For web processes, each with DATABASE_POOL_SIZE, and for whoever else signs in."""
        return self.allowed - self.later

    def shortage(self, wanted: int) -> str | None:
        """Says in a sentence what is wrong when somebody wants so many more."""
        if self.left < wanted:
            return (
                f"Postgres allows {self.allowed} connections, {self.places} places of workers and"
                f" {self.dispatchers} dispatchers may open {self.later}: {max(0, self.left)} are"
                f" left, {wanted} wanted"
            )
        if self.open + wanted > self.allowed:
            return (
                f"Postgres allows {self.allowed} connections and {self.open} are open: no room for"
                f" {wanted} more"
            )
        return None


BUDGET = """
    select current_setting('max_connections')::int
           - current_setting('superuser_reserved_connections')::int
           - coalesce(current_setting('reserved_connections', true)::int, 0) as allowed,
           (select sum(numbackends) from pg_stat_database)::int as open,
           coalesce(sum(places), 0)::int as places, count(*)::int as workers,
           (select count(*) from dispatchers
            where seen_at > now() - interval '15 seconds')::int as dispatchers
    from workers where seen_at > now() - interval '15 seconds'
    """


def budget(reader: Reader) -> Budget:
    """With the workers and dispatchers that were heard of in the last 15 seconds."""
    return one(reader, Budget, BUDGET)
