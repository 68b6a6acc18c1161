"""What a run still needs is kept, however short RETENTION_DAYS is."""

from dataclasses import replace

import pytest

from app.core import db
from app.core.config.settings import Settings
from app.domains.campaigns.campaigns import service
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


READ = """
    insert into campaign_pages (id, run_id, campaign_id, url, kinds, state, outcome, read_at)
    values (gen_random_uuid(), %(run_id)s, %(campaign_id)s, 'https://a.test/', '{web}', 'done',
            'read', now() - interval '3 days')
    """


@pytest.mark.parametrize(("state", "kept"), [("reviewing", 1), ("closed", 0)])
def test_the_pages_of_a_run_are_kept_until_its_report_has_counted_them(
    settings: Settings, state: str, kept: int
) -> None:
    case = Case.of(settings)
    with db.transaction() as tx:
        tx.execute(READ, {"run_id": case.run_id, "campaign_id": case.campaign.id})
        tx.execute("update campaign_runs set state = %s, ended_at = now()", [state])
        service.retire_pages(tx, kept_days=2)
        assert db.value(tx, "select count(*) from campaign_pages") == kept
