"""The machinery every job goes through: dispatcher, Celery, runner, leases, one attempt."""
