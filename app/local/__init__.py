"""The operator's commands, and the whole service on one machine.

What they embed has one thread, as in a worker: beside workers that compute, more are slower.
"""

from app.core.config import settings

settings.provide({"OPENBLAS_NUM_THREADS": "1"})
