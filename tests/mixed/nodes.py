"""Nodes that work by rule: they claim, read or judge as the reference node does, and hand in."""

import threading
from typing import Any, Final
from uuid import uuid4

from citegrid.node.reading.judgement import candidate_of, judged
from citegrid.node.reading.page import task_of
from citegrid.node.tasks import extracted

from tests.mixed.calling import Caller, GaveUp
from tests.mixed.clients import Clients

EXTRACTION: Final = "nodes.extraction"
VALIDATION: Final = "nodes.validation"
_CAPACITY: Final = 8
_PAUSE_SECONDS: Final = 0.5


class ScriptedNode:
    """Works in a thread of its own from `start` until `stop`."""

    def __init__(self, clients: Clients, id: str, token: str, kind: str) -> None:
        self._id, self._kind = id, kind
        self._caller: Caller = clients.caller(token)
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._work, name=f"node {kind}", daemon=True)
        self.handed_in = 0

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        self._stopping.set()
        self._thread.join()
        self._caller.close()

    def _work(self) -> None:
        while not self._stopping.is_set():
            try:
                self._turn()
            except GaveUp:
                return
            self._stopping.wait(_PAUSE_SECONDS)

    def _turn(self) -> None:
        """Claim, and do what was given, until there is nothing more."""
        while not self._stopping.is_set():
            wanted = {"key": str(uuid4()), "kinds": [self._kind], "most": _CAPACITY}
            claimed = self._caller.post(f"/v1/nodes/{self._id}/work/claim", wanted)
            if claimed.status != 200:
                return
            for item in claimed.body["work"]:
                done = {"fence": item["fence"], "output": output_of(item)}
                answer = self._caller.post(f"/v1/work/{item['id']}/result", done)
                self.handed_in += answer.status == 200  # else its lease is over: somebody does it


def output_of(item: dict[str, Any]) -> dict[str, Any]:
    if item["kind"] == EXTRACTION:
        return extracted(task_of(item["input"]))
    return judged(candidate_of(item["input"]))
