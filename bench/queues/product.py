"""The product's own worker and dispatcher over the kinds of bench.queues.kinds.

`celery -A bench.queues.product worker` and `python -m bench.queues.product`.
"""

from app.core.config.settings import Settings
from workers.queue import dispatcher
from workers.queue.celery import create_worker

HANDLERS = ("bench.queues.kinds",)

if __name__ == "__main__":
    dispatcher.main(HANDLERS)
else:
    celery = create_worker(Settings.from_env(), HANDLERS)
