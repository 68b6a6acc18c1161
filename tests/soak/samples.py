"""What is measured every few seconds: memory, files and threads of each program, both servers."""

import os
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import psycopg
import redis

from tests.mixed.installation import Installation

_CONNECTIONS: Final = """
    select coalesce(state, 'background'), count(*) from pg_stat_activity
    where backend_type = 'client backend' and pid <> pg_backend_pid() group by 1
    """
_IDLE: Final = """
    select coalesce(max(extract(epoch from now() - state_change)), 0)
    from pg_stat_activity where state like 'idle in transaction%'
    """
_TABLES: Final = """
    select relname, pg_table_size(oid), pg_indexes_size(oid), greatest(reltuples, 0)::bigint
    from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace
    """
_KEPT: Final = "select count(*) from searches"


@dataclass(frozen=True, slots=True)
class Usage:
    """Of one program with all its children. `heap_bytes` is anonymous memory, shared in parts."""

    processes: int
    heap_bytes: int
    rss_bytes: int
    files: int
    threads: int


@dataclass(frozen=True, slots=True)
class Sample:
    seconds: float
    programs: dict[str, Usage]
    connections: dict[str, int]
    idle_in_transaction_seconds: float
    tables: dict[str, tuple[int, int, int]]
    """Bytes of the table, of its indexes, and about how many rows."""
    searches: int
    """As many as retention has left."""
    redis: dict[str, int]
    log_bytes: int
    cpu_seconds: float
    """Of all processes of the installation so far."""


def sample(running: Installation, seconds: float) -> Sample:
    roots = {name: program.pid for name, program in running.programs.items()}
    roots |= {"postgres": running.postgres.pid, "redis": running.redis.pid}
    trees = {name: list(_tree(pid)) for name, pid in roots.items()}
    with psycopg.connect(running.postgres.url(), autocommit=True) as connection:
        connections = dict(connection.execute(_CONNECTIONS).fetchall())
        idle = connection.execute(_IDLE).fetchone()
        tables = {name: tuple(rest) for name, *rest in connection.execute(_TABLES)}
        searches = connection.execute(_KEPT).fetchone()
    return Sample(
        seconds,
        {name: _usage(pids) for name, pids in trees.items()},
        connections,
        float(idle[0]) if idle else 0.0,
        tables,
        int(searches[0]) if searches else 0,
        _redis(running),
        sum(path.stat().st_size for path in running.home.glob("*.log")),
        sum(_cpu_seconds(pid) for pids in trees.values() for pid in pids),
    )


def _tree(pid: int) -> Iterator[int]:
    """A process and all below it (proc_pid_task_children, Linux)."""
    yield pid
    with suppress(OSError):
        for task in Path(f"/proc/{pid}/task").iterdir():
            for child in (task / "children").read_text().split():
                yield from _tree(int(child))


def _usage(pids: list[int]) -> Usage:
    heap = rss = files = threads = processes = 0
    for pid in pids:
        with suppress(OSError, ValueError, IndexError):  # it has just ended
            rollup = _kilobytes(Path(f"/proc/{pid}/smaps_rollup").read_text())
            status = _kilobytes(Path(f"/proc/{pid}/status").read_text())
            files += len(os.listdir(f"/proc/{pid}/fd"))
            heap += rollup["Pss_Anon"] * 1024
            rss += rollup["Rss"] * 1024
            threads += status["Threads"]
            processes += 1
    return Usage(processes, heap, rss, files, threads)


def _kilobytes(text: str) -> dict[str, int]:
    """The numbers of lines like `Rss:  1234 kB`."""
    pairs = (line.split(":", 1) for line in text.splitlines() if ":" in line)
    return {
        name: int(value.split()[0])
        for name, value in pairs
        if value.split() and value.split()[0].isdigit()
    }


def _cpu_seconds(pid: int) -> float:
    with suppress(OSError, IndexError, ValueError):
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    return 0.0


def _redis(running: Installation) -> dict[str, int]:
    with redis.Redis.from_url(running.redis.url()) as client:
        facts: dict[str, Any] = client.info()  # type: ignore[assignment]
        return {
            "memory_bytes": int(facts["used_memory"]),
            "clients": int(facts["connected_clients"]) - 1,
            "keys": int(client.dbsize()),  # type: ignore[arg-type]
        }
