"""Connects every hook of the domains: who hears of what."""

from functools import cache

from app.core.hooks import Hook
from app.domains.account.accounts import hooks
from app.domains.campaigns.campaigns.disputes import service as disputes
from app.domains.campaigns.campaigns.money import alert_values as campaign_alerts
from app.domains.campaigns.campaigns.runs import decisions, node_work, page_job, page_store
from app.domains.campaigns.reviews import assignments, gold_items, reputations, subjects
from app.domains.campaigns.reviews.subjects import Subject
from app.domains.campaigns.rewards import payout_store
from app.domains.campaigns.rewards import service as rewards
from app.domains.campaigns.rewards.audit_store import RULES
from app.domains.campaigns.rewards.store import freeze_judging
from app.domains.library.documents import selection
from app.domains.money.ledger import audit
from app.domains.money.ledger import service as ledger
from app.domains.money.ledger.audit_store import BOOKS
from app.domains.providers.chats import completion
from app.domains.providers.chats import service as chats
from app.domains.providers.nodes import service as nodes
from app.domains.providers.nodes.store import neighbours
from app.domains.providers.work import kinds as work_kinds
from app.domains.providers.work.service import node_changed
from app.domains.queue.alerts import things
from app.domains.queue.alerts.things import AlertedThing
from app.domains.records.monitors import alert_values as monitor_alerts
from app.domains.records.monitors import job_type
from app.domains.records.page_jobs import extraction
from app.domains.records.page_jobs.runs import types
from app.domains.records.workflows.job_type import WORKFLOW
from app.domains.search.memories import service as memories
from app.domains.search.searches.service import erase_answers


@cache
def connect() -> None:
    """Connect every hook, once in each process. Raises NotConnected if one is forgotten."""
    hooks.CREDIT.connect(ledger.available)
    hooks.CORPORA.connect(selection.own)
    audit.RULES.connect(BOOKS, RULES)
    memories.ERASED.connect(erase_answers)
    things.THINGS.connect(
        AlertedThing("monitor", monitor_alerts.owns), AlertedThing("campaign", campaign_alerts.owns)
    )

    types.TYPES.connect(extraction.EXTRACTION, job_type.MONITORING, WORKFLOW, page_job.CAMPAIGN)
    types.CITED.connect(page_store.cites)

    nodes.JUDGED.connect(reputations.judged_answers)
    nodes.CHANGED.connect(node_changed)
    work_kinds.KINDS.connect(assignments.VALIDATION, completion.WORK, node_work.EXTRACTION)
    work_kinds.FIRST.connect(gold_items.due)
    chats.SETTLED.connect(rewards.earn)

    subjects.SUBJECT.connect(
        Subject(
            load=decisions.load,
            decided=decisions.decided,
            dispute_decided=disputes.decided,
        )
    )
    subjects.LINKED.connect(neighbours, payout_store.linked)
    reputations.SUSPENDED.connect(freeze_judging)

    Hook.require()
