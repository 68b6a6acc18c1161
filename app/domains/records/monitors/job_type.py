"""The type `monitoring`: a schedule, and runs that compare."""

from collections.abc import Mapping
from typing import Any, Final

from app.core.config.settings import Settings
from app.core.db import Reader
from app.domains.records.monitors import run_events, schemas, service
from app.domains.records.page_jobs import extraction
from app.domains.records.page_jobs.runs import types


def check(reader: Reader, body: Mapping[str, Any], settings: Settings) -> None:
    """Raises NoEngineConfigured."""
    extraction.check_source(reader, body["source"], settings)


MONITORING: Final = types.JobType(
    name=service.TYPE,
    schema=schemas.MonitoringIn,
    kind=service.RUN,
    begin=service.begin,
    check=check,
    rerun=service.run_now,
    known=service.known,
    judge=service.judge,
    keep_pages=service.keep_pages,
    run_ended=run_events.run_ended,
    changes=service.changes,
    cites=service.cites,
    erase=service.erase,
)
