"""Second readings: a page of which an account made nothing is given to another one, once.

It has made nothing of it where it found no record, or where all that it found was rejected. Else
junk would keep a page from being read for as long as its records were to stay fresh. If it is
rejected when its run has closed, the next run gives the page to another one.
"""

import random
from typing import Final
from uuid import UUID

from app.core.db import Tx
from app.domains.campaigns.campaigns.kinds import EXTRACTION
from app.domains.campaigns.campaigns.records import version_store
from app.domains.campaigns.campaigns.records.version_store import Version
from app.domains.campaigns.campaigns.runs import page_store, run_store
from app.domains.campaigns.campaigns.runs.page_store import CampaignPage
from app.domains.campaigns.campaigns.store import Campaign
from app.domains.campaigns.reviews import subjects
from app.domains.providers.nodes.store import seen_accounts
from app.domains.providers.work import service as work
from app.domains.providers.work.kinds import kind_of

CHECKED_SHARE: Final = 1 / 4
"""Of the pages on which neither a node nor we found anything, so many are read by another node."""
DEADLINE_SECONDS: Final = 3_600.0
_SEEN_SECONDS: Final = 600.0
_OPEN: Final = ("collecting", "reviewing")
_SECRET = random.SystemRandom()


def after_nothing(tx: Tx, campaign: Campaign, page: CampaignPage, *, found_by_us: bool) -> bool:
    """An account found nothing on a page; the caller has locked its run. True: it is read again."""
    if not found_by_us and _SECRET.random() >= CHECKED_SHARE:
        return False
    return _again(tx, campaign, page.id)


def after_rejection(tx: Tx, campaign: Campaign, judged: Version) -> bool:
    """A record was rejected; the caller has locked its run. True: its page is read again."""
    if judged.contributor_id is None or judged.version > 1 or judged.page_id is None:
        return False
    if version_store.is_page_of_use(tx, judged.run_id, judged.page_id):
        return False
    if not _again(tx, campaign, judged.page_id):
        return False
    run_store.move(tx, judged.run_id, ("reviewing",), "collecting")
    run_store.count(tx, judged.run_id, pages=1)
    return True


def _again(tx: Tx, campaign: Campaign, page_id: UUID) -> bool:
    page = page_store.by_id(tx, page_id)
    run = run_store.by_id(tx, page.run_id) if page else None
    if page is None or run is None or run.state not in _OPEN or campaign.ended:
        return False
    return page.contributor_id is not None and page_store.again(tx, page_id)


def is_for_nodes(tx: Tx, page: CampaignPage) -> bool:
    """True if nodes of others than who has read the page are there, or nobody has."""
    before = readers(tx, page)
    return not before or bool({*seen_accounts(tx, "extraction", _SEEN_SECONDS)} - before)


def readers(tx: Tx, page: CampaignPage) -> set[UUID]:
    """The accounts that a page is not given to again: who has read it, and who counts as one."""
    if page.first_reader is None:
        return set()
    return {page.first_reader, *subjects.linked_with(tx, page.first_reader)}


def offer(tx: Tx, campaign: Campaign, page: CampaignPage) -> bool:
    """Offer a page that is read again to others than who read it. False: there are none."""
    if page.first_reader is None or not is_for_nodes(tx, page):
        return False
    kind = kind_of(EXTRACTION)
    work_id = work.offer(
        tx,
        kind,
        campaign.account_id,
        subject=page.id,
        excluded=sorted(readers(tx, page)),
        deadline_seconds=DEADLINE_SECONDS,
    )
    page_store.set_work(tx, page.id, work_id)
    return True
