"""The same chat requested again with the same `Idempotency-Key`: one chat, one charge."""

from typing import Any
from uuid import UUID

from app.core import db, ids
from app.core.db import Tx
from app.core.errors import Conflict
from app.core.http.idempotency import IdempotencyInProgress, IdempotencyKey
from app.core.ids import Noun
from app.domains.providers.chats import service, store


class IdempotencyStreamEnded(Conflict):
    """The chat with this Idempotency-Key has ended. Its answer was streamed and is not stored."""

    code = "idempotency_stream_ended"


class ChatKey(IdempotencyKey):
    """The key of a request for a chat: kept once it is accepted, and again with its answer."""

    def __init__(self, body: dict[str, Any]) -> None:
        super().__init__(body)
        self._mine = set[UUID]()

    def earlier_answer(self) -> dict[str, Any] | None:
        """The answer to the former request with this key.

        Raises IdempotencyKeyReused, IdempotencyInProgress, IdempotencyStreamEnded.
        """
        if not self.is_given:
            return None
        with db.transaction() as tx:
            return self._answer(tx)

    def _answer(self, tx: Tx) -> dict[str, Any] | None:
        kept = self.recall(tx)
        id = ids.internal(Noun.CHAT, kept["chat"]) if kept else None
        if kept is None or id is None or id in self._mine:
            return None
        if kept["answer"] is not None:
            answer: dict[str, Any] = kept["answer"]
            return answer
        chat = store.by_id(tx, id)
        if chat is None or chat.ended in service.UNPAID:
            return None  # it came to nothing: this may be a new one
        if chat.ended is None:
            raise IdempotencyInProgress(retry_after=1)
        raise IdempotencyStreamEnded.at("", f"The chat was {kept['chat']}.")

    def keep_chat(self, tx: Tx, id: UUID) -> None:
        """In the transaction that accepts a chat, before anything else of it."""
        if not self.is_given:
            return
        if self._answer(tx) is not None:
            raise IdempotencyInProgress(retry_after=1)  # answered in this moment
        self._mine.add(id)
        self.keep(tx, {"chat": ids.public(Noun.CHAT, id), "answer": None})

    def keep_answer(self, tx: Tx, answer: dict[str, Any]) -> None:
        self.keep(tx, {"chat": answer["id"], "answer": answer})
