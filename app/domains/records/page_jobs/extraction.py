"""The job type `extraction`: one run over the pages of its source."""

from collections.abc import Mapping
from typing import Any, Final

from app.core.config.settings import Settings
from app.core.db import Reader, Tx
from app.domains.library.corpora import store as corpus_store
from app.domains.records.page_jobs import bodies, service
from app.domains.records.page_jobs.runs import types
from app.domains.records.page_jobs.runs.continuation import RUN
from app.domains.records.page_jobs.runs.runs import begin_run
from app.domains.records.page_jobs.store import PageJob


def begin(tx: Tx, job: PageJob) -> None:
    begin_run(tx, job.id, job.account_id, kind=RUN)


def check(reader: Reader, body: Mapping[str, Any], settings: Settings) -> None:
    """Raises NoEngineConfigured."""
    check_source(reader, body["source"], settings)


def check_source(reader: Reader, source: Mapping[str, Any], settings: Settings) -> None:
    """A search needs something to find pages in. Raises NoEngineConfigured."""
    engines = settings.searxng_url or settings.brave_api_key
    if source["type"] == "search" and not engines and not corpus_store.every(reader):
        raise service.NoEngineConfigured


EXTRACTION: Final = types.JobType(
    name="extraction", schema=bodies.ExtractionIn, kind=RUN, begin=begin, check=check
)
