"""Nobody but the provider reads a prompt or an answer."""

import io

import openai
import psycopg
import pytest
import redis

from tests.chatting import Work, text
from tests.integration.chats.conftest import Stage

PROMPT, ANSWER = "the-password-is-opal", "so-it-is-opal-indeed"


def _everything(client: "redis.Redis") -> bytes:
    """All that Redis holds, in plain."""
    found = []
    for key in client.scan_iter():
        read = {b"string": client.get, b"hash": client.hgetall, b"stream": client.xrange}
        kind = client.type(key)
        found.append(repr(read[kind](key)).encode() if kind in read else b"")
    return b"\n".join(found)


def _tables(url: str) -> str:
    """Every row of every table, as text."""
    with psycopg.connect(url) as connection:
        names = connection.execute(
            "select tablename from pg_tables where schemaname = 'public'"
        ).fetchall()
        rows = [
            str(connection.execute(f'select t::text from "{name}" t').fetchall())  # noqa: S608
            for (name,) in names
        ]
    return "\n".join(rows)


def test_neither_is_in_logs_redis_or_tables(stage: Stage, log_lines: io.StringIO) -> None:
    seen: list[bytes] = []
    client = redis.Redis.from_url(stage.settings.redis_url)

    def look(work: Work) -> None:
        seen.append(_everything(client))
        work.push(text(ANSWER))
        seen.append(_everything(client))
        work.fail("backend_unavailable", text(ANSWER))

    stage.node.script = look
    stage.node.start()
    messages = [{"role": "user", "content": PROMPT}]
    with pytest.raises(openai.APIError):
        list(stage.ask(stream=True, messages=messages))
    assert stage.node.taken[0].messages == messages
    found = b"\n".join([*seen, _everything(client)])
    for secret in (PROMPT, ANSWER):
        assert secret.encode() not in found
        assert secret not in _tables(stage.settings.database_url)
        assert secret not in log_lines.getvalue()


def test_a_prompt_is_gone_with_the_first_batch(answering: Stage) -> None:
    client = redis.Redis.from_url(answering.settings.redis_url)
    answering.ask()
    assert client.keys("prompt:*") == []
