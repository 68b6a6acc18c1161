"""Several mixed loads may run at once over the same local pages."""

from types import SimpleNamespace
from typing import Any

from tests.mixed.monitors import Monitors
from tests.mixed.world import World


class Clients:
    """Whose requests are all accepted; it keeps the addresses that monitors watch."""

    def __init__(self) -> None:
        self.watched: list[str] = []

    def each(self, act: Any, items: Any) -> list[Any]:
        return [act(self, item) for item in items]

    def key(self) -> str:
        return ""

    def post(self, path: str, body: Any, key: str) -> Any:
        self.watched.append(body["source"]["url"])
        return SimpleNamespace(status=202, body={"id": "job"})


def test_no_load_changes_the_page_that_a_monitor_of_another_watches() -> None:
    world: Any = World(SimpleNamespace(url="", pages={}), None)  # type: ignore[arg-type]
    clients = [Clients(), Clients()]
    for each in clients:
        Monitors(each, world).submit(2)  # type: ignore[arg-type]
    assert len({url for each in clients for url in each.watched}) == 4
