"""Workers and dispatchers of these tests: all that the product does, and jobs that leave effects.

`celery -A tests.scale.processes worker` and `python -m tests.scale.processes`.
"""

from app.core.config.settings import Settings
from workers.queue import dispatcher
from workers.queue.celery import HANDLERS, create_worker

ALL = (*HANDLERS, "tests.fault.work")

if __name__ == "__main__":
    dispatcher.main(ALL)
else:
    celery = create_worker(Settings.from_env(), ALL)
