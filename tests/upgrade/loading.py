"""A load that goes on beside what is tried, and accounts to tell loads apart."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from citegrid import Client, Credentials

from tests import servers
from tests.mixed.load import MixedLoad, closing
from tests.mixed.world import World

KINDS = ("search", "extraction", "webhook")
PASSWORD = "correct horse battery"
BATCH = 8
PAUSE_SECONDS = 1.0


def account(url: str, email: str) -> str:
    """Sign up over HTTP, which any release answers; the API key."""
    with Client(url, credentials=Credentials()) as client:
        client.accounts.create(email, PASSWORD)
        client.sign_in(email, PASSWORD)
        return client.api_keys.create("load", ["search", "jobs"]).secret


def search(url: str, key: str, query: str, *, idempotency_key: str) -> str:
    """The id of a search; the same for the same key."""
    with Client(url, api_key=key) as client:
        return client.searches.create(query, idempotency_key=idempotency_key).id


@dataclass
class Going:
    """A load in a thread of its own."""

    load: MixedLoad
    _stopping: threading.Event = field(default_factory=threading.Event)
    _failures: list[BaseException] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._thread = threading.Thread(target=self._run)
        self._thread.start()

    def _run(self) -> None:
        try:
            while not self._stopping.is_set():
                self.load.submit(BATCH)
                # Less than a worker does: what is tried is an upgrade, not an overload.
                servers.until(self._may_go_on)
                self._stopping.wait(PAUSE_SECONDS)
        except BaseException as error:  # noqa: BLE001 (is raised by whoever asks)
            self._failures.append(error)

    def _may_go_on(self) -> bool:
        return self.load.unfinished() < BATCH or self._stopping.is_set()

    def further(self, jobs: int) -> None:
        """Return when so many more were accepted."""
        enough = self.load.submitted + jobs
        servers.until(lambda: self.load.submitted >= enough or self._failures)
        self._check()

    def finish(self) -> None:
        """Return when nothing more is submitted and all that was has ended: only then can a tally
        tell a second effect from a request that was still on its way."""
        self.stop()
        self.load.wait(600)
        self._check()

    def stop(self) -> None:
        self._stopping.set()
        self._thread.join()

    def _check(self) -> None:
        if self._failures:
            raise self._failures[0]


@contextmanager
def going(url: str, key: str, world: World) -> Iterator[Going]:
    """Callers who come by `url` and go on until the block ends; then all has been submitted."""
    with closing(MixedLoad(url, key, world=world, kinds=KINDS)) as load:
        beside = Going(load)
        try:
            yield beside
        finally:
            beside.stop()
