"""Exports of many records: memory stays flat, and a reader that stalls holds no transaction."""

import os
import socket
from collections.abc import Iterator
from contextlib import ExitStack
from http.client import HTTPConnection
from pathlib import Path

import psycopg
import pytest

from app.core import db, ids
from app.core.config.settings import Settings
from app.core.ids import Noun
from app.domains.records.page_jobs import store
from app.domains.records.page_jobs.runs import page_store
from app.local.embedded.postgres import Postgres
from app.local.embedded.redis import Redis
from tests import builders, servers
from tests.deployed import Deployed, deployed
from tests.patience import PATIENCE_SECONDS

RECORDS = 30_000
FILL = """
    insert into extraction_records (id, run_id, page_id, position, data, unsatisfied, provenance,
                                    candidates, confidence)
    select gen_random_uuid(), %(run_id)s, %(page_id)s, %(n)s * 100000 + place,
           jsonb_build_object('name', 'Product ' || place, 'price', place / 100.0,
                              'description', repeat('words of a description ', 20)),
           '[]', '[]', '{}', 0.9
    from generate_series(0, %(records)s - 1) as place
    """


@pytest.fixture(scope="module")
def settings(postgres: Postgres, redis_server: Redis) -> Iterator[Settings]:
    """Over a database that the tests of this file share: filling it takes its time."""
    with servers.database(postgres) as url:
        db.open(url)
        yield Settings(database_url=url, redis_url=redis_server.url(), secret_key="x" * 32)
        db.close()


@pytest.fixture(scope="module")
def key(settings: Settings) -> str:
    with db.transaction() as tx:
        account = builders.account(tx)
        return builders.api_key(tx, settings, account, ("jobs",))


@pytest.fixture(scope="module")
def served(settings: Settings) -> Iterator[Deployed]:
    """Two web processes with four connections to the database each."""
    with deployed(settings, "web", database_pool_size=4) as running:
        yield running


@pytest.fixture(scope="module")
def path(served: Deployed, key: str) -> str:
    """Of the records of a job that has tens of thousands."""
    body = {
        "type": "extraction",
        "source": {"type": "url", "url": "https://shop.example.org/"},
        "schema": {
            "type": "object",
            "properties": {
                "name": {"type": "string"},
                "price": {"type": "number"},
                "description": {"type": "string"},
            },
        },
    }
    job_id = served.ask("POST", "/v1/extract/jobs", {"X-API-Key": key}, body).json["id"]
    with db.transaction() as tx:
        builders.page_of_job(tx, job_id, "https://shop.example.org/", "Lamp")
        internal = ids.internal(Noun.JOB, job_id)
        assert internal is not None
        job = store.of_anybody(tx, internal)
        assert job is not None
        assert job.run_id is not None
        [page] = page_store.listed(tx, job.run_id, outcome=None, after=0, most=1)
        params = {"run_id": job.run_id, "page_id": page.id, "n": page.n, "records": RECORDS}
        tx.execute(FILL, params)
    return f"/v1/extract/jobs/{job_id}/records"


def processes(pid: int) -> Iterator[int]:
    """A process and all below it."""
    yield pid
    for child in Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="ascii").split():
        yield from processes(int(child))


def resident_bytes(running: Deployed) -> int:
    """Of all web processes together."""
    pages = (
        int(Path(f"/proc/{pid}/statm").read_text(encoding="ascii").split()[1])
        for pid in processes(running.programs["web"].pid)
    )
    return sum(pages) * os.sysconf("SC_PAGE_SIZE")


def lines_of(running: Deployed, path: str, key: str, accept: str) -> tuple[int, int]:
    """Lines of an export that is read as it comes, and the most memory meanwhile."""
    connection = HTTPConnection(running.address, timeout=PATIENCE_SECONDS)
    connection.request("GET", path, headers={"X-API-Key": key, "Accept": accept})
    answer, lines, most = connection.getresponse(), 0, 0
    assert answer.status == 200
    while piece := answer.read(1 << 20):
        lines += piece.count(b"\n")
        most = max(most, resident_bytes(running))
    connection.close()
    return lines, most


def test_tens_of_thousands_of_records_take_no_more_memory_than_few(
    served: Deployed, path: str, key: str
) -> None:
    served.ask("GET", f"{path}?limit=200", {"X-API-Key": key})
    before = resident_bytes(served)
    lines, most = lines_of(served, path, key, "application/x-ndjson")
    assert lines == RECORDS
    rows, most_of_table = lines_of(served, path, key, "text/csv")
    assert rows == RECORDS + 1
    assert max(most, most_of_table) - before < 40 << 20


def test_readers_that_stall_hold_no_transaction_and_leave_others_alone(
    served: Deployed, path: str, key: str, settings: Settings
) -> None:
    with ExitStack() as open_until_the_end:
        for _ in range(4):
            open_until_the_end.enter_context(stall(served, path, key))
        watcher = psycopg.connect(settings.database_url, autocommit=True)
        open_until_the_end.enter_context(watcher)
        servers.until(lambda: open_transactions(watcher) == 0)
        assert served.ask("GET", f"{path}?limit=1", {"X-API-Key": key}).status == 200
        servers.until(lambda: open_transactions(watcher) == 0)


def stall(running: Deployed, path: str, key: str) -> socket.socket:
    """A reader that takes the first bytes and no more; a busy machine may refuse it at first."""
    readers: list[socket.socket] = []

    def is_served() -> bool:
        while readers:
            readers.pop().close()
        readers.append(asked(running, path, key))
        return readers[0].recv(12) == b"HTTP/1.1 200"

    servers.until(is_served)
    return readers[0]


def asked(running: Deployed, path: str, key: str) -> socket.socket:
    host, _, port = running.address.partition(":")
    reader = socket.socket()
    reader.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    reader.connect((host, int(port)))
    head = f"GET {path} HTTP/1.1\r\nHost: {host}\r\nX-API-Key: {key}\r\nAccept: text/csv\r\n\r\n"
    reader.sendall(head.encode())
    return reader


def open_transactions(watcher: psycopg.Connection) -> int:
    """Of other connections to this database."""
    row = watcher.execute(
        "select count(*) from pg_stat_activity where datname = current_database()"
        " and pid <> pg_backend_pid() and state like 'idle in transaction%'"
    ).fetchone()
    return 0 if row is None else int(row[0])
