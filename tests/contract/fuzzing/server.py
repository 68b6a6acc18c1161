"""A whole service to be fuzzed, and schemathesis as a process of its own against it.

By hand, for minutes: `python -m tests.contract.fuzzing.server --max-time 300 -n 100`.
"""

import itertools
import json
import os
import re
import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from app.core import db, ids
from app.core.config.settings import Settings, environment
from app.core.ids import Noun
from app.domains.providers.chats import completion
from app.domains.queue.jobs import service as jobs
from app.domains.search.searches import service as searches
from tests import builders, chatting, servers
from tests.contract.fuzzing import things
from tests.deployed import Deployed, deployed

HERE = Path(__file__).parent
WAITING = "select id, kind from jobs where state = 'queued' order by id limit 20"
TURNS_UNHEARD = 50
NO_LIMIT = {
    "rate_limit_read": "1000000/second",
    "rate_limit_write": "1000000/second",
    "rate_limit_anonymous": "1000000/second",
    "queue_limit": 1_000_000,
    "account_queue_limit": 1_000_000,
    "search_deadline_seconds": 1_000_000.0,  # who works here is slow
    "chat_first_token_seconds": 3.0,
}


@contextmanager
def fuzzable(settings: Settings) -> Iterator[Deployed]:
    """Web processes without limits, over an index, with somebody who works on the searches."""
    builders.indexed_page(things.URL, things.PAGE)
    over = threading.Event()
    with deployed(settings, "web", **NO_LIMIT) as running:
        made = things.make(settings, running)
        node = chatting.provider(settings, f"http://{running.address}")
        worker = threading.Thread(target=_work, args=(settings, node, over))
        (running.home / "things").write_text(json.dumps(made), encoding="utf-8")
        worker.start()
        try:
            yield running
        finally:
            over.set()
            worker.join()


def _work(settings: Settings, node: chatting.Node, over: threading.Event) -> None:
    """Searches are done, chats answered; what would have to reach the web is cancelled."""
    for turn in itertools.count():
        if over.wait(0.2):
            return
        if turn % TURNS_UNHEARD == 0:
            node.heartbeat(serving=[chatting.MODEL])
        with db.reading() as reader:
            waiting = reader.execute(WAITING).fetchall()
        searching = [id for id, kind in waiting if kind == searches.KIND.name]
        builders.work(settings, *(ids.public(Noun.SEARCH, id) for id in searching))
        if any(kind == completion.WORK.name for _, kind in waiting):
            for chat in node.claim():
                chat.say("Hello", " world", usage=(9, 2))
        for id, kind in waiting:
            if kind not in (searches.KIND.name, completion.WORK.name):
                with db.transaction() as tx:
                    jobs.cancel(tx, id)


def schemathesis(running: Deployed, *options: str) -> subprocess.CompletedProcess[str]:
    """One run of all phases with all checks; its report is the standard output."""
    command = [
        *(sys.executable, "-m", "schemathesis.cli"),
        *("--config-file", str(HERE / "schemathesis.toml"), "run"),
        f"http://{running.address}/openapi.json",
        *("--no-color", "--continue-on-failure", *options),
    ]
    given = {
        **environment(),
        "SCHEMATHESIS_HOOKS": str(HERE / "hooks.py"),
        "FUZZ_THINGS": str(running.home / "things"),
    }
    return subprocess.run(
        command, env=given, cwd=running.home, capture_output=True, text=True, check=False
    )


def passed(running: Deployed, *options: str) -> int:
    """How many cases a run generated. AssertionError with its report unless all of them passed."""
    done = schemathesis(running, "--generation-deterministic", *options)
    assert done.returncode == 0, done.stdout[-8000:] + done.stderr[-2000:]
    cases = re.search(r"(\d+) generated, \1 passed", done.stdout)
    assert cases is not None, done.stdout[-2000:]
    return int(cases[1])


def main(options: Sequence[str]) -> int:
    """Fuzz as the options say, with servers of its own; print the report."""
    with (
        servers.postgres() as postgres,
        servers.redis() as redis,
        servers.database(postgres) as url,
    ):
        db.open(url, forgetful=2)
        settings = Settings(database_url=url, redis_url=redis.url(), secret_key="x" * 32)
        with fuzzable(settings) as running:
            done = schemathesis(running, *options)
            sys.stdout.write(done.stdout + done.stderr + _complaints(running))
        db.close()
    return done.returncode


def _complaints(running: Deployed) -> str:
    """What the web processes said that was not about a request."""
    lines = running.log("web").splitlines()
    return os.linesep.join(line for line in lines if '"event":"request"' not in line)[-20_000:]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
