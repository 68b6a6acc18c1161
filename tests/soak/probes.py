"""One user who does each operation now and then, and how long it takes."""

import threading
import time
from collections import defaultdict
from collections.abc import Callable
from typing import Final

from tests.mixed.calling import Caller
from tests.mixed.clients import Clients
from tests.mixed.world import LIGHTHOUSES, SCHEMA, World

_PAUSE_SECONDS: Final = 0.5
_EXTRACT_EVERY: Final = 8


class Probes(threading.Thread):
    """Operates until `stop`. `seconds` are times of operations as `(when, how long)`."""

    def __init__(self, base_url: str, account_key: str, world: World) -> None:
        super().__init__(name="probes", daemon=True)
        self._clients = Clients(base_url, account_key, 11)
        self._caller: Caller = self._clients.caller(account_key)
        self._world, self._stopping = world, threading.Event()
        self._began = time.monotonic()
        self.seconds: dict[str, list[tuple[float, float]]] = defaultdict(list)
        self.errors: list[str] = []

    @property
    def repeated(self) -> int:
        return sum(self._clients.refusals.counts.values())

    def run(self) -> None:
        turn = 0
        while not self._stopping.wait(_PAUSE_SECONDS):
            try:
                self._search(turn)
                if turn % _EXTRACT_EVERY == 0:
                    self._extract(turn)
            except Exception as error:  # noqa: BLE001 (is a row of the report)
                self.errors.append(f"{type(error).__name__}: {error}"[:300])
            turn += 1

    def stop(self) -> None:
        self._stopping.set()
        self.join()
        self._caller.close()

    def _search(self, turn: int) -> None:
        began = time.monotonic()
        body = {"query": LIGHTHOUSES[turn % len(LIGHTHOUSES)].question}
        path = "/external/v1/search"
        made = self._timed("submit a search", lambda: self._caller.post(path, body).body)
        self._awaited(f"{path}/{made['id']}", "completed")
        self._note("search until answered", began)
        self._timed("read a search", lambda: self._caller.get(f"{path}/{made['id']}").body)
        self._timed("list searches", lambda: self._caller.get(f"{path}?limit=50").body)

    def _extract(self, turn: int) -> None:
        began = time.monotonic()
        page = LIGHTHOUSES[turn % len(LIGHTHOUSES)]
        source = {"type": "url", "url": self._world.site.url + page.path}
        body = {"type": "extraction", "source": source, "schema": SCHEMA}
        path = "/v1/extract/jobs"
        made = self._caller.post(path, body).body
        self._awaited(f"{path}/{made['id']}", "completed")
        self._note("extraction until done", began)

    def _awaited(self, path: str, status: str) -> None:
        while True:
            seen = self._caller.get(f"{path}?wait=20").body["status"]
            if seen == status:
                return
            if seen in ("failed", "cancelled"):
                self.errors.append(f"{path} {seen}")
                return

    def _timed(self, name: str, act: Callable[[], dict[str, str]]) -> dict[str, str]:
        began = time.monotonic()
        result = act()
        self._note(name, began)
        return result

    def _note(self, name: str, began: float) -> None:
        self.seconds[name].append((began - self._began, time.monotonic() - began))
