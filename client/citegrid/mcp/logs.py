"""Logs of the tools' server: on stderr only, and never with a key in them."""

import logging
import re
import sys
from collections.abc import Iterable
from typing import Final

BEARER: Final = re.compile(r"(?i)(bearer\s+)[^\s'\",]+")
CHATTY: Final = ("httpx", "httpcore", "asyncio", "mcp", "sse_starlette")
"""These log URLs or whole messages, and so queries, below WARNING."""


def configure(level: str, secrets: Iterable[str | None]) -> None:
    """Log from `level` up; before the server is made, which leaves logging alone then."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(name)s: %(message)s"))
    handler.addFilter(Redaction(secrets))
    logging.basicConfig(level=level, handlers=[handler], force=True)
    for name in CHATTY:
        logging.getLogger(name).setLevel(max(logging.WARNING, logging.getLevelName(level)))


class Redaction(logging.Filter):
    """The last resort: whoever logs it, a secret is not written, not even in a traceback."""

    def __init__(self, secrets: Iterable[str | None]) -> None:
        super().__init__()
        self._secrets = [secret for secret in secrets if secret]

    def filter(self, record: logging.LogRecord) -> bool:
        record.msg, record.args = self._without(record.getMessage()), ()
        if record.exc_info:
            formatted = logging.Formatter().formatException(record.exc_info)
            record.exc_text, record.exc_info = self._without(formatted), None
        return True

    def _without(self, text: str) -> str:
        for secret in self._secrets:
            text = text.replace(secret, "***")
        return BEARER.sub(r"\1***", text)
