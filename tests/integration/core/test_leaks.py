"""The scan for secrets finds them in every place and spelling."""

import base64

import redis

from app.core import db
from tests.databases import become_owner
from tests.leaks import leaks

SECRET = "the cat's name is Minerva"


def test_a_secret_in_a_row_is_found(database: str, redis_url: str) -> None:
    with db.transaction() as tx:
        become_owner(tx)
        tx.execute("create table notes (body jsonb, sealed bytea)")
        tx.execute("grant all on notes to public")
    for written in (SECRET, base64.b64encode(SECRET.encode()).decode()):
        with db.transaction() as tx:
            tx.execute("delete from notes")
            tx.execute("insert into notes values (to_jsonb(%s::text), null)", [written])
            tx.execute("insert into notes values (null, %s)", [written.encode()])
        found = leaks({"cat": SECRET}, database_url=database, redis_url=redis_url, logs={})
        assert set(found) == {"cat in the table notes"}


def test_a_secret_in_redis_is_found(database: str, redis_url: str) -> None:
    with redis.Redis.from_url(redis_url) as client:
        client.set("plain", SECRET)
        client.rpush("listed", f"to {SECRET}")
        client.hset("hashed", "cat", SECRET)
        client.xadd("streamed", {"cat": SECRET})
    found = leaks({"cat": SECRET}, database_url=database, redis_url=redis_url, logs={})
    assert len(found) == 4


def test_a_secret_in_a_log_is_found_and_nothing_else(database: str, redis_url: str) -> None:
    logs = {"web": f'{{"event": "{SECRET}"}}', "worker": "{}"}
    secrets = {"cat": SECRET, "dog": "Argos of Ithaca"}
    found = leaks(secrets, database_url=database, redis_url=redis_url, logs=logs)
    assert found == ["cat in the log of web"]
