"""The product's worker and dispatcher, which write down when each step of a job began and ended.

`celery -A bench.queues.traced worker` and `python -m bench.queues.traced`.
"""

import time
from collections.abc import Callable
from functools import wraps
from typing import Any

from app.core.config.settings import Settings
from bench.queues import steps
from workers.queue import dispatcher
from workers.queue.celery import create_worker
from workers.queue.runner import Runner


def trace(owner: type, name: str, step: str, counts: Callable[[Any], bool] = bool) -> None:
    """Note each call of a method whose result `counts`."""
    act = getattr(owner, name)

    @wraps(act)
    def traced(*args: Any, **options: Any) -> Any:
        began = time.monotonic()
        result = act(*args, **options)
        if counts(result):
            steps.note(step, began, time.monotonic())
        return result

    setattr(owner, name, traced)


HANDLERS = ("bench.queues.kinds",)

trace(dispatcher.Dispatcher, "send", "send")
trace(Runner, "run", "run", lambda _: True)
trace(Runner, "_claim", "claim")
trace(Runner, "_commit", "finish")

if __name__ == "__main__":
    dispatcher.main(HANDLERS)
else:
    celery = create_worker(Settings.from_env(), HANDLERS)
