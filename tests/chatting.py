"""A served application, a provider whose node does as a test says, an account that chats."""

import threading
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Final
from uuid import UUID

import urllib3
from flask import Flask
from werkzeug.serving import WSGIRequestHandler, make_server

from app.core import db, ids
from app.core.config.settings import Settings
from app.core.db import Tx
from app.core.ids import Noun
from app.domains.account.accounts.sign_in.credentials import Pepper
from app.domains.providers.chats.relay.relay import RelayTimeouts
from app.domains.providers.nodes import service as nodes
from app.domains.providers.providers import service as providers
from tests import builders
from tests.patience import PATIENCE_SECONDS

MODEL = "example/model-7b"
PATIENT: Final = RelayTimeouts(*[PATIENCE_SECONDS] * 4)
"""For chats whose nodes do all they should, however busy the machine is."""


class _Quiet(WSGIRequestHandler):
    protocol_version = "HTTP/1.1"

    def log(self, *_: Any) -> None:
        """Nothing."""


@contextmanager
def serving(app: Flask) -> Iterator[str]:
    """The address of the application on this machine, a thread a request."""
    server = make_server("127.0.0.1", 0, app, threaded=True, request_handler=_Quiet)
    server.daemon_threads = True  # type: ignore[attr-defined]
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join(PATIENCE_SECONDS)


def text(words: str, finish: str | None = None, **more: Any) -> dict[str, Any]:
    """A chunk as engines send it."""
    choice = {"index": 0, "delta": {"content": words}, "finish_reason": finish}
    return {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "m",
            "choices": [choice], **more}  # fmt: skip


@dataclass
class Work:
    """What a node has claimed."""

    node: "Node"
    id: str
    fence: int
    input: dict[str, Any]
    seq: int = 0
    answers: list[tuple[int, Any]] = field(default_factory=list)

    @property
    def messages(self) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = self.input["request"]["messages"]
        return found

    def push(self, *data: Any, done: bool = False, **more: Any) -> tuple[int, Any]:
        """The next batch; status and body of the answer."""
        seq = more.pop("seq", self.seq)
        self.seq = seq + 1
        body = {"fence": self.fence, "seq": seq, "data": list(data), "done": done, **more}
        answer = self.node.call("POST", f"/v1/work/{self.id}/chunks", body)
        self.answers.append(answer)
        return answer

    def say(self, *words: str, usage: tuple[int, int] | None = None) -> None:
        """An orderly answer, a batch for each word."""
        for word in words[:-1]:
            self.push(text(word))
        counted = {"prompt_tokens": usage[0], "completion_tokens": usage[1]} if usage else None
        more = {"usage": counted} if counted else {}
        self.push(text(words[-1], "stop"), done=True, **more)

    def fail(self, code: str, *data: Any) -> None:
        self.push(*data, done=True, error={"code": code, "message": "no"})


Script = Callable[[Work], None]


