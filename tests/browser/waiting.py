"""Waiting for what a page does: its policy forbids the evaluation that Playwright waits with."""

import time
from collections.abc import Callable
from typing import Any

from tests.patience import PATIENCE_SECONDS


def until(page: Any, condition: Callable[[], object]) -> None:
    """Until it is so, while the page goes on."""
    limit = time.monotonic() + PATIENCE_SECONDS
    while not condition():
        assert time.monotonic() < limit, "it does not come true"
        page.wait_for_timeout(20)
