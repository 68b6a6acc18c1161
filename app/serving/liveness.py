"""Asks this machine's web processes, where they listen, whether they answer."""

import socket
from collections.abc import Iterable, Sequence
from typing import Any, Final

from prometheus_client import Metric
from prometheus_client.core import GaugeMetricFamily

SECONDS: Final = 5.0
_REQUEST: Final = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
_WELL: Final = b"HTTP/1.1 200 "


def metrics(server: str, listeners: Sequence[Any]) -> Iterable[Metric]:
    """`server` is the name of a gunicorn (`proc_name`), `listeners` are its own."""
    gauge = GaugeMetricFamily(
        "citegrid_web_answers", "Whether a web process answers where it listens.", labels=["server"]
    )
    gauge.add_metric([server], any(_answers(listener) for listener in listeners))
    yield gauge


def _answers(listener: Any) -> bool:
    try:
        with socket.socket(listener.family) as connection:
            connection.settimeout(SECONDS)
            connection.connect(listener.getsockname())
            connection.sendall(_REQUEST)
            with connection.makefile("rb") as answer:
                return answer.read(len(_WELL)) == _WELL
    except OSError:
        return False