class Node:
    """Claims chats and does with each what `script` says."""

    def __init__(self, id: UUID, token: str, offers: dict[str, UUID], base: str) -> None:
        self.id, self.token, self.offers, self._base = id, token, offers, base
        self._headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
        self._pool = urllib3.PoolManager(maxsize=16)
        self._ended = threading.Event()
        self._threads: list[threading.Thread] = []
        self.script: Script = lambda work: work.say("Hello", " world", usage=(9, 2))
        self.taken: list[Work] = []
        self.revision = 1

    @property
    def offer_id(self) -> str:
        return str(self.offers[MODEL])

    @property
    def selection(self) -> dict[str, Any]:
        return {"offer_id": self.offer_id, "pricing_revision": self.revision}

    def call(self, method: str, path: str, body: Any = None) -> tuple[int, Any]:
        answer = self._pool.request(
            method,
            self._base + path,
            json=body,
            headers=self._headers,
            retries=False,
            timeout=PATIENCE_SECONDS,
        )
        return answer.status, answer.json() if answer.data else None

    def heartbeat(self, in_flight: int = 0, **more: Any) -> None:
        path = f"/v1/nodes/{ids.public(Noun.NODE, self.id)}/heartbeat"
        status, body = self.call("POST", path, {"in_flight": in_flight, **more})
        assert status == 200, body

    def claim(self, wait: float = 0) -> list[Work]:
        path = f"/v1/nodes/{ids.public(Noun.NODE, self.id)}/work/claim?wait={wait:g}"
        body = {"key": uuid.uuid4().hex, "kinds": ["chats.completion"], "most": 8}
        status, answer = self.call("POST", path, body)
        assert status in (200, 204), answer
        claimed = answer["work"] if answer else []
        return [Work(self, each["id"], each["fence"], each["input"]) for each in claimed]

    def start(self) -> None:
        thread = threading.Thread(target=self._run, daemon=True)
        thread.start()
        self._threads.append(thread)

    def _run(self) -> None:
        while not self._ended.is_set():
            try:
                claimed = self.claim(wait=0.25)
            except (AssertionError, urllib3.exceptions.HTTPError):  # a server may be down
                self._ended.wait(0.2)
                continue
            if not claimed:  # one that rests is answered at once
                self._ended.wait(0.02)
            for work in claimed:
                thread = threading.Thread(target=self._do, args=(work,), daemon=True)
                thread.start()
                self._threads.append(thread)

    def _do(self, work: Work) -> None:
        self.taken.append(work)  # first: the client may have its answer before the script ends
        self.script(work)

    def stop(self) -> None:
        self._ended.set()
        for thread in self._threads:
            thread.join(PATIENCE_SECONDS)


def provider(
    settings: Settings,
    base: str,
    *,
    rates: tuple[str, str] = ("1", "2"),
    models: tuple[str, ...] = (MODEL,),
    capacity: int = 8,
    auto_eligible: bool = True,
) -> Node:
    """An account with a published profile, and a node of it that serves published offers."""
    with db.transaction() as tx:
        account_id = builders.account(tx, f"{uuid.uuid4().hex}@example.org")
        _publish_profile(tx, account_id)
        made = nodes.create(
            tx,
            account_id,
            "cellar",
            _capabilities(rates, models, capacity, auto_eligible),
            admitted=True,
            pepper=Pepper.of(settings),
        )
        offers = {}
        for offer in providers.own_offers(tx, account_id, None).offers:
            offers[offer.model] = UUID(offer.id)
            providers.change_offer(tx, account_id, UUID(offer.id), "cellar", True)
    node = Node(made.node.id, made.token, offers, base)
    node.heartbeat(serving=list(models))
    return node


def _capabilities(
    rates: tuple[str, str], models: tuple[str, ...], capacity: int, auto_eligible: bool
) -> dict[str, Any]:
    served = [
        {
            "model": model,
            "revision": "r1",
            "rates": {"input": rates[0], "output": rates[1]},
            "max_context": 8192,
            "auto_eligible": auto_eligible,
        }
        for model in models
    ]
    return {
        "work": ["chat"],
        "models": served,
        "capacity": capacity,
        "languages": [],
        "max_bytes": 1 << 20,
    }


def _publish_profile(tx: Tx, account_id: UUID) -> None:
    fields = {
        "display_name": "Ada",
        "handle": f"ada-{account_id.hex[-12:]}",
        "description": "",
        "website": None,
        "published": True,
    }
    providers.save_profile(tx, account_id, providers.draft(fields))


def consumer(settings: Settings, credit: str = "10") -> tuple[UUID, str]:
    """An account with credit, and its API key."""
    with db.transaction() as tx:
        account_id = builders.account(tx, f"{uuid.uuid4().hex}@example.org")
        if credit != "0":
            builders.credit(tx, account_id, credit)
        return account_id, builders.api_key(tx, settings, account_id, ("chat",))
