"""The load beside an upgrade ends before it is counted."""

import threading
from typing import cast

from tests import servers
from tests.mixed.load import MixedLoad
from tests.patience import PATIENCE_SECONDS
from tests.upgrade.loading import Going


class SlowToSubmit:
    """The service has accepted; the caller hears of it when `heard` is set."""

    def __init__(self) -> None:
        self.submitted = 0
        self.accepting, self.heard = threading.Event(), threading.Event()
        self.known = self.known_when_awaited = 0

    def submit(self, count: int) -> None:
        self.accepting.set()
        assert self.heard.wait(PATIENCE_SECONDS)
        self.known += count

    def unfinished(self) -> int:
        return 0

    def wait(self, seconds: float) -> None:
        """All that was accepted has ended already."""
        self.known_when_awaited = self.known


def test_what_is_being_submitted_is_awaited_before_anything_is_counted() -> None:
    load = SlowToSubmit()
    beside = Going(cast(MixedLoad, load))
    assert load.accepting.wait(PATIENCE_SECONDS)
    finishing = threading.Thread(target=beside.finish)
    finishing.start()
    servers.until(beside._stopping.is_set)
    load.heard.set()
    finishing.join()
    assert load.known_when_awaited > 0
