"""`citegrid node run` as its owner starts it, and the model server that it passes chats on to."""

import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from tests.patience import PATIENCE_SECONDS

MODEL = "example/model-7b"
USAGE = {"prompt_tokens": 12, "completion_tokens": 2, "total_tokens": 14}
DYING, ENDLESS = "die", "endless"  # prompts that end so have the model server do so


@dataclass
class Backend:
    """Its answers begin with `words`; what it was asked; whether somebody left it halfway."""

    words: tuple[str, ...] = ("so-it-is", "-opal-indeed")
    url: str = ""
    requests: list[dict[str, Any]] = field(default_factory=list)
    abandoned: threading.Event = field(default_factory=threading.Event)


@contextmanager
def backend() -> Iterator[Backend]:
    """An OpenAI-compatible server on this machine."""
    state = Backend()
    server = ThreadingHTTPServer(("127.0.0.1", 0), type("Handler", (_Handler,), {"state": state}))
    state.url = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    try:
        yield state
    finally:
        server.shutdown()
        server.server_close()
        thread.join(PATIENCE_SECONDS)


class _Handler(BaseHTTPRequestHandler):
    state: Backend

    def log_message(self, *_: Any) -> None:
        """Nothing."""

    def do_GET(self) -> None:
        self.send_response(200)
        self.end_headers()
        self.wfile.write(json.dumps({"data": [{"id": MODEL}]}).encode())

    def do_POST(self) -> None:
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.state.requests.append(request)
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.end_headers()
        prompt = request["messages"][-1]["content"]
        for word in self.state.words:
            self._chunk(word)
        if prompt.endswith(ENDLESS):
            self._talk_on()
        elif not prompt.endswith(DYING):
            self._chunk("", "stop", usage=USAGE)
            self.wfile.write(b"data: [DONE]\n\n")

    def _talk_on(self) -> None:
        try:
            while not self.state.abandoned.wait(0.02):
                self._chunk(" on")
        except OSError:
            self.state.abandoned.set()

    def _chunk(self, text: str, finish: str | None = None, **more: Any) -> None:
        choice = {"index": 0, "delta": {"content": text}, "finish_reason": finish}
        chunk = {"object": "chat.completion.chunk", "choices": [choice], **more}
        self.wfile.write(f"data: {json.dumps(chunk)}\n\n".encode())


@dataclass(frozen=True)
class RunningNode:
    home: Path

    @property
    def identity(self) -> dict[str, str]:
        """Its id and token, as it keeps them."""
        kept: dict[str, str] = json.loads((self.home / "citegrid/nodes/node.json").read_text())
        return kept

    @property
    def log(self) -> str:
        return (self.home / "node.log").read_text(encoding="utf-8")


@contextmanager
def running(home: Path, variables: Mapping[str, str], *options: str) -> Iterator[RunningNode]:
    """The program, with its files in `home`; told to leave at the end, as by Ctrl-C."""
    environment = {"PATH": os.environ["PATH"], "XDG_CONFIG_HOME": str(home), **variables}
    with (home / "node.log").open("wb") as log:
        process = subprocess.Popen(
            [sys.executable, "-m", "citegrid", "node", "run", *options],
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=subprocess.STDOUT,
        )
        try:
            yield RunningNode(home)
        finally:
            process.terminate()
            try:
                process.wait(PATIENCE_SECONDS)
            except subprocess.TimeoutExpired:
                process.kill()
                raise
