"""Waiting for what a page does: its policy forbids the evaluation that Playwright waits with.

A click returns when the next page begins: what is not waited for there, and what is looked at once,
needs `page.wait_for_load_state()`.
"""

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


def is_in_view(page: Any, hit: Any) -> bool:
    """True once the stored page has been scrolled to the place that is marked."""
    frame, mark = page.locator("iframe.stored").bounding_box(), hit.bounding_box()
    return bool(frame["y"] <= mark["y"] <= frame["y"] + frame["height"])
