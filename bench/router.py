"""What a chat through this server adds to the time to its first token.

Beside it in the same run, in turns: the backend asked directly, and LiteLLM's proxy before the same
backend, where it is installed. Ours has a quote, a hold, a settlement and a node between; LiteLLM's
proxy runs without a database. `make bench-router` installs it into an environment of its own.
"""

import json
import socket
import time
from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path
from statistics import median
from typing import Final

from app.core import db, ids
from app.core.config.settings import Settings
from app.core.ids import Noun
from bench import figures
from bench.chat.clients import Times, chats
from bench.figures import Aim
from bench.machine import BIN, Machine, machine
from tests import chatting

LITELLM: Final = Path(BIN).parents[1] / ".litellm" / "bin" / "litellm"
SECRET: Final = "x" * 32
MODEL: Final = "m"
CLIENTS: Final = (1, 10)
STILL_HELD: Final = "select coalesce(sum(balance), 0) from ledger_accounts where kind = 'held'"
ENDED: Final = "select ended, count(*) from chats group by ended"


def main() -> None:
    options = figures.arguments(__doc__, rounds=4)
    rounds, each = (1, 10) if options.quick else (options.rounds, 40)
    with machine(options.folder) as running:
        contenders = _start(running)
        measured = _measure(contenders, rounds, each)
        _report(measured, rounds)
        with db.reading() as reader:
            print("chats:", reader.execute(ENDED).fetchall())
            print("held: ", db.value(reader, STILL_HELD))
        db.close()


Contenders = dict[str, tuple[str, Mapping[str, str]]]
"""Address and headers of each."""


def _start(running: Machine) -> Contenders:
    backend, ours = _free_port(), _free_port()
    running.start(BIN / "uvicorn", "bench.chat.backend:app", "--port", str(backend),
                  "--lifespan", "off", "--log-level", "error")  # fmt: skip
    contenders: Contenders = {
        "backend": (f"http://127.0.0.1:{backend}", {}),
        "citegrid": (f"http://127.0.0.1:{ours}", _serve(running, ours, backend)),
    }
    if LITELLM.exists():
        port = _free_port()
        _litellm(running, port, backend)
        contenders["litellm"] = (f"http://127.0.0.1:{port}", {})
    else:
        print("LiteLLM is not installed here: `make bench-router` installs it, where it can.")
    return contenders


def _free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


def _wait_for(running: Machine, port: int, seconds: float = 120.0) -> None:
    until = time.monotonic() + seconds
    while socket.socket().connect_ex(("127.0.0.1", port)):
        if time.monotonic() > until:
            raise running.complain(f"nothing listens on port {port}")
        time.sleep(0.2)


def _serve(running: Machine, port: int, backend: int) -> Mapping[str, str]:
    """The server with one provider and its node; the headers of a client with credit."""
    database = running.database("chats")
    environment = {
        "DATABASE_URL": database,
        "REDIS_URL": running.redis.url(),
        "SECRET_KEY": SECRET,
        "RATE_LIMIT_WRITE": "1000000/minute",
        "EMBEDDINGS_PACKAGED": "false",
    }
    bind = ["--bind", f"127.0.0.1:{port}", "--workers", "1"]
    running.start(BIN / "gunicorn", "-c", "deploy/gunicorn.conf.py", *bind, "app.wsgi:serve()",
                  **environment)  # fmt: skip
    _wait_for(running, port)
    settings = Settings(database_url=database, redis_url=running.redis.url(), secret_key=SECRET)
    db.open(database)
    base = f"http://127.0.0.1:{port}"
    node = chatting.provider(settings, base, rates=("0.5", "0.5"), models=(MODEL,), capacity=32)
    _, key = chatting.consumer(settings, credit="1000000")
    running.start(BIN / "python", "-m", "bench.chat.node", base, ids.public(Noun.NODE, node.id),
                  node.token, f"http://127.0.0.1:{backend}", **environment)  # fmt: skip
    return {"Authorization": f"Bearer {key}"}


def _litellm(running: Machine, port: int, backend: int) -> None:
    at = {"model": f"openai/{MODEL}", "api_key": "x", "api_base": f"http://127.0.0.1:{backend}/v1"}
    config = running.home / "litellm.yaml"
    model = {"model_name": MODEL, "litellm_params": at}
    config.write_text(json.dumps({"model_list": [model]}))
    quiet = {
        "LITELLM_LOCAL_MODEL_COST_MAP": "True",
        "LITELLM_DANGEROUSLY_PERMIT_WEAK_OR_UNSET_MASTER_KEY": "true",
    }
    running.start(LITELLM, "--config", config, "--port", str(port), **quiet)
    _wait_for(running, port)


Measured = dict[tuple[int, str], list[Times]]


def _measure(contenders: Contenders, rounds: int, each: int) -> Measured:
    measured: Measured = defaultdict(list)
    for clients in CLIENTS:
        for turn in range(-1, rounds):
            for name, (base, headers) in contenders.items():
                times = chats(base, headers, clients, max(2, each // clients))
                if turn >= 0:  # the one before was to warm up
                    measured[clients, name].append(times)
    return measured


def _report(measured: Measured, rounds: int) -> None:
    rows: list[tuple[str | float, ...]] = []
    for (clients, name), turns in measured.items():
        first = [one for times in turns for one in times.first]
        whole = [one for times in turns for one in times.whole]
        tail = figures.percentile(first, 0.95)
        rows.append((f"{name}, {clients} at once", median(first), tail, median(whole)))
    columns = ("ms", "first token p50", "p95", "whole p50")
    figures.table(columns, rows)
    ours, direct = (_first(measured, 1, name) for name in ("citegrid", "backend"))
    aims = [
        Aim(
            "ms added to the first token, 1 client",
            _added(measured, 1, "citegrid"),
            "<=",
            8,
            "the backend asked directly",
            ours,
            direct,
            "ms",
        )
    ]
    if (1, "litellm") in measured:
        ours, theirs = (_added(measured, 10, name) for name in ("citegrid", "litellm"))
        what = "ms added to the first token, 10 clients"
        aims.append(Aim(what, ours / theirs, "<=", 1, "LiteLLM's proxy", ours, theirs, "ms"))
    figures.conclude("router", aims, rounds=rounds)


def _first(measured: Measured, clients: int, name: str) -> float:
    """Milliseconds to the first token, the median of all rounds."""
    return median(one for times in measured[clients, name] for one in times.first)


def _added(measured: Measured, clients: int, name: str) -> float:
    """Of each round, the median beside that of the backend asked directly in it."""
    rounds = zip(measured[clients, name], measured[clients, "backend"], strict=True)
    return median(median(ours.first) - median(direct.first) for ours, direct in rounds)


if __name__ == "__main__":
    main()
