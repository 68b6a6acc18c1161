"""The worker and the dispatcher of the fault tests, over the kinds in tests.fault.work.

`celery -A tests.fault.processes worker` and `python -m tests.fault.processes`.
"""

from app.core.config.settings import Settings
from app.domains.queue.jobs import schedules
from workers.queue import dispatcher, messages
from workers.queue.celery import create_worker

HANDLERS = ("tests.fault.work", "tests.fault.long_work")

if __name__ == "__main__":
    messages.HANG_SECONDS = 2.0  # a test cannot wait for a minute
    schedules.establish = lambda _tx: None  # nobody here works on the product's own jobs
    dispatcher.main(HANDLERS)
else:
    celery = create_worker(Settings.from_env(), HANDLERS)
