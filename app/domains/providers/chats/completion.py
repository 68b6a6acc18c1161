"""The work of a chat: a job that one node can claim, once, and answers by its chunks alone."""

from decimal import Decimal
from typing import Any, Final, NoReturn
from uuid import UUID

from flask import current_app

from app.core import db
from app.core.db import Tx
from app.core.errors import Invalid
from app.domains.money.ledger import service as ledger
from app.domains.money.ledger.store import LedgerAccount
from app.domains.providers.chats import store
from app.domains.providers.work import outcomes
from app.domains.providers.work.kinds import Item, WorkKind

LEASE_SECONDS: Final = 30.0


def release(tx: Tx, id: UUID, ended: str) -> None:
    """Nothing is charged, and what was held returns; unless the chat has ended."""
    nothing = Decimal(0)
    chat = store.end(
        tx,
        id,
        ended,
        prompt_tokens=0,
        completion_tokens=0,
        cost=nothing,
        fee=nothing,
        first_token_ms=None,
    )
    if chat is not None and chat.max_cost:
        credit = LedgerAccount(chat.account_id, "credit")
        ledger.release(tx, chat.id, f"settle:{chat.id}", "chat", credit)


def _lost(tx: Tx, item: Item) -> None:
    """Its node fell silent, or its deadline has passed: whoever should have charged it is gone."""
    release(tx, item.id, "lost")


def _load(item: Item) -> dict[str, Any] | None:
    """The request, from the process that holds the client's connection; None: it is gone."""
    if item.node_id is None:
        return None
    channel = current_app.extensions["chats"].channel
    request = channel.hand_over(item.id, item.node_id, item.fence)
    with db.reading() as reader:
        served = store.served(reader, item.id)
    if request is None or served is None:
        # Redis was emptied, or a crash of the database undid the claim of a node that has begun.
        with db.transaction() as tx:
            release(tx, item.id, "lost")
        return None
    offer_id, model_revision = served
    return {"request": request, "offer_id": str(offer_id), "model_revision": model_revision}


def _refuse(_item: Item, _output: dict[str, Any]) -> NoReturn:
    raise Invalid.at("/output", "A chat is answered by its chunks.")


def _accept(_tx: Tx, _item: Item, _output: Any) -> dict[str, Any] | None:
    return None


WORK: Final = WorkKind(
    kind=outcomes.register_kind(
        "chats.completion", queue="chats", deadline_seconds=600, max_attempts=1
    ),
    capability="chat",
    load=_load,
    check=_refuse,
    accept=_accept,
    ended=_lost,
    lease_seconds=LEASE_SECONDS,
)
