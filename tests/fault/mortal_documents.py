"""Workers of the product whose processes die where a document is read, at what `deaths` names.

`celery -A tests.fault.mortal_documents worker`.
"""

from app.core.config.settings import Settings
from tests.fault.document_stages import STAGES
from tests.fault.mortal_stages import make_mortal
from workers.queue.celery import create_worker

make_mortal(STAGES)
celery = create_worker(Settings.from_env())
