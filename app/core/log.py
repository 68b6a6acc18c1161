"""Logs: one JSON object a line, with the ids that follow the work and without secrets."""

import json
import logging
import re
import sys
from collections.abc import MutableMapping
from typing import Any, TextIO
from urllib.parse import urlsplit

import orjson
import structlog

# What must never be written: our own keys and tokens, Authorization values, and
# whatever is named like a secret, wherever it turns up (a URL, an exception's text, a repr).
_SECRETS = re.compile(
    r"(?P<kept>\bcg[aklnprst]_(?:live_)?)[0-9A-Za-z]{8,}"
    r"|(?P<scheme>(?i:\b(?:bearer|basic))\s+)[^\s\"',}]+"
    r"|(?P<named>(?i:(?:password|passwd|secret|token|api[_-]?key|pepper)[\"']?\s*[:=]\s*[\"']?))"
    r"[^\s\"',}&]+"
    r"|(?P<url>://[^\s/:@]*:)[^\s/@]+(?=@)"
)


_hidden: list[str] = []
"""Longest first: a secret may hold another."""


def hide(secret: str) -> None:
    """Never write this text, nor a part of it that tells as much.

    Of a URL that is its path as well, which libraries repeat without the host.
    """
    parts = urlsplit(secret)
    after_host = secret.partition("://")[2].partition("/")[2] if parts.scheme else ""
    texts = {text for text in (secret, after_host, secret.removeprefix("0x")) if text}
    _hidden[:] = sorted(texts.union(_hidden), key=len, reverse=True)


def redact(text: str) -> str:
    """`text` with every credential replaced; what stays shows which kind it was."""
    for secret in _hidden:
        text = text.replace(secret, "[redacted]")
    return _SECRETS.sub(lambda found: "".join(g or "" for g in found.groups()) + "[redacted]", text)


def configure(level: str = "INFO", stream: TextIO | None = None) -> None:
    """Send structlog's and the standard library's records the same way: JSON lines on stderr."""
    structlog.configure(
        processors=[
            structlog.contextvars.merge_contextvars,
            structlog.stdlib.filter_by_level,
            *_FACTS,
            _line,
        ],
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.stdlib.BoundLogger,
        cache_logger_on_first_use=True,
    )
    handler = logging.StreamHandler(stream or sys.stderr)
    handler.setFormatter(
        _Formatter(
            foreign_pre_chain=[
                structlog.contextvars.merge_contextvars,
                structlog.stdlib.ExtraAdder(),
                *_FACTS,
            ],
            processors=[structlog.stdlib.ProcessorFormatter.remove_processors_meta, _line],
        )
    )
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(level)
    logging.captureWarnings(True)
    # These speak about each connection or message at INFO.
    for noisy in ("celery", "kombu", "urllib3", "psycopg.pool", "trafilatura", "amqp"):
        logging.getLogger(noisy).setLevel(max(logging.WARNING, logging.getLevelName(level)))


def _redact_event(
    _logger: Any, _method: str, event: MutableMapping[str, Any]
) -> MutableMapping[str, Any]:
    for key, value in event.items():
        if isinstance(value, str):
            event[key] = redact(value)
        elif not isinstance(value, int | float | bool | None) and not key.startswith("_"):
            event[key] = redact(str(value))
    return event


class _Line(str):
    """A whole line of the log."""


def _line(_logger: Any, _method: str, event: MutableMapping[str, Any]) -> _Line:
    try:
        return _Line(orjson.dumps(event, default=str, option=orjson.OPT_NON_STR_KEYS).decode())
    except TypeError:  # a number beyond 64 bits, or a file's name that is no UTF-8
        return _Line(json.dumps(event, default=str))


class _Formatter(structlog.stdlib.ProcessorFormatter):
    """Our own events come as lines; making them from the record again would take twice as long."""

    def format(self, record: logging.LogRecord) -> str:
        return record.msg if isinstance(record.msg, _Line) else super().format(record)


_FACTS: list[Any] = [
    structlog.stdlib.add_log_level,
    structlog.stdlib.add_logger_name,
    structlog.processors.TimeStamper(fmt="iso", utc=True),
    structlog.processors.format_exc_info,
    _redact_event,
]


def get(name: str) -> structlog.stdlib.BoundLogger:
    """A logger; events are short words, facts are keyword arguments."""
    logger: structlog.stdlib.BoundLogger = structlog.stdlib.get_logger(name)
    return logger


bound = structlog.contextvars.bound_contextvars
bind = structlog.contextvars.bind_contextvars
clear = structlog.contextvars.clear_contextvars
