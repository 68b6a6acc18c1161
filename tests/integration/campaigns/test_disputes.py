"""A dispute upheld returns all that a record paid; an appeal upheld pays what it should have."""

import threading
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from flask.testing import FlaskClient

from app.cli import main
from app.core import db, ids
from app.core.config.settings import Settings
from app.core.ids import Noun
from app.domains.campaigns.campaigns import service
from app.domains.campaigns.campaigns.disputes import presentation, schemas, settlement
from app.domains.campaigns.campaigns.disputes import service as disputes
from app.domains.campaigns.campaigns.disputes.store import overdue
from app.domains.campaigns.campaigns.money.progress import progress_of
from app.domains.campaigns.campaigns.money.statistics import statistics_of
from app.domains.campaigns.campaigns.records import record_store
from app.domains.campaigns.campaigns.service import CampaignNotFound, RecordNotFound
from app.domains.campaigns.reviews import service as reviews
from app.domains.campaigns.reviews import store, subjects
from app.domains.campaigns.reviews.store import Review
from app.domains.campaigns.rewards import maturity, shares
from app.domains.queue.webhooks import service as webhooks
from app.domains.queue.webhooks.terms import DeliveryTerms
from tests import builders, servers
from tests.databases import sessions_waiting
from tests.integration.campaigns.disputed import REASON, TOKEN, WINDOW_HOURS, Case
from tests.integration.campaigns.market import assert_the_books_add_up
from tests.integration.rewards.runs import Vote


@pytest.fixture
def case(settings: Settings) -> Iterator[Case]:
    yield Case.of(settings)
    assert_the_books_add_up(settings)


@pytest.fixture
def accepted(case: Case) -> Case:
    case.decide()
    return case


@pytest.fixture
def rejected(case: Case) -> Case:
    case.decide("rejected")
    return case


def test_a_dispute_upheld_returns_all_that_the_record_paid(accepted: Case) -> None:
    accepted.close_run(Vote(accepted.voter, accepted.record_id))
    accepted.dispute()
    accepted.judged(upheld=True)
    assert accepted.states() == ("rejected", "rejected")
    assert accepted.balance(accepted.maker, "pending") == "0"
    assert accepted.balance(accepted.voter, "pending") == "0"
    assert accepted.balance(accepted.campaign.id, "escrow") == "10"


def test_before_its_run_closes_the_part_in_the_pool_returns_too_and_once(accepted: Case) -> None:
    accepted.dispute()
    accepted.judged(upheld=True)
    dispute = accepted.found()
    for step in settlement.steps(dispute):  # again, as after a crash
        with db.transaction() as tx:
            step(tx, dispute)
    assert accepted.balance(accepted.run_id, "pool") == "0"
    assert accepted.balance(accepted.campaign.id, "escrow") == "10"


def spent_and_refunded(case: Case) -> tuple[Decimal, Decimal, Decimal]:
    """The spending by its reasons, the same as one amount, and what the funder has back."""
    with db.reading() as reader:
        campaign = service.find(reader, case.funder, case.campaign.id)
        reasons = statistics_of(reader, campaign).spending
        spent = progress_of(reader, campaign).spent
    return sum(reasons.values(), Decimal(0)), spent, campaign.refunded


def test_a_dispute_upheld_after_the_end_of_the_campaign_leaves_no_spending(accepted: Case) -> None:
    accepted.close_run()
    with db.transaction() as tx:
        service.cancel(tx, accepted.funder, accepted.campaign.id)
    accepted.dispute()
    accepted.judged(upheld=True)
    assert spent_and_refunded(accepted) == (0, 0, 10)
    assert accepted.balance(accepted.funder, "credit") == "10"


@pytest.mark.parametrize(("upheld", "spent"), [(False, "0"), (True, "0.7")])
def test_an_appeal_decided_after_the_end_of_the_campaign_spends_what_it_pays(
    rejected: Case, upheld: bool, spent: str
) -> None:
    rejected.close_run()
    rejected.appeal()
    with db.transaction() as tx:
        service.cancel(tx, rejected.funder, rejected.campaign.id)
    rejected.judged(upheld)
    cost = Decimal(spent)
    assert spent_and_refunded(rejected) == (cost, cost, 10 - cost)


def test_an_exhausted_campaign_goes_on_with_what_a_dispute_returns(accepted: Case) -> None:
    accepted.close_run()
    with db.transaction() as tx:
        tx.execute("update campaigns set state = 'exhausted'")
    accepted.dispute()
    accepted.judged(upheld=True)
    with db.reading() as reader:
        campaign = service.any_account(reader, accepted.campaign.id)
    assert (campaign.state, campaign.schedule_id is not None) == ("active", True)


