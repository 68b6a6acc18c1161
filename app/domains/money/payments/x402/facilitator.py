"""Settles through an x402 facilitator, which pays the gas, by its URL."""

from collections.abc import Callable
from typing import Any, Final

from app.core import log
from app.core.config.onchain import BYTES32
from app.domains.money.payments.interface import Requirement, Settlement
from app.engine.origin import Origin, OriginFailed

logger = log.get(__name__)

SETTLE_SECONDS: Final = 20.0


class Facilitator:
    """`POST /settle` (x402 specification v2, "Facilitator interface")."""

    def __init__(self, url: str) -> None:
        self._origin = Origin(url)

    def settle(
        self,
        offer: dict[str, Any],
        requirement: Requirement,
        on_exposure: Callable[[str | None], None],
    ) -> Settlement:
        """Hand the payment over. Whatever the answer, it may use the payment until that expires."""
        on_exposure(None)
        body = {"x402Version": 2, "paymentPayload": offer, "paymentRequirements": requirement}
        try:
            answer = self._origin.post("/settle", body, seconds=SETTLE_SECONDS)
        except OriginFailed as failed:
            logger.warning("facilitator gave no answer", host=failed.host, why=failed.reason)
            answer = None
        said = answer if isinstance(answer, dict) else {}
        if name := _transaction(said.get("transaction")):
            on_exposure(name)
        return Settlement(refused=False, reason=str(said.get("errorReason") or ""))


def _transaction(name: Any) -> str | None:
    return name if isinstance(name, str) and BYTES32.fullmatch(name) else None
