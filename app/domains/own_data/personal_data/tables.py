"""All tables, as what keeps them declares them, in the order of the files of an export."""

from collections.abc import Iterator
from typing import Final, NamedTuple

from app.core.db import schema
from app.core.db.own_data import Export, Nameless, RowDeletion, Table
from app.core.http import idempotency
from app.domains.account.accounts.own_data import ACCOUNTS_TABLES
from app.domains.account.audit.own_data import AUDIT_TABLES
from app.domains.campaigns.campaigns.own_data import CAMPAIGNS_TABLES
from app.domains.campaigns.reviews.own_data import REVIEWS_TABLES
from app.domains.campaigns.rewards.own_data import REWARDS_TABLES
from app.domains.library.corpora.own_data import CORPORA_TABLES
from app.domains.library.documents.own_data import DOCUMENTS_TABLES
from app.domains.library.pages.own_data import PAGES_TABLES
from app.domains.library.passages.own_data import PASSAGES_TABLES
from app.domains.library.sites.own_data import SITES_TABLES
from app.domains.library.sources.own_data import SOURCES_TABLES
from app.domains.money.ledger.own_data import LEDGER_TABLES
from app.domains.money.payments.own_data import PAYMENTS_TABLES
from app.domains.own_data.personal_data.own_data import EXPORTS_TABLES
from app.domains.own_data.requests.own_data import REQUESTS_TABLES
from app.domains.providers.chats.health.own_data import HEALTH_TABLES
from app.domains.providers.chats.own_data import CHATS_TABLES
from app.domains.providers.nodes.own_data import NODES_TABLES
from app.domains.providers.providers.own_data import PROVIDERS_TABLES
from app.domains.providers.work.own_data import WORK_TABLES
from app.domains.queue.alerts.own_data import ALERTS_TABLES
from app.domains.queue.jobs.own_data import JOBS_TABLES, SCHEDULES_TABLES
from app.domains.queue.webhooks.own_data import WEBHOOKS_TABLES
from app.domains.records.monitors.own_data import MONITORS_TABLES
from app.domains.records.page_jobs.runs.own_data import PAGE_JOBS_TABLES
from app.domains.records.page_jobs.verification.own_data import VERIFICATION_TABLES
from app.domains.records.workflows.own_data import WORKFLOWS_TABLES
from app.domains.search.memories.own_data import MEMORIES_TABLES
from app.domains.search.searches.own_data import SEARCHES_TABLES

TABLES: Final[tuple[Table, ...]] = (
    *ACCOUNTS_TABLES,
    *AUDIT_TABLES,
    *REQUESTS_TABLES,
    *JOBS_TABLES,
    *SEARCHES_TABLES,
    *PAGE_JOBS_TABLES,
    *WORKFLOWS_TABLES,
    *MONITORS_TABLES,
    *VERIFICATION_TABLES,
    *SCHEDULES_TABLES,
    *WEBHOOKS_TABLES,
    *ALERTS_TABLES,
    *CAMPAIGNS_TABLES,
    *LEDGER_TABLES,
    *REWARDS_TABLES,
    *CHATS_TABLES,
    *PROVIDERS_TABLES,
    *HEALTH_TABLES,
    *NODES_TABLES,
    *WORK_TABLES,
    *REVIEWS_TABLES,
    *MEMORIES_TABLES,
    *EXPORTS_TABLES,
    *SITES_TABLES,
    *DOCUMENTS_TABLES,
    *CORPORA_TABLES,
    *SOURCES_TABLES,
    *PAGES_TABLES,
    *PASSAGES_TABLES,
    *PAYMENTS_TABLES,
    *idempotency.TABLES,
    *schema.TABLES,
)


class TableExport(NamedTuple):
    table: Table
    export: Export

    @property
    def file(self) -> str:
        return self.export.file or self.table.name


EXPORTED: Final = tuple(
    TableExport(table, table.export) for table in TABLES if isinstance(table.export, Export)
)


class DeletedRows(NamedTuple):
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
