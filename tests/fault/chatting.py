"""Two servers as deployed, for chats: one holds the clients, the other answers the nodes."""

import contextlib
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from uuid import UUID

import openai
import psycopg
import urllib3

from app.core import db
from app.core.config.settings import Settings, environment
from app.core.db.migrate import migrate
from app.local.embedded.children import tail
from app.local.embedded.postgres import Postgres
from app.local.embedded.redis import Redis
from app.local.embedded.supervisor import Program
from tests import chatting, servers
from tests.chatting import Node, Work, text
from tests.patience import PATIENCE_SECONDS
from tests.ports import free_port

ROOT = Path(__file__).parents[2]
_OPEN = """
    select json_agg(open) from (
        select chats.id, jobs.state, attempt, lease_until, deadline_at, error, now()
        from chats join jobs using (id) where ended is null
    ) open
    """


@dataclass
class Stage:
    postgres: Postgres
    redis: Redis
    settings: Settings
    clients: Program
    nodes: Program
    dispatcher: Program
    base: str
    node: Node
    account_id: UUID
    key: str

    def client(self) -> openai.OpenAI:
        return openai.OpenAI(base_url=f"{self.base}/v1", api_key=self.key, max_retries=0)

    def stream(self, content: str = "hi") -> openai.Stream[openai.types.chat.ChatCompletionChunk]:
        """A chat that selects the node's offer."""
        return self.client().chat.completions.create(
            model=chatting.MODEL,
            messages=[{"role": "user", "content": content}],
            stream=True,
            extra_body={"provider_selection": self.node.selection},
        )

    def one(self, sql: str) -> object:
        with db.reading() as reader:
            return db.value(reader, sql)  # type: ignore[arg-type]

    def nothing_is_held(self) -> bool:
        """No chat is open, and no money is set aside."""
        held = "select coalesce(sum(balance), 0) from ledger_accounts where kind = 'held'"
        try:
            return self.one(held) == 0 == self.one("select count(*) from chats where ended is null")
        except psycopg.OperationalError:  # the database has only just come back
            return False

    def describe(self) -> str:
        """What a failure cannot be understood without: who runs, what is open, the ends of logs."""
        programs = (self.clients, self.nodes, self.dispatcher)
        lines = [f"{each.name} runs: {each.running}" for each in programs]
        lines += [f"{each.name}: {tail(each.log, 15)}" for each in programs]
        lines.append(f"postgres: {tail(self.clients.log.with_name('pg.log'), 15)}")
        with contextlib.suppress(psycopg.OperationalError):
            lines.append(str(self.one(_OPEN)))
        return "\n".join(lines)

    def flush(self) -> None:
        """What is committed is on disk: a claim, which waits for none, with it."""
        with db.transaction() as tx:
            tx.execute("update sweeps set swept_at = swept_at")

    def expire_leases(self) -> None:
        """As half a minute later."""
        with db.transaction() as tx:
            tx.execute(
                "update jobs set lease_until = now() - interval '1 ms' where lease_until > now()"
            )


class Talking:
    """A node's script that says a word, waits until it may go on, and tries again as nodes do."""

    def __init__(self) -> None:
        self.may_go_on = threading.Event()

    def __call__(self, work: Work) -> None:
        work.push(text("Hello"))
        self.may_go_on.wait(PATIENCE_SECONDS)
        rest = text(" world", "stop")
        usage = {"prompt_tokens": 9, "completion_tokens": 2}
        with contextlib.suppress(Exception):  # whatever is broken then
            servers.until(lambda: work.push(rest, seq=1, done=True, usage=usage)[0] != 503)


def talking(stage: Stage) -> Talking:
    stage.node.script = script = Talking()
    return script


@contextmanager
def stage() -> Iterator[Stage]:
    with (
        servers.folder() as home,
        Postgres(home / "pg", log=home / "pg.log", durable=False) as postgres,
        servers.redis() as redis,
    ):
        migrate(postgres.url())
        _keep_commits(postgres.url())
        variables = {
            **environment(),
            "DATABASE_URL": postgres.url(),
            "REDIS_URL": redis.url(),
            "SECRET_KEY": "x" * 32,
            "RATE_LIMIT_WRITE": "1000000/minute",
            "CHAT_FIRST_TOKEN_SECONDS": str(PATIENCE_SECONDS),
            "LOG_LEVEL": "WARNING",
            "PYTHONWARNINGS": "ignore",
        }
        ports = [free_port(), free_port()]
        programs = [
            _program(home, f"web{port}", _GUNICORN.format(port=port), variables) for port in ports
        ]
        programs.append(_program(home, "dispatcher", "-m workers.queue.dispatcher", variables))
        db.open(postgres.url(), wait_seconds=PATIENCE_SECONDS)
        try:
            for program in programs:
                program.start()
            for port in ports:
                servers.until(lambda p=port: _answers(p))  # type: ignore[misc]
            settings = Settings(
                database_url=postgres.url(), redis_url=redis.url(), secret_key="x" * 32
            )
            base, theirs = (f"http://127.0.0.1:{port}" for port in ports)
            node = chatting.provider(settings, theirs, capacity=64)
            account_id, key = chatting.consumer(settings, credit="1000")
            yield Stage(postgres, redis, settings, *programs, base, node, account_id, key)
            node.stop()
        finally:
            for program in programs:
                program.kill()
            db.close()


def _keep_commits(url: str) -> None:
    """Through a crash of the server, not of the machine: a restart must not wait for a disk."""
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("alter database postgres set synchronous_commit = on")


_GUNICORN = (
    "-m gunicorn -c deploy/gunicorn.conf.py --workers 1 --threads 48 -b 127.0.0.1:{port}"
    " 'tests.fault.patient_chats:serve()'"
)


def _program(home: Path, name: str, arguments: str, variables: dict[str, str]) -> Program:
    return Program(
        name,
        f"{sys.executable} {arguments}",
        log=home / f"{name}.log",
        folder=ROOT,
        environment=variables,
    )


def _answers(port: int) -> bool:
    try:
        return urllib3.request("GET", f"http://127.0.0.1:{port}/healthz", timeout=5).status == 200
    except urllib3.exceptions.HTTPError:
        return False
