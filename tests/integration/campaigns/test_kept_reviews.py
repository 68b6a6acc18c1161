"""Reviews are kept as long as money may follow from them, however short RETENTION_DAYS is."""

from dataclasses import replace

import pytest

from app.core import db
from app.core.config.settings import Settings
from tests.integration.campaigns.disputed import Case
from workers.housekeeping import retention
from workers.housekeeping.retention import Expires

AGED = """
    update reviews set decided_at = now() - make_interval(hours => %(decided)s),
                       deadline_at = now() - make_interval(hours => %(deadline)s)
    """


@pytest.mark.parametrize(
    ("hours_decided", "hours_since_run", "kept"),
    [
        (100, -24, 1),  # its run shares its pool by its votes
        (60, 59, 1),  # it can be disputed for 72 hours
        (100, 99, 0),
    ],
    ids=["run is open", "can be disputed", "nothing follows"],
)
def test_a_review_is_kept_while_money_may_follow_from_it(
    settings: Settings, hours_decided: int, hours_since_run: int, kept: int
) -> None:
    Case.of(settings).decide()
    rule = retention.rules(replace(settings, retention_days=0.01))["reviews"]
    assert isinstance(rule, Expires)
    with db.transaction() as tx:
        tx.execute(AGED, {"decided": hours_decided, "deadline": hours_since_run})
        rule.forget(tx, most=10)
        assert db.value(tx, "select count(*) from reviews") == kept
