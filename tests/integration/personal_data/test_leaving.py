"""Who deletes an account proves that it is theirs, leaves nothing open, and may still come back."""

from collections.abc import Callable
from decimal import Decimal
from typing import Any
from uuid import UUID

import pytest
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from app.core import db, ids
from app.core.config.settings import Settings
from app.core.ids import Noun
from app.domains.account.accounts import deletion
from app.domains.account.accounts.service import account_by_id
from app.domains.account.accounts.sign_in.authentication import make_demo
from app.domains.campaigns.reviews import gold_items
from app.domains.campaigns.reviews import store as review_store
from app.domains.campaigns.rewards import maturity
from app.domains.campaigns.rewards.store import freeze_judging
from app.domains.money.ledger import audit
from app.domains.money.ledger import service as ledger
from app.domains.money.ledger.store import LedgerAccount, balances
from app.domains.own_data.personal_data import deletion as deletion_work
from app.domains.own_data.personal_data import erasure
from app.domains.own_data.personal_data import service as personal_data
from app.domains.queue.jobs import service as jobs
from app.domains.queue.jobs import store
from app.domains.queue.jobs.dispatch import sweep
from tests import builders
from tests.integration.campaigns import disputed
from tests.integration.campaigns.disputed import Case

EMAIL, PASSWORD = "ada@example.org", "a long sentence about owls"
ACCOUNT = "/v1/account"
VOTED = """
    insert into votes (record_id, version, account_id, round, work_id, verdict, evidence, counted)
    values (%(record_id)s, 1, %(account_id)s, 0, gen_random_uuid(), true, '[]', true)
    """


def test_the_demo_account_stays_and_says_why(client: FlaskClient, settings: Settings) -> None:
    with db.transaction() as tx:
        token = builders.access_token(tx, settings, make_demo(tx))
    body = {"email": "demo@localhost", "password": PASSWORD}
    answer = client.delete(ACCOUNT, json=body, headers={"Authorization": f"Bearer {token}"})
    assert answer.status_code == 403
    assert answer.get_json()["error"]["details"] == [
        {
            "field": "/password",
            "problem": "The demo account has no password and cannot be deleted.",
        }
    ]


class Ada:
    """An account with a password, at the API."""

    def __init__(self, client: FlaskClient, settings: Settings) -> None:
        self.client, self.settings = client, settings
        with db.transaction() as tx:
            self.id = builders.account_with_password(tx, EMAIL, PASSWORD)
        self.headers = self.sign_in()

    def sign_in(self) -> dict[str, str]:
        body = {"email": EMAIL, "password": PASSWORD}
        answer = self.client.post("/v1/tokens", json=body)
        return {"Authorization": f"Bearer {answer.get_json().get('access_token')}"}

    def delete(self, **changes: Any) -> TestResponse:
        body = {"email": EMAIL, "password": PASSWORD, **changes}
        return self.client.delete(ACCOUNT, json=body, headers=self.headers)

    def erased(self) -> bool:
        """Let the days pass, and the work be done."""
        with db.transaction() as tx:
            tx.execute("update accounts set erase_at = now() where erase_at > now()")
            id = jobs.enqueue(tx, personal_data.ERASE, jobs.OPERATOR, {})
        builders.run(self.settings, [id])
        with db.reading() as reader:
            return not account_by_id(reader, self.id).email.startswith("ada")


@pytest.fixture
def ada(client: FlaskClient, settings: Settings) -> Ada:
    return Ada(client, settings)


def code(answer: TestResponse) -> str:
    return str(answer.get_json()["error"]["code"])


@pytest.mark.parametrize("wrong", [{"password": "another sentence"}, {"email": "eve@example.org"}])
def test_deleting_takes_the_password_and_the_email(ada: Ada, wrong: dict[str, str]) -> None:
    answer = ada.delete(**wrong)
    assert code(answer) == "deletion_not_confirmed"
    assert answer.get_json()["error"]["details"][0]["field"] == f"/{next(iter(wrong))}"


def test_every_credential_ends_at_once(ada: Ada) -> None:
    body = {"name": "laptop", "scopes": ["search"]}
    secret = ada.client.post("/v1/api-keys", json=body, headers=ada.headers).get_json()["secret"]
    assert ada.delete().status_code == 200
    for headers in (ada.headers, {"X-API-Key": secret}):
        answer = ada.client.get("/external/v1/search", headers=headers)
        assert code(answer) == "auth_revoked_token"


def test_what_another_process_made_a_moment_later_ends_as_well(ada: Ada) -> None:
    ada.delete()
    with db.transaction() as tx:  # by a session that it had seen just before
        secret = builders.api_key(tx, ada.settings, ada.id)
    answer = ada.client.get("/external/v1/search", headers={"X-API-Key": secret})
    assert code(answer) == "auth_revoked_token"


