"""The official JavaScript client, at work in one process, and the server of the tests of chats."""

import json
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.chatting import MODEL
from tests.deployed import ROOT
from tests.integration.chats.conftest import HELLO, Stage
from tests.integration.chats.conftest import answering as answering
from tests.integration.chats.conftest import served as served
from tests.integration.chats.conftest import stage as stage

SCRIPT = Path(__file__).with_name("converse.mjs")
INSTALLED = ROOT / ".node" / "chats"


class JavaScriptClient:
    """As an application would use it: it repeats what failed, unless it is told not to."""

    def __init__(self, process: "subprocess.Popen[str]") -> None:
        self._process = process

    def ask(self, stage: Stage, *, retries: int = 2, **changes: Any) -> dict[str, Any]:
        """What came of a chat: `answer` or `events`, the `error` if one ended it, `attempts`.

        It selects the node's offer. With `leave_after` it leaves after so many events; `options`
        are those of a single request.
        """
        selection = changes.pop("selection", stage.node.selection)
        chat = {"events": changes.pop("leave_after", None), "options": changes.pop("options", {})}
        body = {"model": MODEL, "messages": HELLO, **changes}
        if selection is not None:
            body["provider_selection"] = selection
        return self._outcome(stage, maxRetries=retries, body=body, **chat)

    def models(self, stage: Stage) -> list[dict[str, Any]]:
        models: list[dict[str, Any]] = self._outcome(stage, models=True)["models"]
        return models

    def _outcome(self, stage: Stage, **chat: Any) -> dict[str, Any]:
        line = json.dumps({"baseURL": f"{stage.base}/v1", "apiKey": stage.key, **chat})
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(line + "\n")
        self._process.stdin.flush()
        outcome: dict[str, Any] = json.loads(self._process.stdout.readline())
        return outcome


@pytest.fixture(scope="session")
def javascript() -> Iterator[JavaScriptClient]:
    if shutil.which("node") is None:
        pytest.skip("Node is not installed")
    if not (INSTALLED / "node_modules" / "openai").is_dir():
        pytest.skip("the client is not installed: make interop")
    script = shutil.copy(SCRIPT, INSTALLED)  # Node looks for packages beside it
    with subprocess.Popen(
        ["node", script], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        yield JavaScriptClient(process)
