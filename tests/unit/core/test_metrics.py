"""METRICS_PORT: the metrics of a process that is not the API."""

import http.client
import io
import socket

from prometheus_client.core import GaugeMetricFamily

from app.core import metrics
from app.core.config.settings import Settings
from app.core.metrics import server
from tests.patience import PATIENCE_SECONDS
from tests.ports import free_port


def test_the_port_serves_what_was_counted_and_what_is_read_just_now() -> None:
    readings = iter([1.0, 2.0])
    port = free_port()
    metrics.claims.labels("test.metrics").inc()
    server.serve(
        _settings(port),
        "web",
        lambda: [GaugeMetricFamily("now", "now", next(readings))],
    )
    first, second = _scrape(port), _scrape(port)
    assert 'citegrid_job_claims_total{kind="test.metrics"} 1.0' in first
    assert ("now 1.0" in first, "now 2.0" in second) == (True, True)


def test_a_taken_port_is_logged_and_ends_no_process(log_lines: io.StringIO) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        server.serve(_settings(taken.getsockname()[1]), "web")
    assert "metrics not served" in log_lines.getvalue()


def _settings(port: int) -> Settings:
    return Settings(metrics_port=port, database_url="d", redis_url="r", secret_key="s" * 32)


def _scrape(port: int) -> str:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE_SECONDS)
    try:
        connection.request("GET", "/metrics")
        return connection.getresponse().read().decode()
    finally:
        connection.close()
