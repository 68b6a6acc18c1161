"""The operator's commands for who votes."""

import json

from app.core import db
from app.core.config.settings import Settings
from app.domains.account.audit import store as audit_store
from app.domains.campaigns.reviews import reputations
from app.domains.campaigns.reviews import service as reviews
from tests import builders
from tests.integration.local.conftest import Run

EMAIL = "voter@example.org"


def test_a_suspended_account_is_listed_and_reinstated(run: Run, settings: Settings) -> None:
    with db.transaction() as tx:
        account_id = builders.account(tx, EMAIL)
        for _ in range(4):
            reputations.learn(tx, {account_id: False}, are_gold=True)
    [listed] = json.loads(run("reviews", "show", "--json").output)
    assert (listed["wrong"], listed["gold"]) == (4, 4)
    assert run("reviews", "show").output.startswith(f"{EMAIL}  ")
    assert "suspended since" in run("reviews", "show", EMAIL).output
    assert "reinstated" in run("reviews", "reinstate", EMAIL).output
    assert "was not suspended" in run("reviews", "reinstate", EMAIL).output
    assert "No suspended accounts." in run("reviews", "show").output
    with db.reading() as reader:
        events = audit_store.of_account(reader, account_id, "reviewer", None, 10)
        assert [event.action for event in events] == ["reviewer.reinstated"]
        assert reviews.reputation(reader, account_id).suspended_at is None


def test_an_account_is_trusted_until_that_is_undone(run: Run, settings: Settings) -> None:
    with db.transaction() as tx:
        account_id = builders.account(tx, EMAIL)
    assert f"{EMAIL}: trusted." in run("reviews", "trust", EMAIL).output
    assert "trusted since" in run("reviews", "show", EMAIL).output
    assert "was trusted already" in run("reviews", "trust", EMAIL).output
    assert "no longer trusted" in run("reviews", "distrust", EMAIL).output
    assert "was not trusted" in run("reviews", "distrust", EMAIL).output
    with db.reading() as reader:
        events = audit_store.of_account(reader, account_id, "reviewer", None, 10)
        assert [event.action for event in events] == ["reviewer.distrusted", "reviewer.trusted"]
        assert reviews.reputation(reader, account_id).in_probation
