"""The state of the queue that needs somebody most, for `citegrid-server status`."""

import psycopg

from app.core import db
from app.core.config.settings import BadConfiguration
from app.core.db import roles
from app.domains.queue.jobs.operations.queues import queues
from app.local.embedded.state import DataFolder, settings


def headline(folder: DataFolder) -> dict[str, str]:
    """As the page says it; empty where no database answers."""
    try:
        service = settings(folder)
        role = roles.operators(service.database_role)
        with db.connect(service.database_url, role=role) as reader:
            found = queues.overview(reader, service.queue_target_seconds)
    except (psycopg.Error, BadConfiguration):
        return {}
    return {"queues": queues.headline(found)}
