"""Workers of the product whose processes die at the stages of a run that `deaths` names.

`celery -A tests.fault.mortal_reading worker`.
"""

from app.core.config.settings import Settings
from tests.fault.mortal_stages import die_at_stages
from workers.queue.celery import create_worker

die_at_stages()
celery = create_worker(Settings.from_env())
