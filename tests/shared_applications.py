"""An application and a database for all tests of a module."""

import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
import redis
from flask import Flask

from app.core.config.settings import Settings
from app.local.embedded.redis import Redis
from tests import quick_applications, servers
from tests.databases import Databases

LEAST_WINDOW = "app.domains.queue.jobs.admission.backlogs.LEAST_WINDOW_SECONDS"


@contextmanager
def made(
    databases: Databases,
    redis_server: Redis,
    make: Callable[[Settings], Flask] = quick_applications.made,
    **given: Any,
) -> Iterator[Flask]:
    """Its settings are `app.extensions["settings"]`; `given` are those that the tests need, `make`
    is another way for tests that add routes."""
    with redis.Redis.from_url(redis_server.url()) as client:
        client.flushall()
    with databases.lend() as url, pytest.MonkeyPatch.context() as patch:
        # Nobody works here: a queue that has not drained for half a minute would refuse more.
        patch.setattr(LEAST_WINDOW, math.inf)
        settings = Settings(
            database_url=url,
            redis_url=servers.patient_url(redis_server.url()),
            secret_key="x" * 32,
            embeddings_packaged=False,
            **given,
        )
        app = make(settings)
        yield app
        app.extensions["request_recorder"].write()  # a moment later it would find no database
