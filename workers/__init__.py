"""Deferred work: worker processes, one per core, that do the jobs of the queue.

Linear algebra on several threads per process makes them fight: a query that is embedded in 15 ms
took 50 ms and, one time in a hundred, 700 ms. Whoever runs a single worker may set it otherwise.
"""

from app.core.config import settings

settings.provide({"OPENBLAS_NUM_THREADS": "1"})
