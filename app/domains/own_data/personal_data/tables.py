"""All tables, as what keeps them declares them, in the order of the files of an export."""

from collections.abc import Iterator
from typing import Final, NamedTuple

from app.core.db import schema
from app.core.db.own_data import Export, Nameless, RowDeletion, Table
from app.core.http import idempotency
from app.domains.account.accounts import own_data as accounts
from app.domains.account.audit import own_data as audit
from app.domains.campaigns.campaigns import own_data as campaigns
from app.domains.campaigns.reviews import own_data as reviews
from app.domains.campaigns.rewards import own_data as rewards
from app.domains.library.corpora import own_data as corpora
from app.domains.library.documents import own_data as documents
from app.domains.library.pages import own_data as pages
from app.domains.library.passages import own_data as passages
from app.domains.library.sites import own_data as sites
from app.domains.library.sources import own_data as sources
from app.domains.money.ledger import own_data as ledger
from app.domains.money.payments import own_data as payments
from app.domains.own_data.personal_data import own_data as exports
from app.domains.own_data.requests import own_data as requests
from app.domains.providers.chats import own_data as chats
from app.domains.providers.chats.health import own_data as health
from app.domains.providers.nodes import own_data as nodes
from app.domains.providers.providers import own_data as providers
from app.domains.providers.work import own_data as work
from app.domains.queue.alerts import own_data as alerts
from app.domains.queue.jobs import own_data as jobs
from app.domains.queue.webhooks import own_data as webhooks
from app.domains.records.monitors import own_data as monitors
from app.domains.records.page_jobs.runs import own_data as page_jobs
from app.domains.records.page_jobs.verification import own_data as verification
from app.domains.records.workflows import own_data as workflows
from app.domains.search.memories import own_data as memories
from app.domains.search.searches import own_data as searches

TABLES: Final[tuple[Table, ...]] = (
    *accounts.TABLES,
    *audit.TABLES,
    *requests.TABLES,
    *jobs.TABLES,
    *searches.TABLES,
    *page_jobs.TABLES,
    *workflows.TABLES,
    *monitors.TABLES,
    *verification.TABLES,
    *jobs.SCHEDULES,
    *webhooks.TABLES,
    *alerts.TABLES,
    *campaigns.TABLES,
    *ledger.TABLES,
    *rewards.TABLES,
    *chats.TABLES,
    *providers.TABLES,
    *health.TABLES,
    *nodes.TABLES,
    *work.TABLES,
    *reviews.TABLES,
    *memories.TABLES,
    *exports.TABLES,
    *sites.TABLES,
    *documents.TABLES,
    *corpora.TABLES,
    *sources.TABLES,
    *pages.TABLES,
    *passages.TABLES,
    *payments.TABLES,
    *idempotency.TABLES,
    *schema.TABLES,
)


class TableExport(NamedTuple):
    """A file of an export."""

    table: Table
    export: Export

    @property
    def file(self) -> str:
        return self.export.file or self.table.name


EXPORTED: Final = tuple(
    TableExport(table, table.export) for table in TABLES if isinstance(table.export, Export)
)


class DeletedRows(NamedTuple):
    """Rows of a table that go with their account."""

    table: Table
    deleted: RowDeletion


def _deleted() -> Iterator[DeletedRows]:
    """The rows to delete, what hangs on one before it: no statement deletes more than its bound."""
    for table in reversed(TABLES):
        for erasure in table.erasures:
            if isinstance(erasure, RowDeletion):
                yield DeletedRows(table, erasure)


# Rows that stay while others refer to them come last: then nothing of the account does.
DELETED: Final = tuple(sorted(_deleted(), key=lambda rows: rows.deleted.last))

NAMELESS: Final = tuple(
    (table, erasure)
    for table in TABLES
    for erasure in table.erasures
    if isinstance(erasure, Nameless)
)
