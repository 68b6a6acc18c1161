"""What is measured of offers, and what everybody sees of it."""

import psycopg
import pytest

from app.core import db
from app.domains.providers.chats.health import health, health_store
from app.domains.providers.chats.health.health import ChatOutcome, Health
from tests.integration.chats.conftest import Stage


def _count(stage: Stage, times: int, outcome: ChatOutcome) -> None:
    counted = Health()
    for _ in range(times):
        counted.count(stage.node.offers["example/model-7b"], outcome)
    counted.write()


def _windows(stage: Stage) -> list[dict[str, object]]:
    found = stage.app.test_client().get(f"/public/provider-offers/{stage.node.offer_id}/health")
    windows: list[dict[str, object]] = found.get_json()["windows"]
    return windows


GOOD = ChatOutcome(first_token_ms=200, tokens=50, seconds=1.0)


def test_enough_of_all_processes_is_published_by_windows(stage: Stage) -> None:
    _count(stage, 15, GOOD)
    hidden = {"error_rate": None, "first_token_ms": None, "tokens_per_second": None}
    assert _windows(stage)[0] == {"window": "5m", "requests": 15, **hidden}
    _count(stage, 4, ChatOutcome(failed=True))
    assert _windows(stage)[0] == {"window": "5m", "requests": 19, **hidden}
    _count(stage, 1, ChatOutcome(failed=True))
    shown = _windows(stage)
    assert [window["window"] for window in shown] == ["5m", "30m", "1d", "30d"]
    assert [window["requests"] for window in shown] == [20] * 4
    assert shown[0]["error_rate"] == 0.25
    assert 160 < shown[0]["first_token_ms"]["p50"] < 240  # type: ignore[index]
    assert 40 < shown[0]["tokens_per_second"]["p50"] < 60  # type: ignore[index]


def test_what_cannot_be_written_at_once_is_written_later(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    counted, offer_id = Health(), stage.node.offers["example/model-7b"]
    counted.count(offer_id, GOOD)

    def away(*_: object) -> None:
        counted.count(offer_id, GOOD)  # chats go on meanwhile
        raise psycopg.OperationalError

    with monkeypatch.context() as patch:
        patch.setattr(health_store, "add", away)
        with pytest.raises(psycopg.OperationalError):
            counted.write()
    counted.write()
    assert _windows(stage)[0]["requests"] == 2


def test_the_choice_goes_by_it(stage: Stage) -> None:
    _count(stage, 10, GOOD)
    id = stage.node.offers["example/model-7b"]
    with db.reading() as reader:
        measured = health.measured(reader, [id])[id]
    assert (measured.requests, measured.failed, measured.output_tokens) == (10, 0, 50)


def test_chats_are_counted(answering: Stage) -> None:
    answering.ask()
    answering.app.extensions["chats"].health.write()
    assert _windows(answering)[0]["requests"] == 1


def test_old_minutes_are_forgotten(stage: Stage) -> None:
    _count(stage, 1, GOOD)
    with db.transaction() as tx:
        tx.execute(
            "update offer_minutes set minute = minute - interval '3 days' where offer_id = %s",
            [stage.node.offer_id],
        )
        assert health_store.forget(tx, most=10) == 1


def test_a_month_outlives_its_minutes(stage: Stage) -> None:
    _count(stage, 20, GOOD)
    with db.transaction() as tx:
        tx.execute("delete from offer_minutes where offer_id = %s", [stage.node.offer_id])
    month = _windows(stage)[3]
    assert (month["window"], month["requests"], month["error_rate"]) == ("30d", 20, 0)


def test_days_are_told_apart_and_forgotten_after_a_month(stage: Stage) -> None:
    id = stage.node.offers["example/model-7b"]
    _count(stage, 20, GOOD)
    with db.transaction() as tx:
        tx.execute("update offer_days set day = day - 2 where offer_id = %s", [id])
    _count(stage, 1, GOOD)
    with db.reading() as reader:
        assert [day["requests"] for day in health.by_day(reader, [id]).values()] == [20, 1]
    with db.transaction() as tx:
        tx.execute("update offer_days set day = day - 29 where offer_id = %s", [id])
        assert health_store.forget_days(tx, most=10) == 1


def test_claims_of_a_public_offer_are_told_apart_from_measurements(stage: Stage) -> None:
    path = f"/public/provider-offers/{stage.node.offer_id}/health"
    offer = {"id": stage.node.offer_id}
    with db.transaction() as tx:
        tx.execute("update provider_offers set precision = 'fp8' where id = %(id)s", offer)
    shown = stage.app.test_client().get(path).get_json()
    assert shown["claimed"] == {"max_context": 8192, "precision": "fp8"}
    assert shown["revision_enabled"] is False
    with db.transaction() as tx:
        tx.execute("update provider_offers set published = false, listed = false")
    hidden = stage.app.test_client().get(path).get_json()
    assert hidden["error"]["code"] == "provider_offer_unavailable"