def test_a_reward_is_available_once_its_dispute_is_refused_and_not_before(accepted: Case) -> None:
    accepted.dispute()
    with db.transaction() as tx:
        tx.execute("update reward_entries set created_at = now() - interval '80 hours'")
        assert maturity.mature(tx, WINDOW_HOURS) == 0
    accepted.judged(upheld=False)
    assert accepted.states() == ("accepted", "accepted")
    assert accepted.balance(accepted.maker, "available") == "0.7"


def test_a_dispute_has_the_record_judged_again_by_others_while_it_is_open(accepted: Case) -> None:
    ends_at = accepted.dispute().ends_at
    with db.transaction() as tx:
        review = store.lock(tx, accepted.record_id, 1)
        assert review is not None
        assert (review.state, review.round, review.deadline_at) == ("open", 1, ends_at)
        # As the last of their votes does.
        subjects.SUBJECT.only.dispute_decided(tx, accepted.record_id, 1, True)
    assert (accepted.found().state, accepted.found().decided_by) == ("upheld", "votes")


def test_an_appeal_upheld_pays_the_contributor_and_the_votes_that_were_right(
    rejected: Case,
) -> None:
    wrong = Vote(rejected.voter, rejected.record_id, verdict=False)
    rejected.close_run(wrong)
    rejected.appeal()
    rejected.judged(upheld=True)
    assert rejected.states() == ("accepted", "accepted")
    assert rejected.balance(rejected.maker, "pending") == "0.7"
    assert rejected.balance(rejected.campaign.id, "reserved") == "0"
    # Of this record no vote was right: its part for votes returned.
    assert rejected.balance(rejected.campaign.id, "escrow") == "9.3"


def test_an_appeal_upheld_takes_back_what_votes_earned_and_the_books_add_up(
    rejected: Case,
) -> None:
    with db.transaction() as tx:  # another record fills the pool of the run
        assert shares.accept(
            tx,
            shares.AcceptedVersion(
                campaign_id=rejected.campaign.id,
                run_id=rejected.run_id,
                record_id=ids.new(),
                version=1,
                token=TOKEN,
                reward=rejected.campaign.reward,
                contributor_id=None,
                refreshed=False,
            ),
            rejected.run_id,
        )
    rejected.close_run(Vote(rejected.voter, rejected.record_id, verdict=False))
    assert rejected.balance(rejected.voter, "pending") == "0.3"
    rejected.appeal()
    rejected.judged(upheld=True)
    assert rejected.balance(rejected.voter, "pending") == "0"


def test_an_appeal_refused_gives_back_what_it_set_aside(rejected: Case) -> None:
    rejected.close_run()
    own = "update campaign_records set duplicate_of = id where id = %s"
    with db.transaction() as tx:
        tx.execute(own, [rejected.record_id])
    shown = schemas.DisputeSchema().dump(presentation.dispute(rejected.appeal()))
    assert shown["duplicate_of"] == ids.public(Noun.CAMPAIGN_RECORD, rejected.record_id)
    assert rejected.balance(rejected.campaign.id, "reserved") == "1"
    rejected.judged(upheld=False)
    assert rejected.states() == ("rejected", "rejected")
    assert rejected.balance(rejected.campaign.id, "escrow") == "10"


def test_where_nothing_is_left_an_appeal_is_upheld_unpaid(rejected: Case) -> None:
    rejected.close_run()
    with db.transaction() as tx:
        service.cancel(tx, rejected.funder, rejected.campaign.id)
    rejected.appeal()
    rejected.judged(upheld=True)
    assert rejected.states() == ("accepted", "accepted")
    assert rejected.balance(rejected.maker, "pending") == "0"


def test_an_appeal_upheld_pays_nobody_for_what_another_record_has_said_meanwhile(
    rejected: Case,
) -> None:
    rejected.close_run()
    rejected.appeal()
    other = rejected.rival("accepted")
    rejected.judged(upheld=True)
    assert rejected.states() == ("rejected", "rejected")
    assert rejected.balance(rejected.maker, "pending") == "0"
    assert rejected.balance(rejected.campaign.id, "escrow") == "10"
    assert rejected.found().duplicate_of == other


def test_a_copy_whose_appeal_is_upheld_is_none(rejected: Case) -> None:
    with db.transaction() as tx:  # a record that differs from it is taken for the same
        tx.execute("update campaign_records set duplicate_of = gen_random_uuid()")
    rejected.appeal()
    rejected.judged(upheld=True)
    with db.reading() as reader:
        record = record_store.of_campaign(reader, rejected.campaign.id, rejected.record_id)
        counts = record_store.tally(reader, rejected.campaign.id)
    assert record is not None
    assert (record.state, record.duplicate_of) == ("accepted", None)
    assert counts.duplicates == 0


