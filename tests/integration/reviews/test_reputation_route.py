"""What the owner of nodes is shown of their votes."""

from typing import Any

from flask import Flask

from app.core import db
from app.core.config.settings import Settings
from app.domains.campaigns.reviews import reputations
from tests import builders


def shown(app: Flask, key: str) -> dict[str, Any]:
    answer = app.test_client().get("/v1/reputation", headers={"X-API-Key": key})
    assert answer.status_code == 200, answer.json
    reputation: dict[str, Any] = answer.json["reputation"]
    return reputation


def test_an_answer_does_not_show_at_once_whether_it_was_right(
    app: Flask, settings: Settings
) -> None:
    with db.transaction() as tx:
        account_id = builders.account(tx)
        key = builders.api_key(tx, settings, account_id, ("nodes",))
        reputations.learn(tx, {account_id: False}, are_gold=True)
    assert (shown(app, key)["right"], shown(app, key)["wrong"]) == (0, 0)


def test_after_a_day_it_is_shown(app: Flask, settings: Settings) -> None:
    with db.transaction() as tx:
        account_id = builders.account(tx)
        key = builders.api_key(tx, settings, account_id, ("nodes",))
        reputations.learn(tx, {account_id: True})
        tx.execute("update reputations set shown_at = now() - interval '25 hours'")
    reputation = shown(app, key)
    assert (reputation["right"], reputation["in_probation"]) == (1, True)
    assert reputation["interval_90"][0] < reputation["mean"] < reputation["interval_90"][1]