def test_signing_in_within_the_days_of_grace_keeps_the_account(ada: Ada) -> None:
    ada.delete()
    headers = ada.sign_in()
    assert not ada.erased()
    assert ada.client.get(ACCOUNT, headers=headers).status_code == 200


def test_an_account_that_cannot_be_erased_keeps_no_other_waiting(
    ada: Ada, monkeypatch: pytest.MonkeyPatch
) -> None:
    with db.transaction() as tx:
        broken = builders.account(tx, "broken@example.org")
        tx.execute("update accounts set erase_at = '2026-01-01' where id = %s", [broken])
    step = erasure.step

    def breaking(tx: db.Tx, account_id: UUID, most: int) -> int:
        if account_id == broken:
            raise LookupError(account_id)
        return step(tx, account_id, most)

    monkeypatch.setattr(erasure, "step", breaking)
    assert ada.delete().status_code == 200
    assert ada.erased()


def test_nobody_signs_in_to_an_account_that_was_erased(ada: Ada) -> None:
    ada.delete()
    assert ada.erased()
    assert ada.sign_in() == {"Authorization": "Bearer None"}


STOPPING = "select id from jobs where kind = 'accounts.stop' and state = 'queued'"


@pytest.fixture
def searching(ada: Ada) -> UUID:
    """A search of the account's that waits for a worker."""
    body = {"query": "How many eggs does a barn owl lay?"}
    search = ada.client.post("/external/v1/search", json=body, headers=ada.headers).get_json()
    return ids.lookup(Noun.SEARCH, search["id"])


def state_after_stopping(ada: Ada, searching: UUID) -> str:
    with db.reading() as reader:
        stop = list(db.values(reader, STOPPING))
    builders.run(ada.settings, stop)
    with db.reading() as reader:
        job = store.by_id(reader, searching)
    assert job is not None
    return job.state


def test_running_work_is_stopped(ada: Ada, searching: UUID) -> None:
    ada.delete()
    assert state_after_stopping(ada, searching) == "cancelled"


def test_running_work_is_stopped_however_long_the_queue_stood_still(
    ada: Ada, searching: UUID
) -> None:
    ada.delete()
    with db.transaction() as tx:
        tx.execute(
            "update jobs set deadline_at = now() - interval '1 s' where kind = 'accounts.stop'"
        )
        sweep.sweep(tx)
        tx.execute("update jobs set run_at = now() where kind = 'accounts.stop'")
    assert state_after_stopping(ada, searching) == "cancelled"


def test_what_runs_goes_on_if_the_account_was_kept_before_it_was_stopped(
    ada: Ada, searching: UUID
) -> None:
    ada.delete()
    ada.sign_in()
    assert state_after_stopping(ada, searching) == "queued"


def test_each_campaign_is_cancelled_in_a_transaction_of_its_own(ada: Ada) -> None:
    """One that moves money twice and a run that closes may wait for each other."""
    with db.transaction() as tx:
        builders.credit(tx, ada.id, "20")
    for _ in range(2):
        with db.transaction() as tx:
            disputed.funded_campaign(tx, ada.id)
    ada.delete(give_up_balance=True)
    with db.transaction() as tx:
        assert deletion_work.stop_some(tx, ada.id) == 1
        sql = "select count(*) from ledger_transfers where why = 'refund'"
        assert db.value(tx, sql) == 1


def test_credit_that_is_left_refuses_and_says_how_much(ada: Ada) -> None:
    with db.transaction() as tx:
        builders.credit(tx, ada.id, "3.5")
    answer = ada.delete()
    assert (answer.status_code, code(answer)) == (409, "balance_remains")
    assert answer.get_json()["error"]["details"] == [
        {"field": "/credit", "problem": "3.5 USD of credit."}
    ]


def test_an_open_payout_refuses_whatever_is_given_up(ada: Ada) -> None:
    with db.transaction() as tx:
        builders.payout(tx, ada.id)
    answer = ada.delete(give_up_balance=True)
    assert code(answer) == "obligations_open"
    assert answer.get_json()["error"]["details"][0]["problem"] == (
        "1 USD of a payout that waits for the operator; delete the account when it is settled."
    )


Pay = Callable[[db.Tx, UUID, str], None]


@pytest.mark.parametrize("pay", [builders.credit, builders.reward])
def test_the_books_balance_after_a_balance_was_given_up(ada: Ada, pay: Pay) -> None:
    with db.transaction() as tx:
        pay(tx, ada.id, "3.5")
    assert ada.delete(give_up_balance=True).status_code == 200
    assert ada.erased()
    with db.reading() as reader:
        assert balances(reader, ada.id, "credit", "available")[0].amount == Decimal(0)
        assert audit.broken(reader) == {}


