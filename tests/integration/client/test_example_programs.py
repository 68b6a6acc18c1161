"""The programs in `examples` that the documents cannot run: a model, and a sender of webhooks, are
doubles on this machine."""

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
import urllib3
from standardwebhooks import Webhook

from tests import servers
from tests.deployed import ROOT
from tests.integration.client.conftest import QUESTION, Server
from tests.patience import PATIENCE_SECONDS
from tests.ports import free_port
from tests.scripted_model import ScriptedModel, scripted_model

EXAMPLES = ROOT / "examples"
SECRET = "whsec_" + "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"


def calling(arguments: str) -> bytes:
    """A reply of a model that calls the tool."""
    function = {"name": "search", "arguments": arguments}
    message = {
        "role": "assistant",
        "content": None,
        "tool_calls": [{"id": "call_1", "type": "function", "function": function}],
    }
    return json.dumps({"choices": [{"index": 0, "message": message}]}).encode()


def told(asked: dict[str, Any]) -> Any:
    """What the tool returned last."""
    return json.loads(asked["messages"][-1]["content"])


Asking = Callable[[ScriptedModel], "subprocess.CompletedProcess[str]"]


@pytest.fixture
def ask(server: Server) -> Asking:
    """The agent as its reader starts it."""

    def run(model: ScriptedModel) -> "subprocess.CompletedProcess[str]":
        return subprocess.run(
            [sys.executable, "-W", "error", EXAMPLES / "agent.py", QUESTION],
            env={
                "PATH": os.environ["PATH"],
                "SERVICE_BASE_URL": server.url,
                "SERVICE_API_KEY": server.api_key,
                "OPENAI_BASE_URL": model.url,
                "OPENAI_API_KEY": "none",
                "MODEL": "double",
            },
            capture_output=True,
            text=True,
            timeout=PATIENCE_SECONDS,
        )

    return run


def test_the_agent_answers_with_what_its_search_found(ask: Asking) -> None:
    def answer(asked: dict[str, Any]) -> str:
        return str(told(asked)["quotes"])

    with scripted_model(calling(json.dumps({"query": QUESTION})), answer) as model:
        done = ask(model)
    assert "https://birds.example.org/owls" in done.stdout, done.stderr
    assert "four to seven eggs" in done.stdout


def test_the_agent_tells_a_model_that_calls_the_tool_wrongly(ask: Asking) -> None:
    with scripted_model(calling('{"question": 1}'), "sorry") as model:
        done = ask(model)
    assert done.stdout == "sorry\n", done.stderr
    assert told(model.asked[-1]) == {"error": "'query'"}


def test_the_agent_does_not_go_on_for_ever(ask: Asking) -> None:
    with scripted_model(calling("{}")) as model:
        done = ask(model)
    assert (done.returncode, done.stderr) == (1, "No answer after 5 turns.\n")


@dataclass
class Receiver:
    """The running receiver, in a folder of its own."""

    url: str
    printed: Path

    def send(self, id: str, signature: str | None = None) -> int:
        """The status of the answer to an event."""
        body, now = '{"type": "job.completed", "data": {"id": "job_1"}}', datetime.now(UTC)
        headers = {
            "webhook-id": id,
            "webhook-timestamp": str(int(now.timestamp())),
            "webhook-signature": signature or Webhook(SECRET).sign(id, now, body),
        }
        return urllib3.request("POST", self.url, body=body.encode(), headers=headers).status


@pytest.fixture
def receiver(tmp_path: Path) -> Iterator[Receiver]:
    port = free_port()
    printed = tmp_path / "received.txt"
    with printed.open("w") as out:
        process = subprocess.Popen(
            [sys.executable, "-W", "error", EXAMPLES / "receive_webhooks.py", str(port)],
            cwd=tmp_path,
            env={"PATH": os.environ["PATH"], "HOOK_SECRET": SECRET},
            stdout=out,
            stderr=subprocess.DEVNULL,
        )
    running = Receiver(f"http://127.0.0.1:{port}/hooks", printed)
    try:
        servers.until(lambda: answers(running))
        yield running
    finally:
        process.kill()
        process.wait()


def answers(receiver: Receiver) -> bool:
    try:
        return receiver.send("probe", "v1,none") == 400
    except urllib3.exceptions.HTTPError:
        return False


def test_the_receiver_handles_a_signed_event_once(receiver: Receiver) -> None:
    assert receiver.send("msg_1", "v1,bm9uZQ==") == 400
    assert receiver.printed.read_text() == ""
    assert [receiver.send("msg_1"), receiver.send("msg_1")] == [204, 204]
    assert receiver.printed.read_text() == "job.completed job_1\n"
