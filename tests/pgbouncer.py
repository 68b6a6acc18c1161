"""A real PgBouncer in transaction mode before a Postgres of the tests, where it is installed."""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from urllib.parse import parse_qs, urlsplit

import psycopg
import pytest

from app.local.embedded.children import spawn
from app.local.embedded.system_user import unprivileged
from tests import servers
from tests.patience import PATIENCE_SECONDS
from tests.ports import free_port

SESSIONS = 3
"""Of Postgres, for whatever number of clients: fewer than those have, so that they share."""
CONFIGURATION = """
[databases]
{database} = host={folder} port={folder_port} dbname={database} user=postgres
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = {port}
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = {sessions}
max_client_conn = 200
ignore_startup_parameters = {ignored}
"""


@contextmanager
def pgbouncer(url: str, ignored: str = "") -> Iterator[str]:
    """The URL of the database of `url` through the pooler, which overlooks `ignored` parameters."""
    program = shutil.which("pgbouncer", path=f"{os.defpath}:/usr/sbin")
    if program is None:
        pytest.skip("pgbouncer is missing (apt-get install pgbouncer)")
    of_server = urlsplit(url)
    where = parse_qs(of_server.query)
    database = of_server.path.lstrip("/")
    port = free_port()
    with servers.folder() as home:
        file, log = home / "pgbouncer.ini", home / "pgbouncer.log"
        text = CONFIGURATION.format(
            database=database, folder=where["host"][0], folder_port=where["port"][0], port=port,
            sessions=SESSIONS, ignored=ignored,
        )  # fmt: skip
        file.write_text(text)
        file.chmod(0o644)
        process = spawn([program, file], log=log, account=unprivileged())
        pooled = f"postgresql://anybody@127.0.0.1:{port}/{database}"
        try:
            servers.until(lambda: process.poll() is not None or _answers(pooled))
            assert process.poll() is None, log.read_text()
            yield pooled
        finally:
            process.terminate()
            process.wait(PATIENCE_SECONDS)


def _answers(url: str) -> bool:
    try:
        psycopg.connect(url).close()
    except psycopg.OperationalError:
        return False
    return True
