"""Work of the queue that a command waits for."""

import time
from collections.abc import Callable
from typing import Any, Protocol, TypeVar

from app.core import db
from app.core.errors import required
from app.domains.queue.jobs.service import FINISHED

POLL_SECONDS = 0.1


class Work(Protocol):
    """A piece of work to wait for: a job, or what several jobs do one after another."""

    @property
    def state(self) -> str: ...
    @property
    def progress(self) -> dict[str, Any]: ...


Waited = TypeVar("Waited", bound=Work)


def wait_for(
    look: Callable[[db.Reader], Waited | None],
    notify: Callable[[Waited], None],
    pause: Callable[[float], object] = time.sleep,
) -> Waited:
    """The work when it has ended; `notify` hears of it whenever its progress changed.

    `pause` may raise, to stop waiting. A job ends by its deadline, so this does too while a
    dispatcher runs.
    """
    before: object = None
    while True:
        with db.reading() as reader:
            work = required(look(reader), LookupError("it is gone"))
        if (work.state, work.progress) != before:
            before = (work.state, work.progress)
            notify(work)
        if work.state in FINISHED:
            return work
        pause(POLL_SECONDS)
