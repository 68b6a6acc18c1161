"""`Idempotency-Key`: same key and body, same answer; one thing is made.

The stored answer commits together with what was made. It is kept encrypted, because some answers
carry a secret that is shown once.
"""

import base64
import hashlib
import json
import re
from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any, Final

from cryptography.fernet import Fernet, InvalidToken, MultiFernet
from flask import current_app, g, request
from marshmallow import Schema

from app.core import db
from app.core.config.settings import Settings
from app.core.db import Tx
from app.core.db.own_data import RowDeletion, Table
from app.core.errors import Conflict, Invalid
from app.core.http.fields import rfc3339
from app.core.redis import limits

VISIBLE = re.compile(r"[\x21-\x7e]{1,255}")


class IdempotencyKeyReused(Conflict):
    """This Idempotency-Key belongs to a different request. Use a new key."""

    code = "idempotency_key_reused"


class IdempotencyInProgress(Conflict):
    """A request with this Idempotency-Key is in progress. Try again in Retry-After seconds."""

    code, retryable = "idempotency_in_progress", True


class IdempotencyReplyLost(Conflict):
    """This request was made before, but its answer cannot be read: the server's SECRET_KEY was
    replaced. Look for what it made, or use a new key."""

    code = "idempotency_reply_lost"


TABLES: Final = (
    Table(
        "idempotency_keys",
        "answers given before, kept for a day",
        RowDeletion(where="starts_with(owner, %(account_id)s::text)"),
    ),
)

LOCK = "select pg_try_advisory_xact_lock(hashtextextended(%(lock)s, 0))"

STORED = """
    select fingerprint, reply from idempotency_keys
    where owner = %(owner)s and key = %(key)s and created_at > now() - make_interval(hours => 24)
    """

STORE = """
    insert into idempotency_keys (owner, key, fingerprint, reply)
    values (%(owner)s, %(key)s, %(fingerprint)s, %(reply)s)
    on conflict (owner, key) do update
    set fingerprint = excluded.fingerprint, reply = excluded.reply, created_at = now()
    """

FORGET = """
    with old as (
        select owner, key from idempotency_keys
        where created_at < now() - make_interval(hours => 24)
        order by created_at limit %(most)s for update skip locked
    )
    delete from idempotency_keys using old
    where idempotency_keys.owner = old.owner and idempotency_keys.key = old.key
    """


def once(
    body: Any,
    make: Callable[[Tx], Any],
    schema: type[Schema] | None = None,
    *,
    single: bool = False,
    known_as: Sequence[Any] = (),
) -> dict[str, Any]:
    """Run `make` in a transaction, or return what it returned for this key before.

    `make` returns the JSON answer, or what `schema` dumps as one; `single` says that it writes with
    one statement only, after whatever it reads. `known_as` stands for a body that has a secret in
    it: its forms under each SECRET_KEY, the newest first. Raises IdempotencyKeyReused,
    IdempotencyInProgress, IdempotencyReplyLost, Invalid.
    """
    key = IdempotencyKey(*(known_as or [body]))
    if not key.is_given:
        with db.single() if single else db.transaction(pipeline=True) as tx:
            return _dumped(make(tx), schema)
    with db.transaction() as tx:
        if (kept := key.recall(tx)) is not None:
            g.replayed = True
            return kept
        made = _dumped(make(tx), schema)
        key.keep(tx, made)
        return made


def _dumped(made: Any, schema: type[Schema] | None) -> dict[str, Any]:
    """In JSON's types already when it is stored, so that a replay equals it."""
    dumped: dict[str, Any] = made if schema is None else schema().dump(made)
    return dumped


class IdempotencyKey:
    """The key of the request at hand, and the reply that is kept for it.

    It outlives the request: an answer may come long after the transaction that accepts it. Where
    none is given, it recalls and keeps nothing.
    """

    def __init__(self, body: Any, *former: Any) -> None:
        """Raises Invalid for a key of another form."""
        self._key = _key()
        if self._key is not None:
            self._owner, self._fingerprint, self._cipher = _owner(), _fingerprint(body), _cipher()
            self._known = {self._fingerprint, *map(_fingerprint, former)}

    @property
    def is_given(self) -> bool:
        return self._key is not None

    def recall(self, tx: Tx) -> dict[str, Any] | None:
        """The reply kept for this key. Until `tx` ends nobody else recalls it.

        Raises IdempotencyKeyReused, IdempotencyInProgress, IdempotencyReplyLost.
        """
        if self._key is None:
            return None
        if not db.value(tx, LOCK, lock=f"{self._owner} {self._key}"):
            raise IdempotencyInProgress(retry_after=1)
        row = tx.execute(STORED, {"owner": self._owner, "key": self._key}).fetchone()
        if row is None:
            return None
        if bytes(row[0]) not in self._known:
            raise IdempotencyKeyReused
        try:
            kept: dict[str, Any] = json.loads(self._cipher.decrypt(bytes(row[1])))
        except InvalidToken:
            raise IdempotencyReplyLost from None  # made once: never twice
        return kept

    def keep(self, tx: Tx, reply: dict[str, Any]) -> None:
        """In the transaction that makes what `reply` says; a later one replaces it."""
        if self._key is None:
            return
        sealed = self._cipher.encrypt(json.dumps(reply, default=_plain).encode())
        db.run(
            tx, STORE, owner=self._owner, key=self._key, fingerprint=self._fingerprint, reply=sealed
        )


def _key() -> str | None:
    given = request.headers.get("Idempotency-Key")
    if given is None:
        return None
    # draft-ietf-httpapi-idempotency-key-header quotes the value; usage does not.
    key = given[1:-1] if len(given) > 2 and given[0] == given[-1] == '"' else given
    if not VISIBLE.fullmatch(key):
        raise Invalid.at("", "Idempotency-Key takes 1 to 255 visible ASCII characters.")
    return key


def _owner() -> str:
    """Whose key it is: of two accounts, or two addresses without one, neither meets the other's.

    Nor does an API key that is limited, and sees nothing of the others of its account.
    """
    if "caller" in g:
        limited_key = g.caller.limited_key
        return f"{g.caller.account_id} {limited_key}" if limited_key else str(g.caller.account_id)
    return f"address {limits.network(request.remote_addr or '')}"


def _fingerprint(body: Any) -> bytes:
    request_text = json.dumps([request.method, request.path, body], sort_keys=True, default=_plain)
    return hashlib.sha256(request_text.encode()).digest()


def _plain(value: Any) -> str:
    """RFC 3339 for times; ids and decimals as they print."""
    return str(rfc3339(value) if isinstance(value, datetime) else value)


def _cipher() -> MultiFernet:
    found: MultiFernet = current_app.extensions["idempotency_cipher"]
    return found


def forget_old(tx: Tx, most: int = 1_000) -> int:
    """Delete some keys past their 24 hours; returns how many."""
    return db.run(tx, FORGET, most=most)


def cipher(settings: Settings) -> MultiFernet:
    """Seals answers with SECRET_KEY; opens those that SECRET_KEY_PREVIOUS sealed as well."""
    keys = (hashlib.sha256(b"idempotency" + key.encode()).digest() for key in settings.secret_keys)
    return MultiFernet([Fernet(base64.urlsafe_b64encode(key)) for key in keys])
