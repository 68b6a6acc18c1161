"""Accounts that are signed in, and what nodes would have said for them."""

from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any
from uuid import UUID

import pytest
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from app.core import db
from app.core.config.settings import Settings
from app.domains.providers.providers import saved_offers
from app.domains.providers.providers.offer_rules import OfferFields
from tests import builders

MODEL = "example/model-7b"
PROFILE = {
    "display_name": "Ada's computers",
    "handle": "ada",
    "description": "Two machines in a cellar.",
    "website": "https://ada.example/",
    "published": True,
}


class Provider:
    """A signed-in account at a test client."""

    def __init__(self, client: FlaskClient, settings: Settings, email: str) -> None:
        self.client = client
        with db.transaction() as tx:
            self.account_id = builders.account(tx, email)
            self.token = builders.access_token(tx, settings, self.account_id)

    def call(self, method: str, path: str, body: Any = None) -> TestResponse:
        headers = {"Authorization": f"Bearer {self.token}"}
        return self.client.open(path, method=method, json=body, headers=headers)

    def save_profile(self, **changes: Any) -> TestResponse:
        return self.call("PUT", "/v1/provider-profile", PROFILE | changes)

    def offer(
        self,
        *,
        device_id: str = "cellar-1",
        model: str = MODEL,
        rates: tuple[str, str] = ("0.25", "1.5"),
        silent_seconds: float | None = 0,
        **said: Any,
    ) -> UUID:
        """What a node says that offers a model; last heard of so many seconds ago, or never."""
        ago = None if silent_seconds is None else timedelta(seconds=silent_seconds)
        offered = OfferFields(
            device_id=device_id,
            model=model,
            model_revision=said.pop("model_revision", "r1"),
            input_rate=Decimal(rates[0]),
            output_rate=Decimal(rates[1]),
            public_name=said.pop("public_name", "cellar"),
            seen_at=None if ago is None else datetime.now(UTC) - ago,
            **said,
        )
        with db.transaction() as tx:
            return saved_offers.save_offer(tx, self.account_id, offered).id

    def publish(self, offer_id: UUID, published: bool = True, name: str = "cellar") -> TestResponse:
        body = {"public_name": name, "published": published}
        return self.call("PUT", f"/v1/provider-offers/{offer_id}", body)


def problem(answer: TestResponse) -> tuple[int, str]:
    """Status and code of a refusal."""
    return answer.status_code, answer.get_json()["error"]["code"]


@pytest.fixture
def ada(client: FlaskClient, settings: Settings) -> Provider:
    return Provider(client, settings, "ada@example.org")


@pytest.fixture
def bob(client: FlaskClient, settings: Settings) -> Provider:
    return Provider(client, settings, "bob@example.org")
