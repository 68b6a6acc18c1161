"""Consequences of a decided dispute: steps, each a transaction with at most one transfer.

Each may be done again, and does nothing then.
"""

from collections.abc import Callable, Sequence
from typing import Final

from app.core import ids
from app.core.db import Reader, Tx
from app.domains.campaigns.campaigns import service, store
from app.domains.campaigns.campaigns.disputes.store import Dispute, overturn, rival
from app.domains.campaigns.campaigns.records import record_store, version_store
from app.domains.campaigns.campaigns.runs import candidates, decisions, run_end
from app.domains.campaigns.reviews import vote_store
from app.domains.campaigns.rewards import service as rewards
from app.domains.campaigns.rewards import shares
from app.domains.money.ledger import service as ledger
from app.domains.money.ledger.store import LedgerAccount

Step = Callable[[Tx, Dispute], None]


def steps(decided: Dispute) -> Sequence[Step]:
    """In this order. Each may be done again."""
    return _STEPS[decided.kind, decided.state]


def waits(reader: Reader, decided: Dispute) -> bool:
    """True while a record is judged that would be in the place of one whose appeal was upheld."""
    if (decided.kind, decided.state) != ("appeal", "upheld"):
        return False
    other = rival(reader, decided.record_id)
    return other is not None and other.state == "candidate"


def _reject(tx: Tx, dispute: Dispute) -> None:
    reasons = [{"category": dispute.category or "other", "reason": dispute.reason}]
    record_id, version = dispute.record_id, dispute.version
    if overturn(tx, record_id, version, ("accepted",), "rejected", reasons):
        record_store.refuse(tx, record_id, version, ("accepted",), "rejected")


def _take_back(tx: Tx, dispute: Dispute) -> None:
    rewards.take_back(tx, dispute.record_id, dispute.version, _escrow(dispute))


def _escrow(dispute: Dispute) -> LedgerAccount:
    return LedgerAccount(dispute.campaign_id, "escrow")


def _thaw(tx: Tx, dispute: Dispute) -> None:
    rewards.thaw(tx, dispute.record_id, dispute.version)


def _accept(tx: Tx, dispute: Dispute) -> None:
    """The record is accepted; as a copy it stays out if another has taken its place meanwhile."""
    campaign = store.lock(tx, dispute.campaign_id)
    if campaign is None:
        return
    record_id, version, since = dispute.record_id, dispute.version, ("rejected", "unresolved")
    if other := rival(tx, record_id):
        overturn(tx, record_id, version, since, "rejected", [candidates.COPY])
        record_store.mark_copy(tx, record_id, other.id)
    elif overturn(tx, record_id, version, since, "accepted", []):
        candidates.confirm(tx, campaign, record_id, version)


def _pay(tx: Tx, dispute: Dispute) -> None:
    """Out of what the appeal set aside; without that nobody is paid, and nobody for a copy."""
    campaign = store.by_id(tx, dispute.campaign_id)
    version = version_store.by_number(tx, dispute.record_id, dispute.version)
    if campaign is None or version is None or dispute.hold_id is None:
        return
    if version.state != "accepted":
        _release(tx, dispute)
        return
    accepted = decisions.payable(campaign, version, dispute.contributor_id)
    votes = vote_store.agreed(tx, [(dispute.record_id, dispute.version)])
    shares.accept_late(tx, accepted, dispute.hold_id, votes, _escrow(dispute))


def _release(tx: Tx, dispute: Dispute) -> None:
    if dispute.hold_id is None:
        return
    key = f"release:{dispute.hold_id}"
    ledger.release(tx, dispute.hold_id, key, "appeal refused", _escrow(dispute))


def _returned(tx: Tx, dispute: Dispute) -> None:
    """A campaign that ended refunds what has returned to it; one that was exhausted goes on."""
    campaign = store.lock(tx, dispute.campaign_id)
    if campaign is None:
        return
    if campaign.ended:
        run_end.refund(tx, campaign, str(ids.new()))  # of another dispute perhaps, with its own
    else:
        service.go_on(tx, campaign)


_STEPS: Final[dict[tuple[str, str], Sequence[Step]]] = {
    ("dispute", "upheld"): (_reject, _take_back, _returned),
    ("dispute", "refused"): (_thaw,),
    ("appeal", "upheld"): (_take_back, _accept, _pay, _returned),
    ("appeal", "refused"): (_thaw, _release, _returned),
}
