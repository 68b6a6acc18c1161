"""The OpenAPI document of the application; nothing connects, only its shape is looked at."""

from functools import cache
from typing import Any

from app.core.config.settings import Settings
from app.web.interface import docs
from app.wsgi import create_app


@cache
def document() -> dict[str, Any]:
    """For reading: all tests of a process share it."""
    unused = Settings(database_url="unused", redis_url="redis://unused", secret_key="x" * 32)
    return docs.interface(create_app(unused)).document
