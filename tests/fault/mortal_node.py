"""The reference node in a process of its own, which kills itself at a step of its work."""

import os
import signal
from functools import partial
from multiprocessing import get_context
from typing import Final

import anyio
import httpx
from citegrid.node.identity import Identity
from citegrid.node.journal import Journal
from citegrid.node.runner import WorkOutcome
from citegrid.node.setup import Setup
from citegrid.node.startup import node_of
from citegrid.nouns.providers.work import WorkItem

from tests import node_work
from tests.patience import PATIENCE_SECONDS

STEPS: Final = (
    "before claim",
    "after claim",
    "before extend",
    "after extend",
    "before result",
    "after result",
)
"""Before its request is sent; after the server has answered it, which the node does not read."""
_FORKS: Final = get_context("forkserver")
_FORKS.set_forkserver_preload([__name__])


class _Mortal(httpx.AsyncHTTPTransport):
    def __init__(self, step: str) -> None:
        super().__init__()
        self._when, self._what = step.split()

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        meant = request.url.path.endswith(self._what)
        if meant and self._when == "before":
            os.kill(os.getpid(), signal.SIGKILL)
        answer = await super().handle_async_request(request)
        if meant:
            os.kill(os.getpid(), signal.SIGKILL)
        return answer


async def _repeat(step: str, item: WorkItem) -> WorkOutcome:
    if step.endswith("extend"):  # which happens beside the work
        await anyio.sleep_forever()
    return WorkOutcome({"given": dict(item.input)}, "repeated")


async def _work(identity: Identity, step: str) -> None:
    works = dict.fromkeys(node_work.KINDS, partial(_repeat, step))
    journal = Journal(live=False)
    async with node_of(identity, Setup(), journal, lambda *_: works, _Mortal(step)) as node:
        await node.run(anyio.Event())


def _live(identity: Identity, step: str) -> None:
    anyio.run(_work, identity, step)


def killed(identity: Identity, step: str) -> bool:
    """Let the node work until that step; whether it was killed there."""
    process = _FORKS.Process(target=_live, args=(identity, step), daemon=True)
    process.start()
    process.join(PATIENCE_SECONDS)
    died = process.exitcode == -signal.SIGKILL
    process.kill()
    return died
