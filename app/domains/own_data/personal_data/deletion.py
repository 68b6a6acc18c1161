"""Leaving: what must be settled before, what is stopped at once, and how it is called off."""

from typing import Final
from uuid import UUID

from app.core import ids
from app.core.amounts import text
from app.core.db import Reader, Tx
from app.core.errors import Conflict
from app.core.ids import Noun
from app.domains.account.accounts import deletion
from app.domains.account.accounts.deletion import PendingDeletion
from app.domains.account.audit.service import record_event
from app.domains.campaigns.campaigns import service as campaigns
from app.domains.money.ledger.service import CREDIT
from app.domains.own_data.personal_data import open_store
from app.domains.own_data.personal_data.open_store import Money
from app.domains.providers.nodes import service as nodes
from app.domains.providers.providers import saved_offers
from app.domains.providers.providers import service as providers
from app.domains.queue.jobs import kinds
from app.domains.queue.jobs import service as jobs
from app.domains.records.page_jobs import service as page_jobs

STOP = kinds.register(
    "accounts.stop",
    queue="housekeeping",
    deadline_seconds=3600,
    priority=20,
    on_end=jobs.until_done,
)

_ON_THEIR_WAY: Final = {
    "payable": "of a payout that waits for the operator; delete the account when it is settled",
    "held": "held for a running chat; delete the account when the chat has ended",
}
_LEFT: Final = {
    "credit": "of credit",
    "escrow": "in campaigns; cancel them and it returns to your credit",
    "reserved": "reserved by runs of campaigns",
    "pool": "for the judges of a run; what they do not earn returns",
    "available": "of rewards; request a payout",
    "pending": "of rewards that are not available yet; request a payout when they are",
}
_JUDGED_AND_PAID: Final = ("campaigns", "reviews", "nodes", "ledger", "payments")
"""Domains whose work goes on: what others submitted is still judged and paid."""


class ObligationsOpen(Conflict):
    """Open obligations prevent the deletion; `details` lists them and how to close them."""

    code = "obligations_open"


class BalanceRemains(Conflict):
    """The account still has a balance; `details` lists the amounts. Withdraw it, or give it up with
    `give_up_balance`."""

    code = "balance_remains"


def request(
    tx: Tx, account_id: UUID, *, grace_seconds: float, give_up_balance: bool = False
) -> PendingDeletion:
    """End every credential now, stop all that runs, and have everything erased after the grace.

    Raises ObligationsOpen, BalanceRemains.
    """
    money = open_store.money(tx, account_id)
    if problems := _on_their_way(tx, account_id, money):
        raise ObligationsOpen(details=problems)
    if not give_up_balance and (problems := _described(money, _LEFT)):
        raise BalanceRemains(details=problems)
    _withdraw(tx, account_id)
    payload = {"account_id": str(account_id)}
    jobs.enqueue(tx, STOP, jobs.OPERATOR, payload, unique_key=str(account_id))
    record_event(tx, "account.deletion_requested", ids.public(Noun.ACCOUNT, account_id), account_id)
    return deletion.request(tx, account_id, grace_seconds)


def _on_their_way(reader: Reader, account_id: UUID, money: list[Money]) -> list[dict[str, str]]:
    problems = _described(money, _ON_THEIR_WAY)
    if open_store.unfinished(reader, account_id, [CREDIT.name]):
        problems.append(_problem("payments", "A payment for credit is being settled."))
    return problems


def _described(money: list[Money], words: dict[str, str]) -> list[dict[str, str]]:
    return [
        _problem(each.kind, f"{text(each.amount)} {each.token} {words[each.kind]}.")
        for each in money
        if each.kind in words
    ]


def _problem(field: str, problem: str) -> dict[str, str]:
    return {"field": f"/{field}", "problem": problem}


def _withdraw(tx: Tx, account_id: UUID) -> None:
    """Nobody sends it work or sees its offers any more."""
    for node_id in open_store.nodes(tx, account_id):
        nodes.delete(tx, account_id, node_id)
    for device_id in open_store.devices(tx, account_id):
        saved_offers.withdraw_offers(tx, account_id, device_id)
    providers.unpublish(tx, account_id)


def keep(tx: Tx, account_id: UUID) -> bool:
    """Call it off; what was stopped stays so. False: nothing was to be deleted, or it is late."""
    return deletion.keep(tx, account_id)


# The worker's side.


def stop_some(tx: Tx, account_id: UUID) -> int:
    """End some of what runs for the account; how many. 0: nothing runs, or it stays after all."""
    if not deletion.is_leaving(tx, account_id):
        return 0
    if campaign_id := open_store.any_campaign(tx, account_id):
        campaigns.cancel(tx, account_id, campaign_id)
        return 1
    for id in (extractions_open := open_store.extractions(tx, account_id)):
        page_jobs.cancel(tx, account_id, id)
    if extractions_open:
        return len(extractions_open)
    running = open_store.stoppable(tx, account_id, _JUDGED_AND_PAID)
    for id in running:
        jobs.cancel(tx, id)
    return len(running)