def test_an_account_with_money_on_its_way_is_erased_later(ada: Ada) -> None:
    ada.delete()
    hold, held = ids.new(), LedgerAccount(ada.id, "held")
    with db.transaction() as tx:
        builders.credit(tx, ada.id, "1")
        source = LedgerAccount(ada.id, "credit")
        ledger.hold(tx, hold, "hold:late", "chat", "USD", source, held, Decimal(1))
    assert not ada.erased()
    with db.transaction() as tx:
        ledger.release(tx, hold, "release:late", "chat", LedgerAccount(ada.id, "credit"))
    assert ada.erased()


@pytest.mark.parametrize("voted", [False, True])
def test_who_may_be_paid_for_a_record_is_erased_when_its_run_has_closed(
    settings: Settings, voted: bool
) -> None:
    case = Case.of(settings)
    leaving = case.voter if voted else case.maker
    with db.transaction() as tx:
        if voted:
            tx.execute(VOTED, {"record_id": case.record_id, "account_id": case.voter})
        tx.execute("update accounts set erase_at = now() where id = %s", [leaving])
        assert erasure.begin(tx, leaving) == ["1 record that it may be paid for"]
        tx.execute("update campaign_runs set state = 'closed', ended_at = now()")
        assert erasure.begin(tx, leaving) == []


def test_frozen_rewards_keep_no_account_from_being_erased(settings: Settings) -> None:
    case = Case.of(settings)
    case.decide()
    case.close_run()
    assert case.maker is not None
    with db.transaction() as tx:
        freeze_judging(tx, case.maker)
        tx.execute("update campaign_runs set state = 'closed', ended_at = now()")
        tx.execute("update accounts set erase_at = now() where id = %s", [case.maker])
        assert erasure.begin(tx, case.maker) == ["0.7 USD pending"]
    with db.transaction() as tx:
        assert maturity.mature(tx, 0) == 1
        assert erasure.begin(tx, case.maker) == []


def test_who_is_suspended_gets_no_rewards_by_leaving_and_staying_after_all(
    settings: Settings,
) -> None:
    case = Case.of(settings)
    case.decide()
    assert case.maker is not None
    with db.transaction() as tx:
        freeze_judging(tx, case.maker)
        tx.execute("update accounts set erase_at = now() where id = %s", [case.maker])
        erasure.begin(tx, case.maker)
        assert not deletion.keep(tx, case.maker)


def test_chats_of_others_keep_the_price_they_were_accepted_at(ada: Ada) -> None:
    with db.transaction() as tx:
        offer = builders.offer(tx, ada.id)
        payer = builders.account(tx, "bob@example.org")
        tx.execute(
            "insert into chats (id, account_id, provider_id, offer_id, pricing_revision,"
            " input_rate, output_rate, max_cost, ended)"
            " values (%s, %s, %s, %s, 1, 0.25, 1.5, 1, 'done')",
            [ids.new(), payer, ada.id, offer],
        )
    ada.delete()
    assert ada.erased()
    with db.reading() as reader:
        kept = "select public_name from provider_offers where id = %(id)s"
        assert db.value(reader, kept, id=offer) == "erased"
        assert db.value(reader, "select count(*) from chats") == 1


def test_no_test_of_judges_that_was_made_of_its_records_is_left(ada: Ada) -> None:
    record_id = ids.new()
    with db.transaction() as tx:
        tx.execute(
            "insert into reviews (record_id, version, payer_id, k, state, deadline_at, decided_at)"
            " values (%s, 1, %s, 1, 'accepted', now(), now())",
            [record_id, ada.id],
        )
        review = review_store.lock(tx, record_id, 1)
        assert review is not None
        record = {"data": {"title": "Owls"}, "provenance": []}
        assert gold_items.keep(tx, gold_items.GoldDraft(review, record, truth=True))
    ada.delete()
    assert ada.erased()
    with db.reading() as reader:
        assert db.value(reader, "select count(*) from gold_items") == 0


def test_nothing_of_it_is_left_in_redis(ada: Ada) -> None:
    ada.delete()
    assert ada.erased()
    redis = ada.client.application.extensions["redis"]
    assert not [key for key in redis.scan_iter() if str(ada.id) in str(key) or EMAIL in str(key)]


def test_what_became_of_the_account_is_recorded_without_its_name(ada: Ada) -> None:
    ada.client.post("/v1/account/export", headers=ada.headers)
    ada.delete()
    ada.sign_in()
    ada.headers = ada.sign_in()
    ada.delete()
    assert ada.erased()
    with db.reading() as reader:
        rows = reader.execute(
            "select action, address, facts::text from audit_events"
            " where action like 'account.%%' order by id"
        ).fetchall()
    assert [action for action, *_ in rows] == [
        "account.export_requested",
        "account.deletion_requested",
        "account.kept",
        "account.deletion_requested",
        "account.erased",
    ]
    assert {address for _, address, _ in rows} == {None}
    assert all(EMAIL not in facts for *_, facts in rows)
