"""The context with which another process goes on with a paid search: everything but the key."""

import json
import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any, ClassVar, Self

from citegrid.errors import CitegridError
from citegrid.profiles import saved
from citegrid.transport import untrusted_json


class PaymentContextInvalid(CitegridError, ValueError):
    """The payment context is invalid, or belongs to another version or server."""

    code = "payment_context_invalid"


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class PaymentContext:
    """One payment and the search it is for. A secret: it reads the answer.

    It holds no key and no RPC address. With it, anyone can make this one payment to this one payee
    complete, and read what was bought; nothing else.
    """

    VERSION: ClassVar[int] = 1

    base_url: str
    body: Mapping[str, Any]
    """The request, as it was paid for."""
    network: str
    asset: str
    amount: str
    """In atomic units of the asset."""
    pay_to: str
    payer: str
    nonce: str
    valid_before: int
    """Seconds since 1970."""
    payment_id: str
    payment_signature: str
    """The header that pays; sent again it changes nothing."""
    search_id: str | None = None
    access_token: str | None = None
    transaction: str | None = None

    def __repr__(self) -> str:
        return f"PaymentContext(search_id={self.search_id!r}, payer={self.payer!r})"

    def to_json(self) -> str:
        """For storing; keep it as you would keep a password."""
        return json.dumps(self._stored())

    def _stored(self) -> dict[str, Any]:
        return {"version": self.VERSION, **asdict(self)}

    @classmethod
    def from_json(cls, text: str) -> Self:
        """Raises PaymentContextInvalid."""
        try:
            stored = untrusted_json.loads(text)
        except ValueError:
            stored = None
        if not isinstance(stored, dict) or stored.pop("version", None) != cls.VERSION:
            raise PaymentContextInvalid("This is no payment context of this version.")
        known = {field.name for field in fields(cls)}
        try:
            context = cls(**{name: value for name, value in stored.items() if name in known})
        except TypeError:
            raise PaymentContextInvalid("The payment context lacks a part.") from None
        context._check()
        return context

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write to a file that only its owner may read; whole or not at all, and on the disk."""
        saved.write(Path(path), self._stored())

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """Raises OSError, PaymentContextInvalid."""
        return cls.from_json(Path(path).read_text(encoding="utf-8", errors="replace"))

    def _check(self) -> None:
        texts = ("base_url", "payment_signature", "network", "payer", "nonce")
        if not all(isinstance(getattr(self, name), str) for name in texts):
            raise PaymentContextInvalid("A part of the payment context is of another type.")
        if not isinstance(self.body, dict):
            raise PaymentContextInvalid("The payment context lacks its request.")
