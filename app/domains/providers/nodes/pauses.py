"""Why and for how long a node gets no work: pauses that follow from its behaviour, the operator's,
and approval. Callers hold the transaction.
"""

from typing import Final
from uuid import UUID

from app.core import ids
from app.core.db import Tx
from app.core.errors import Conflict
from app.core.ids import Noun
from app.domains.account.audit.service import record_event
from app.domains.providers.nodes import pause_store
from app.domains.providers.nodes.store import Node
from app.domains.queue.webhooks import outbox

FIRST_SECONDS: Final = 600.0
LONGEST_SECONDS: Final = 6 * 3600.0
LOST_WORK: Final = "lost_work"
OPERATOR: Final = "operator"


class PauseStands(Conflict):
    """You cannot end this pause: the operator set it, or you ended one in the last 24 hours."""

    code = "pause_stands"


def pause(tx: Tx, id: UUID) -> None:
    """It loses its work: for ten minutes it gets none, and each time for twice as long."""
    paused = pause_store.pause(tx, id, LOST_WORK, FIRST_SECONDS, LONGEST_SECONDS)
    if paused is not None:
        account_id, until = paused
        data = {
            "id": ids.public(Noun.NODE, id),
            "paused_reason": LOST_WORK,
            "paused_until": until.isoformat(),
        }
        outbox.tell(tx, account_id, "node.paused", id, data)


def end(tx: Tx, node: Node) -> None:
    """Its owner ends its pause, once a day. Raises PauseStands."""
    if node.pause is not None and not pause_store.unpause(
        tx, node.id, by_owner=True, operators=OPERATOR
    ):
        raise PauseStands


# For the operator.


def stop(tx: Tx, id: UUID) -> bool:
    """It gets no work until `resume`. False: there is no such node."""
    record_event(tx, "node.stopped", ids.public(Noun.NODE, id))
    return pause_store.stop(tx, id, OPERATOR)


def resume(tx: Tx, id: UUID) -> bool:
    """End whatever pause it has. False: there is no such node."""
    record_event(tx, "node.resumed", ids.public(Noun.NODE, id))
    return pause_store.unpause(tx, id, by_owner=False, operators=OPERATOR)


def approve(tx: Tx, id: UUID) -> bool:
    """It gets work from now on. False: there is no such node."""
    record_event(tx, "node.approved", ids.public(Noun.NODE, id))
    return pause_store.admit(tx, id)
