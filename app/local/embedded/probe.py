"""Asks the service how it is, at an address that we or its operator gave it."""

import http.client
import json
from typing import Any
from urllib.parse import urlsplit

_TIMEOUT_SECONDS = 3.0


def readiness(url: str) -> dict[str, Any] | None:
    """The answer of `/readyz`, whatever its status; None when nothing of ours answers."""
    address = urlsplit(url)
    secure = address.scheme == "https"
    kind = http.client.HTTPSConnection if secure else http.client.HTTPConnection
    connection = kind(address.hostname or "", address.port, timeout=_TIMEOUT_SECONDS)
    try:
        connection.request("GET", f"{address.path.rstrip('/')}/readyz")
        report = json.loads(connection.getresponse().read())
    except (OSError, http.client.HTTPException, ValueError):
        return None
    finally:
        connection.close()
    return report if isinstance(report, dict) else None


def awaited(url: str) -> str:
    """Names what is missing until requests are served and jobs move; nothing once they do."""
    return missing(readiness(url))


def missing(report: dict[str, Any] | None) -> str:
    """The same of an answer of `/readyz`, or of none."""
    if report is None:
        return "the API"
    names = {"database": "the database", "redis": "Redis", "dispatchers": "the dispatcher"}
    return " and ".join(name for part, name in names.items() if report.get(part) != "ok")
