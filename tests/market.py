"""Providers with offers that were measured, for tests of pages: one function per noun."""

import base64
import io
import re
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from html import unescape
from uuid import UUID

from PIL import Image
from werkzeug.test import TestResponse

from app.core import db
from app.core.db import Tx
from app.domains.account.accounts.service import set_operator
from app.domains.providers.chats.health import health_store
from app.domains.providers.chats.health.health import ChatOutcome, Health
from app.domains.providers.providers import saved_offers
from app.domains.providers.providers import service as providers
from app.domains.providers.providers.offer_rules import OfferFields
from app.engine.judging import histogram
from tests import builders

MODEL = "example/model-7b"


def account(email: str, *, operator: bool = False) -> UUID:
    """A new account."""
    with db.transaction() as tx:
        id = builders.account(tx, email)
        if operator:
            set_operator(tx, email, operator=True)
    return id


def profile(account_id: UUID, handle: str, name: str, **changes: object) -> None:
    body = {"display_name": name, "handle": handle, "description": f"{name} in a cellar."}
    draft = providers.draft({**body, "website": None, "published": True, **changes})
    with db.transaction() as tx:
        providers.save_profile(tx, account_id, draft)


def picture(account_id: UUID) -> None:
    """A plain square as its avatar."""
    written = io.BytesIO()
    Image.new("RGB", (96, 96), "#1c7a3c").save(written, "PNG")
    data_url = f"data:image/png;base64,{base64.b64encode(written.getvalue()).decode()}"
    with db.transaction() as tx:
        providers.set_avatar(tx, account_id, providers.read_avatar(data_url))


def offer(
    account_id: UUID,
    rates: tuple[str, str],
    *,
    name: str = "cellar",
    model: str = MODEL,
    published: bool = True,
    seen: bool = True,
    **claimed: object,
) -> UUID:
    """A saved offer of a computer of this name, published if its profile is there."""
    offered = _offered(rates, name, model, seen=seen, **claimed)
    with db.transaction() as tx:
        return _saved(tx, account_id, offered, published=published)


def many_offers(account_id: UUID, model: str, count: int) -> None:
    """Published ones, each of a computer of its own."""
    with db.transaction() as tx:
        for number in range(count):
            offered = _offered(("0.1", "0.2"), f"rack {number}", model, seen=True)
            _saved(tx, account_id, offered, published=True)


def _offered(
    rates: tuple[str, str], name: str, model: str, *, seen: bool, **claimed: object
) -> OfferFields:
    return OfferFields(
        device_id=name,
        model=model,
        model_revision="r1",
        input_rate=Decimal(rates[0]),
        output_rate=Decimal(rates[1]),
        public_name=name,
        seen_at=datetime.now(UTC) + timedelta(hours=1 if seen else -1),
        **claimed,  # type: ignore[arg-type]
    )


def _saved(tx: Tx, account_id: UUID, offered: OfferFields, *, published: bool) -> UUID:
    id = saved_offers.save_offer(tx, account_id, offered).id
    if published:
        providers.change_offer(tx, account_id, id, offered.public_name, True)
    return id


def measure(offer_id: UUID, good: int, failed: int = 0, first_token_ms: int = 200) -> None:
    """So many chats of today."""
    counted = Health()
    for _ in range(good):
        outcome = ChatOutcome(first_token_ms=first_token_ms, tokens=50, seconds=1.0)
        counted.count(offer_id, outcome)
    for _ in range(failed):
        counted.count(offer_id, ChatOutcome(failed=True))
    counted.write()


def words(answer: TestResponse) -> str:
    """The text of a page, in one line."""
    body = re.sub(r"<(head|script|style)\b.*?</\1>", " ", answer.text, flags=re.DOTALL)
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", body)).split())


def history(offer_id: UUID, days: int, requests: int, failed: float, first_token_ms: int) -> None:
    """So many chats a day until today, a few more and slower on some days than on others."""
    today = datetime.now(UTC).replace(hour=12, minute=0, second=0, microsecond=0)
    minutes = [
        _minute(offer_id, today - timedelta(days=back), requests, failed, first_token_ms)
        for back in range(days)
    ]
    with db.transaction() as tx:
        health_store.add(tx, minutes)


def _minute(
    offer_id: UUID, at: datetime, requests: int, failed: float, first_token_ms: int
) -> health_store.Minute:
    share = at.day % 7 / 7
    count = round(requests * (0.7 + 0.6 * share))
    times, speeds = [0] * histogram.BUCKETS, [0] * histogram.BUCKETS
    slow = first_token_ms * (1 + share)
    times[histogram.bucket(slow, histogram.FIRST_TOKEN_MS)] = count
    speeds[histogram.bucket(60 - 20 * share, histogram.TOKENS_PER_SECOND)] = count
    lost = round(count * failed * (1 + 3 * share))
    return health_store.Minute(offer_id, at, count, lost, 0, times, speeds, count * 120)
