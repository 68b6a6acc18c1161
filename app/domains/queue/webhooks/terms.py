"""Terms of delivery: the addresses this server sends to, and how its secrets are kept."""

from dataclasses import dataclass
from typing import Self

from app.core.config.settings import Settings
from app.core.vault import Vault
from app.domains.queue.webhooks import delivery
from app.engine.fetch import FetchPolicy


@dataclass(frozen=True, slots=True)
class DeliveryTerms:
    """From the settings: who may be sent to, and the key of the secrets."""

    policy: FetchPolicy
    vault: Vault

    @classmethod
    def of(cls, settings: Settings) -> Self:
        return cls(delivery.policy(settings), Vault(settings.secret_keys, "webhooks"))

    def refusal(self, url: str) -> str | None:
        """Why nothing will be sent to `url`, as far as can be told without looking its name up."""
        return delivery.refusal(url, self.policy)
