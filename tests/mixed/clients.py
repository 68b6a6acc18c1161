"""Several clients of one account at once."""

import queue
import threading
import uuid
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from random import Random
from typing import Any, Final, TypeVar

from tests.mixed.calling import Caller, Refusals

CLIENTS: Final = 4
Item = TypeVar("Item")
Result = TypeVar("Result")


class Clients:
    """What the kinds of load share: the account's connections and the random keys of requests."""

    def __init__(self, base_url: str, account_key: str, seed: int) -> None:
        self.base_url, self.refusals = base_url, Refusals()
        self.random = Random(seed)
        self._account_key = account_key
        self._idle: queue.LifoQueue[Caller] = queue.LifoQueue()

    def key(self) -> str:
        """An idempotency key that nobody used before."""
        return str(uuid.uuid4())

    def caller(self, secret: str) -> Caller:
        """A connection of somebody else, for example a node."""
        return Caller(self.base_url, secret, self.refusals)

    @contextmanager
    def one(self) -> Iterator[Caller]:
        try:
            caller = self._idle.get_nowait()
        except queue.Empty:
            caller = self.caller(self._account_key)
        try:
            yield caller
        finally:
            self._idle.put(caller)

    def each(self, act: Callable[[Caller, Item], Result], items: Iterable[Item]) -> list[Result]:
        """Do `act` with every item, several at once. The first failure is raised."""
        waiting, results, failures = list(items), list[Result](), list[BaseException]()
        lock = threading.Lock()

        def work() -> None:
            with self.one() as caller:
                while not failures:
                    with lock:
                        if not waiting:
                            return
                        item = waiting.pop()
                    try:
                        result = act(caller, item)
                    except BaseException as error:  # noqa: BLE001 (is raised below)
                        failures.append(error)
                        return
                    with lock:
                        results.append(result)

        threads = [threading.Thread(target=work) for _ in range(CLIENTS)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        if failures:
            raise failures[0]
        return results

    def rows(self, path: str, member: str) -> list[dict[str, Any]]:
        with self.one() as caller:
            return caller.every(path, member)

    def close(self) -> None:
        while not self._idle.empty():
            self._idle.get_nowait().close()
