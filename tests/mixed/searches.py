"""Searches over the indexed lighthouses: each has one page that answers it."""

from typing import Any, Final

from tests.mixed.calling import Caller
from tests.mixed.clients import Clients
from tests.mixed.tally import Tally
from tests.mixed.world import LIGHTHOUSES, Lighthouse, World

_PATH: Final = "/external/v1/search"


class Searches:
    kind = "search"
    jobs_each = 1

    def __init__(self, clients: Clients, world: World) -> None:
        self._clients, self._world = clients, world
        self._accepted: dict[str, Lighthouse] = {}
        self._strangers = {row["id"] for row in clients.rows(_PATH, "searches")}

    def submit(self, count: int) -> None:
        chosen = [self._clients.random.choice(LIGHTHOUSES) for _ in range(count)]
        self._accepted.update(self._clients.each(self._submit, chosen))

    def _submit(self, caller: Caller, asked: Lighthouse) -> tuple[str, Lighthouse]:
        answer = caller.post(_PATH, {"query": asked.question}, key=self._clients.key())
        assert answer.status == 202, answer
        return answer.body["id"], asked

    def unfinished(self) -> int:
        with self._clients.one() as caller:
            return sum(
                len(caller.get(f"{_PATH}?status={status}&limit=1").body["searches"])
                for status in ("pending", "running")
            )

    def tally(self, tally: Tally) -> None:
        tally.count(self.kind, len(self._accepted))
        rows = {row["id"]: row for row in self._clients.rows(_PATH, "searches")}
        for id in rows.keys() - self._accepted.keys() - self._strangers:
            tally.add("doubled", f"search {id} was requested once")
        for id in self._accepted.keys() - rows.keys():
            tally.add("lost", id)
        kept = [rows[id] for id in self._accepted.keys() & rows.keys()]
        tally.restarts += sum(max(0, row["attempts"] - 1) for row in kept)
        good = [row["id"] for row in kept if tally.ended(row)]
        for id, problem in self._clients.each(self._check, good):
            if problem:
                tally.add("wrong", f"{id}: {problem}")

    def _check(self, caller: Caller, id: str) -> tuple[str, str]:
        answer = caller.get(f"{_PATH}/{id}")
        return id, _problem(answer.body, self._accepted[id], self._world)


def _problem(search: Any, asked: Lighthouse, world: World) -> str:
    """What is wrong with the result of a search; empty if nothing is."""
    result = search.get("result") or {}
    sources = result.get("sources", [])
    if not sources or sources[0]["url"] != world.site.url + asked.path:
        return f"not {asked.path} first, but {[source['url'] for source in sources[:3]]}"
    if str(asked.built) not in result["answer"]:
        return f"no {asked.built} in {result['answer']!r}"
    return "" if result["citations"] else "no citation"