def test_an_appeal_upheld_waits_for_the_judgement_of_what_says_the_same(rejected: Case) -> None:
    rejected.close_run()
    rejected.appeal()
    other = rejected.rival("candidate")
    rejected.judged(upheld=True)
    assert rejected.balance(rejected.campaign.id, "reserved") == "1"
    with db.transaction() as tx:
        record_store.refuse(tx, other, 1, ("candidate",), "rejected")
        tx.execute("update record_disputes set decided_at = now() - interval '1 hour'")
        assert disputes.promise_unsettled(tx, 10) == 1
    rejected.work()
    assert rejected.states() == ("accepted", "accepted")
    assert rejected.balance(rejected.maker, "pending") == "0.7"


def test_an_appeal_is_judged_by_what_became_of_the_record(case: Case) -> None:
    case.decide("unresolved")
    with db.transaction() as tx:  # the votes accepted it, and it could not be paid
        tx.execute("update reviews set state = 'accepted'")
    case.appeal()
    with db.transaction() as tx:
        review = store.lock(tx, case.record_id, 1)
    assert review is not None
    assert review.former == "unresolved"


def test_only_the_funder_disputes_and_only_the_contributor_appeals(
    accepted: Case, settings: Settings
) -> None:
    assert accepted.maker is not None
    with pytest.raises(CampaignNotFound):
        accepted.dispute(accepted.maker)
    with pytest.raises(RecordNotFound):
        accepted.appeal(accepted.funder)


def test_a_rejected_record_cannot_be_disputed(rejected: Case) -> None:
    with pytest.raises(disputes.DisputeWindowOver):
        rejected.dispute()


def test_an_accepted_record_is_disputed_once_within_its_window_and_not_appealed(
    accepted: Case,
) -> None:
    accepted.pass_hours(72)
    with pytest.raises(disputes.DisputeWindowOver):
        accepted.dispute()
    accepted.pass_hours(-1)
    with pytest.raises(disputes.DisputeWindowOver):
        accepted.appeal()
    accepted.dispute()
    with pytest.raises(disputes.AlreadyDisputed):
        accepted.dispute()


LOST = """
    insert into record_disputes (id, kind, campaign_id, record_id, version, account_id, funder_id,
                                 reason, state, decided_by, opened_at, decided_at, settled_at)
    select gen_random_uuid(), 'dispute', gen_random_uuid(), gen_random_uuid(), 1, %(account)s,
           %(account)s, 'x', case when n <= %(lost)s then 'refused' else 'upheld' end, 'votes',
           now() - interval '2 hours', now(), now()
    from generate_series(1, 10) n
    """


UNDECIDED = """
    insert into record_disputes (id, kind, campaign_id, record_id, version, account_id, funder_id,
                                 reason, state)
    select gen_random_uuid(), 'appeal', gen_random_uuid(), gen_random_uuid(), 1, %(account)s,
           %(account)s, 'x', 'open'
    from generate_series(1, 20)
    """


@pytest.mark.parametrize(("lost", "may"), [(5, True), (6, False)])
def test_who_loses_more_than_half_may_open_one_a_day(accepted: Case, lost: int, may: bool) -> None:
    with db.transaction() as tx:
        tx.execute(LOST, {"account": accepted.funder, "lost": lost})
    if may:
        accepted.dispute()
        return
    with pytest.raises(disputes.DisputeLimit) as refused:
        accepted.dispute()
    assert 21 * 3_600 < refused.value.retry_after_seconds <= 22 * 3_600


@pytest.mark.parametrize(("past", "lost", "may"), [(0, 0, False), (10, 5, True), (10, 6, False)])
def test_who_has_not_been_right_before_has_twenty_open(
    accepted: Case, past: int, lost: int, may: bool
) -> None:
    with db.transaction() as tx:
        tx.execute(UNDECIDED, {"account": accepted.funder})
        if past:
            tx.execute(LOST, {"account": accepted.funder, "lost": lost})
        tx.execute("update record_disputes set opened_at = now() - interval '2 days'")
    if may:
        accepted.dispute()
        return
    with pytest.raises(disputes.DisputeLimit):
        accepted.dispute()


def test_of_two_disputes_at_once_who_loses_most_opens_one(
    accepted: Case, settings: Settings
) -> None:
    with db.transaction() as tx:
        tx.execute(LOST, {"account": accepted.funder, "lost": 6})
        tx.execute("update record_disputes set opened_at = now() - interval '2 days'")
        builders.credit(tx, accepted.funder, "10")
    other = Case.between(settings, accepted.funder, accepted.maker, accepted.voter)
    other.decide()
    refused: list[str] = []

    def second() -> None:
        try:
            other.dispute()
        except disputes.DisputeLimit as limit:
            refused.append(limit.code)

    thread = threading.Thread(target=second)
    with db.transaction() as tx:
        accepted.dispute_in(tx)
        thread.start()
        servers.until(sessions_waiting)
    thread.join()
    assert refused == ["dispute_limit"]


