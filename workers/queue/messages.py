"""The messages in Redis: written many at once, counted, and looked through for jobs."""

import base64
import json
from collections import Counter
from uuid import UUID

import redis

from app.core import ids
from app.domains.queue.jobs.dispatch_store import DueJob
from workers.queue.celery import RUN

HANG_SECONDS = 60.0  # a process still busy so long after the last deadline of a message is killed
LONGEST_LIST = 1_000


FRONT_PER_MOVE = 4
"""After so many messages for the first list, one of the second joins its end."""

LATER = "\x06\x163"
"""What kombu puts behind the name of a queue for its second list, which is read after the first."""


class Messages:
    """One dispatcher's view of the Redis lists of all queues.

    Each queue has two: while messages wait, jobs of accounts that have more out than most go to the
    second. So a newcomer waits for a free worker, and not for what others have in Redis already.
    Newcomers may come for ever: so now and then the oldest message of the second list moves up.

    A list holds as many messages as a queue has room for, whatever became of their jobs meanwhile:
    without a worker it must not grow. It is counted before it could become longer.
    """

    def __init__(self, client: redis.Redis, depth: int) -> None:
        self._redis, self._depth = client, depth
        self._at_most: dict[str, int] = {}
        self._in_front: Counter[str] = Counter()

    def room(self, queue: str) -> int:
        """Returns how many more messages the queue may hold. Raises RedisError."""
        if self._at_most.get(queue, self._depth) * 2 > self._depth:
            self._at_most[queue] = sum(self._redis.llen(name) for name in _lists(queue))
        return max(0, self._depth - self._at_most[queue])

    def send(self, queue: str, messages: list[list[DueJob]]) -> None:
        """All or none of them. Raises RedisError."""
        self._at_most[queue] = self._at_most.get(queue, self._depth) + len(messages)
        first, second = _lists(queue)
        in_front = [message for message in messages if not message[0].yields]
        moves, self._in_front[queue] = divmod(self._in_front[queue] + len(in_front), FRONT_PER_MOVE)
        with self._redis.pipeline() as calls:
            for name, some in (first, in_front), (second, [m for m in messages if m[0].yields]):
                if some:
                    calls.lpush(name, *(_envelope(queue, message) for message in some))
            for _ in range(moves):
                calls.lmove(second, first, "RIGHT", "LEFT")
            calls.execute()

    def jobs(self, queue: str) -> set[UUID] | None:
        """The jobs whose messages nobody has taken. None: too many to list. Raises RedisError."""
        waiting: list[bytes | str] = []
        for name in _lists(queue):
            waiting += self._redis.lrange(name, 0, LONGEST_LIST)
        if len(waiting) > LONGEST_LIST:
            return None
        return {id for message in waiting for id in _job_ids(message)}


def _lists(queue: str) -> tuple[str, str]:
    return queue, queue + LATER


def _envelope(queue: str, message: list[DueJob]) -> str:
    """As kombu would write it into the list, which takes it six times as long.

    Celery's message protocol 2, without what only Celery's own features ask for.
    """
    id = str(ids.new())
    limit = max(0.0, *(job.seconds_left for job in message)) + HANG_SECONDS
    body = json.dumps([[[str(job.id) for job in message]], {}, {}])
    envelope = {
        "body": base64.b64encode(body.encode()).decode(),
        "content-encoding": "utf-8",
        "content-type": "application/json",
        "headers": {
            "lang": "py",
            "task": RUN,
            "id": id,
            "root_id": id,
            "argsrepr": "",
            "kwargsrepr": "",
            "timelimit": [limit, None],
        },
        "properties": {
            "body_encoding": "base64",
            "correlation_id": id,
            "delivery_info": {"exchange": "", "routing_key": queue},
            "delivery_mode": 2,
            "delivery_tag": id,
            "priority": 0,
        },
    }
    return json.dumps(envelope)


def _job_ids(message: bytes | str) -> list[UUID]:
    """The jobs of a message; none of a foreign one."""
    try:
        (args, *_) = json.loads(base64.b64decode(json.loads(message)["body"]))
        return [UUID(id) for id in args[0]]
    except (ValueError, KeyError, TypeError, IndexError, AttributeError):
        return []
