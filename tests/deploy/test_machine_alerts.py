"""Alerts on what Citegrid stands on, caused for real: a full disk, a replica that stops, a
certificate that ends.

node_exporter is the real one; what the exporters of Postgres and of certificates would say is
looked up here for each scrape, of a real replica and a real server.
"""

import os
import ssl
import subprocess
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from cryptography import x509

from tests import servers
from tests.deploy.programs import validator
from tests.deploy.prometheus import prometheus
from tests.patience import PATIENCE_SECONDS
from tests.ports import free_port
from tests.scale.postgres_servers import Server, follow
from tests.unit.engine.fetch.certificates import certificate_for

pytestmark = [pytest.mark.deploy, pytest.mark.runs, pytest.mark.timeout(3600)]

# As postgres_exporter asks a replica.
LAG = """
    select case when pg_last_wal_receive_lsn() = pg_last_wal_replay_lsn() then 0
           else greatest(0, extract(epoch from now() - pg_last_xact_replay_timestamp())) end
    """


@contextmanager
def exported(figures: Mapping[str, Callable[[], float]]) -> Iterator[dict[str, Any]]:
    """A job of Prometheus whose target says these metrics."""

    class Exporter(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            body = "".join(f"{name} {figure():f}\n" for name, figure in figures.items()).encode()
            self.send_response(200)
            self.send_header("Content-Type", "text/plain")
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:
            """Says nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Exporter) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield job(server.server_port)
        server.shutdown()


def job(port: int) -> dict[str, Any]:
    return {"job_name": "exporter", "static_configs": [{"targets": [f"127.0.0.1:{port}"]}]}


@contextmanager
def tls_server(context: ssl.SSLContext) -> Iterator[tuple[str, int]]:
    with ThreadingHTTPServer(("127.0.0.1", 0), BaseHTTPRequestHandler) as server:
        server.socket = context.wrap_socket(server.socket, server_side=True)
        Thread(target=server.serve_forever, daemon=True).start()
        yield "127.0.0.1", server.server_port
        server.shutdown()


def test_a_certificate_that_ends_tomorrow(tmp_path: Path) -> None:
    certificate = certificate_for("search.example.org", tmp_path)
    with tls_server(certificate.server) as address:

        def ends_at() -> float:
            pem = ssl.get_server_certificate(address, timeout=PATIENCE_SECONDS)
            return x509.load_pem_x509_certificate(pem.encode()).not_valid_after_utc.timestamp()

        with (
            exported({"probe_ssl_earliest_cert_expiry": ends_at}) as probe,
            prometheus(tmp_path, [probe], 1) as watching,
        ):
            watching.await_alert("CitegridCertificateEnds")


def test_a_replica_that_stops_replaying(tmp_path: Path) -> None:
    with servers.folder() as home:
        primary, replica = Server(home, "primary"), Server(home, "replica")
        primary.create()
        primary.start()
        try:
            follow(replica, primary, synchronous=False)
            primary.execute("create table kept (n int)")
            with (
                exported(
                    {"pg_replication_lag_seconds": lambda: float(replica.execute(LAG)[0][0])}
                ) as probe,
                prometheus(tmp_path, [probe], 1) as watching,
            ):
                servers.until(watching.targets)
                assert "CitegridReplicaBehind" not in watching.firing()
                replica.execute("select pg_wal_replay_pause()")
                primary.execute("insert into kept values (1)")
                watching.await_alert("CitegridReplicaBehind")
                replica.execute("select pg_wal_replay_resume()")
                watching.await_end("CitegridReplicaBehind")
        finally:
            replica.kill()
            primary.kill()


@contextmanager
def disk(folder: Path) -> Iterator[Path]:
    """A file system of eight megabytes; skips where none can be mounted."""
    image, mounted = folder / "disk.img", folder / "disk"
    mounted.mkdir()
    with image.open("wb") as file:
        file.truncate(8 << 20)
    subprocess.run(["mkfs.ext4", "-q", image], check=True)
    done = subprocess.run(
        ["mount", "-o", "loop", image, mounted], capture_output=True, text=True, check=False
    )
    if done.returncode:
        pytest.skip(f"no file system can be mounted: {done.stderr.strip()}")
    try:
        yield mounted
    finally:
        subprocess.run(["umount", mounted], check=True)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may mount a file system")
def test_a_disk_that_is_full(tmp_path: Path) -> None:
    program = validator("prometheus-node-exporter", "prometheus-node-exporter")
    validator("mkfs.ext4", "e2fsprogs")
    port = free_port()
    command = [
        program,
        "--collector.disable-defaults",
        "--collector.filesystem",
        f"--web.listen-address=127.0.0.1:{port}",
    ]
    with (
        servers.folder() as home,
        disk(home) as mounted,
        subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as exporter,
        prometheus(tmp_path, [job(port)], 1) as watching,
    ):
        try:
            measured = f'node_filesystem_avail_bytes{{mountpoint="{mounted}"}}'
            servers.until(lambda: watching.value(measured) > 0)
            assert str(mounted) not in {each.get("mountpoint") for each in watching.alerts()}
            (mounted / "full").write_bytes(bytes(int(watching.value(measured))))
            watching.await_alert("CitegridDiskFills", mountpoint=str(mounted))
        finally:
            exporter.terminate()