def test_the_operator_decides_once(accepted: Case) -> None:
    opened = accepted.dispute().id
    with db.transaction() as tx:
        disputes.decide(tx, opened, upheld=True)
    with pytest.raises(disputes.DisputeEnded), db.transaction() as tx:
        disputes.decide(tx, opened, upheld=False)
    accepted.work()
    assert (accepted.found().decided_by, accepted.states()[0]) == ("operator", "rejected")


def test_the_operator_lists_and_decides_by_commands(
    accepted: Case, settings: Settings, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for name in ("DATABASE_URL", "REDIS_URL", "SECRET_KEY"):
        monkeypatch.setenv(name, getattr(settings, name.lower()))
    monkeypatch.setattr("app.local.database.db.open", lambda *_, **__: None)
    monkeypatch.setattr("app.local.database.db.close", lambda: None)

    def run(*words: str) -> str:
        done = CliRunner().invoke(main, ["disputes", *words, "--data", str(tmp_path)])
        assert done.exit_code == 0, done.output
        return done.stdout

    opened = ids.public(Noun.DISPUTE, accepted.dispute().id)
    (listed,) = run("list").splitlines()
    assert listed.startswith(opened)
    assert listed.endswith(REASON)
    assert run("refuse", opened) == f"{opened}: refused.\n"


def test_after_seven_days_it_is_refused(accepted: Case) -> None:
    accepted.dispute()
    accepted.pass_hours(7 * 24)
    with db.transaction() as tx:
        for dispute in overdue(tx, 10):
            disputes.refuse_overdue(tx, dispute)
    accepted.work()
    assert (accepted.found().state, accepted.found().decided_by) == ("refused", "time")
    assert accepted.balance(accepted.maker, "available") == "0.7"


def review_of(case: Case) -> Review:
    with db.transaction() as tx:
        review = store.lock(tx, case.record_id, 1)
    assert review is not None
    return review


def test_too_few_votes_at_its_end_do_not_decide_it(accepted: Case) -> None:
    accepted.dispute()
    with db.transaction() as tx:
        tx.execute("update reviews set own_check = '{}', deadline_at = now()")
        reviews.attend(tx, accepted.record_id, 1, reviews.Patience(1e9, 1e9))
    assert (accepted.found().state, accepted.found().decided_by) == ("refused", "time")


def test_what_did_not_follow_is_promised_again(accepted: Case) -> None:
    accepted.dispute()
    with db.transaction() as tx:
        disputes.decided(tx, accepted.record_id, 1, True)
        tx.execute("update jobs set state = 'failed', finished_at = now()")
        tx.execute("update record_disputes set decided_at = now() - interval '1 hour'")
    with db.transaction() as tx:
        assert disputes.promise_unsettled(tx, 10) == 1
    accepted.work()
    assert accepted.states()[0] == "rejected"


def test_both_sides_hear_of_it(accepted: Case, settings: Settings) -> None:
    assert accepted.maker is not None
    with db.transaction() as tx:
        for account in (accepted.funder, accepted.maker):
            terms = DeliveryTerms.of(settings)
            webhooks.create(tx, account, "https://example.org/", ["record.disputed"], terms)
    accepted.dispute()
    with db.transaction() as tx:
        heard = tx.execute("select account_id from webhook_events").fetchall()
    assert {row[0] for row in heard} == {accepted.funder, accepted.maker}


def test_over_http_it_is_opened_listed_by_both_and_judged_by_others_at_once(
    accepted: Case, client: FlaskClient, settings: Settings
) -> None:
    assert accepted.maker is not None
    with db.transaction() as tx:
        funder = builders.api_key(tx, settings, accepted.funder, ("campaigns",))
        maker = builders.api_key(tx, settings, accepted.maker, ("nodes",))
    campaign = f"/v1/campaigns/{ids.public(Noun.CAMPAIGN, accepted.campaign.id)}"
    record = f"{campaign}/records/{ids.public(Noun.CAMPAIGN_RECORD, accepted.record_id)}"

    def dispute(**changes: str) -> Any:
        body = {"category": "wrong_value", "reason": REASON, **changes}
        return client.post(f"{record}/dispute", json=body, headers={"X-API-Key": funder})

    refused = [dispute(reason="too short"), dispute(category="ugly")]
    assert [answer.status_code for answer in refused] == [400, 400]
    made = dispute()
    assert (made.status_code, made.headers["X-API-Status"]) == (201, "preview")
    assert len(review_of(accepted).assignments) == 5
    for path, key in ((f"{campaign}/disputes", funder), ("/v1/disputes", maker)):
        listed = client.get(path, headers={"X-API-Key": key}).get_json()["disputes"]
        assert listed == [made.get_json()["dispute"]]
