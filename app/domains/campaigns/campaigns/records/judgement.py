"""Judgements of records by the owner of their campaign, which test those who vote."""

from uuid import UUID

from app.core.db import Tx
from app.core.errors import Conflict
from app.domains.campaigns.campaigns import service
from app.domains.campaigns.campaigns.records import version_store
from app.domains.campaigns.campaigns.records.record_store import CampaignRecord
from app.domains.campaigns.campaigns.store import Campaign
from app.domains.campaigns.reviews import service as reviews


class RecordDecided(Conflict):
    """This record is decided, or you have judged it before. You can dispute a record that was
    wrongly accepted."""

    code = "record_decided"


def judge(tx: Tx, campaign: Campaign, record_id: UUID, *, accepts: bool) -> CampaignRecord:
    """Keep what the owner says of a record that nobody has decided. Said again, it changes nothing.

    Raises RecordNotFound, RecordDecided.
    """
    found = service.record_of(tx, campaign, record_id)
    if found.owner_verdict is accepts:
        return found
    if not reviews.judge_for_payer(tx, found.id, found.version, accepts=accepts):
        raise RecordDecided
    version_store.judged_by_owner(tx, found.id, found.version, accepts)
    return service.record_of(tx, campaign, record_id)
