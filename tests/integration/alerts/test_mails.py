"""Mails of alerts: who gets which, how they are stopped, what a mail server's answers lead to."""

from dataclasses import replace

import pytest
from flask.testing import FlaskClient

from app.core import db, metrics
from app.core.config.settings import Settings
from app.domains.queue.alerts import service
from app.domains.queue.alerts.service import AlertLinkInvalid
from tests import builders
from tests.integration.alerts.mailbox import READER, AlertOwner, Mailbox

EXPIRE = "update alert_addresses set asked_at = asked_at - interval '25 hours'"


@pytest.fixture
def alert(owner: AlertOwner, mailbox: Mailbox) -> str:
    """An alert whose address is confirmed."""
    id = owner.alert()
    owner.work()
    owner.confirm(mailbox)
    mailbox.mails.clear()
    mailbox.raw.clear()
    return id


def test_an_address_gets_nothing_but_a_request_before_it_is_confirmed(
    owner: AlertOwner, mailbox: Mailbox
) -> None:
    id = owner.alert()
    owner.measure(id, 3)
    owner.work()
    assert [mail["Subject"] for mail in mailbox.mails] == ["Confirm alerts from Citegrid"]
    assert owner.alerts()[0]["state"] == "unconfirmed"


def test_a_confirmed_address_is_told_with_links_to_the_thing_and_to_stop(
    owner: AlertOwner, mailbox: Mailbox, alert: str
) -> None:
    owner.measure(alert, 3)
    owner.work()
    assert mailbox.recipients[-1] == [READER]
    text = mailbox.text()
    assert "Monitor Alder lamp: 3 runs in a row could not read a page." in text
    assert f"http://127.0.0.1:8000/monitors/{owner.alerts()[0]['monitor']}" in text
    assert mailbox.token("stop")


def test_a_mail_program_can_stop_the_alert_by_its_headers(
    owner: AlertOwner, mailbox: Mailbox, alert: str
) -> None:
    owner.measure(alert, 3)
    owner.work()
    link = f"<http://127.0.0.1:8000/alerts/stop/{mailbox.token('stop')}>".encode()
    assert b"\r\nList-Unsubscribe: " + link + b"\r\n" in mailbox.raw[-1]
    assert mailbox.mails[-1]["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"


def test_a_link_confirms_once(owner: AlertOwner, mailbox: Mailbox) -> None:
    owner.alert()
    owner.work()
    owner.confirm(mailbox)
    with pytest.raises(AlertLinkInvalid):
        owner.confirm(mailbox)


def test_a_link_expires_after_a_day(owner: AlertOwner, mailbox: Mailbox) -> None:
    owner.alert()
    owner.work()
    with db.transaction() as tx:
        tx.execute(EXPIRE)
    with pytest.raises(AlertLinkInvalid):
        owner.confirm(mailbox)


def test_no_table_holds_the_token(owner: AlertOwner, mailbox: Mailbox) -> None:
    owner.alert()
    owner.work()
    rows = "select coalesce(string_agg(t::text, ' '), '') from "
    with db.reading() as reader:
        kept = "".join(
            db.value(reader, rows + table)
            for table in ("alert_addresses t", "alert_mails t", "jobs t", "alerts t")
        )
    assert mailbox.token("confirm") not in kept


def test_a_second_alert_to_an_address_asks_it_no_second_time(
    owner: AlertOwner, mailbox: Mailbox
) -> None:
    owner.alert()
    owner.alert()
    owner.work()
    assert len(mailbox.mails) == 1


def test_an_alert_that_was_stopped_sends_nothing_that_waits(
    owner: AlertOwner, mailbox: Mailbox, alert: str
) -> None:
    owner.measure(alert, 3)
    with db.transaction() as tx:
        token = db.value(tx, "select stop_token from alerts")
        service.stop(tx, token)
        service.stop(tx, token)
    owner.work()
    assert mailbox.mails == []
    assert owner.mails()[-1] == ("failed", "not_wanted")
    assert owner.alerts()[0]["state"] == "stopped"


def test_who_refuses_is_asked_by_no_account(
    owner: AlertOwner, mailbox: Mailbox, client: FlaskClient, settings: Settings
) -> None:
    owner.alert()
    owner.work()
    with db.transaction() as tx:
        service.stop(tx, mailbox.token("stop"))
        account_id = builders.account(tx, "other@example.org")
        key = builders.api_key(tx, settings, account_id, ("jobs",))
    other = AlertOwner(settings, client, account_id, {"X-API-Key": key})
    refused = other.post(
        monitor=other.monitor(), condition="changed", email=READER.replace("reader", "Reader")
    )
    assert (refused.status_code, refused.get_json()["error"]["code"]) == (409, "email_refused")


def test_who_refuses_gets_no_more_alerts_that_were_confirmed_for_another_account(
    owner: AlertOwner, mailbox: Mailbox, alert: str, client: FlaskClient, settings: Settings
) -> None:
    with db.transaction() as tx:
        account_id = builders.account(tx, "other@example.org")
        key = builders.api_key(tx, settings, account_id, ("jobs",))
    other = AlertOwner(settings, client, account_id, {"X-API-Key": key})
    other.alert()
    other.work()
    with db.transaction() as tx:
        service.stop(tx, mailbox.token("stop"))
    assert owner.alerts()[0]["state"] == "refused"


def test_an_account_asks_ten_addresses_a_day(owner: AlertOwner, mailbox: Mailbox) -> None:
    for n in range(10):
        owner.alert(email=f"reader{n}@example.org")
    refused = owner.post(monitor=owner.monitor(), condition="changed", email="reader10@example.org")
    assert refused.status_code == 429
    assert refused.get_json()["error"]["code"] == "too_many_confirmations"


def test_accounts_together_ask_an_address_three_times_a_day(
    owner: AlertOwner, client: FlaskClient, settings: Settings
) -> None:
    answers = []
    for n in range(4):
        with db.transaction() as tx:
            account_id = builders.account(tx, f"owner{n}@example.org")
            key = builders.api_key(tx, settings, account_id, ("jobs",))
        each = AlertOwner(settings, client, account_id, {"X-API-Key": key})
        answer = each.post(monitor=each.monitor(), condition="changed", email=READER)
        answers.append(answer.status_code)
    assert answers == [201, 201, 201, 429]


def test_a_mail_that_was_not_taken_is_tried_again_as_the_same_mail(
    owner: AlertOwner, mailbox: Mailbox
) -> None:
    mailbox.replies = ["451 later"]
    owner.alert()
    owner.work()
    assert (len(mailbox.mails), owner.mails()) == (0, [("waiting", None)])
    owner.work()
    assert owner.mails() == [("sent", None)]


def test_a_mail_is_given_up_after_eight_attempts(owner: AlertOwner, mailbox: Mailbox) -> None:
    mailbox.replies = ["451 later"] * 20
    owner.alert()
    for _ in range(10):
        owner.work()
    assert (len(mailbox.replies), owner.mails()) == (12, [("failed", "mail_failed")])


def test_a_mail_that_is_refused_for_good_is_not_tried_again(
    owner: AlertOwner, mailbox: Mailbox
) -> None:
    mailbox.replies = ["550 no such user"]
    owner.alert()
    owner.work()
    assert owner.mails() == [("failed", "mail_refused")]


def test_a_mail_waits_for_a_mail_server_that_is_away(
    owner: AlertOwner, settings: Settings, mailbox: Mailbox
) -> None:
    owner.alert()
    owner.settings = replace(settings, smtp_url="smtp://127.0.0.1:1")
    owner.work()
    owner.settings = settings
    owner.work()
    assert (len(mailbox.mails), owner.mails()) == (1, [("sent", None)])


def test_a_message_is_promised_with_its_observation_or_not_at_all(
    owner: AlertOwner, mailbox: Mailbox, alert: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever crashes: neither a raised alert without its mail nor the mail without it."""
    monkeypatch.setattr("app.domains.queue.alerts.mail.mails.enqueue", _crash)
    with pytest.raises(RuntimeError):
        owner.measure(alert, 3)
    assert owner.alerts()[0]["told_at"] is None
    monkeypatch.undo()
    owner.measure(alert, 3)
    owner.work()
    assert len(mailbox.mails) == 1


def _crash(*_args: object, **_more: object) -> None:
    raise RuntimeError


def test_attempts_are_counted(owner: AlertOwner, mailbox: Mailbox) -> None:
    before = metrics.alert_mails.labels("accepted")._value.get()
    owner.alert()
    owner.work()
    assert metrics.alert_mails.labels("accepted")._value.get() == before + 1


@pytest.mark.parametrize(
    "address",
    ["a@example.org\r\nBcc: b@example.org", "a@example.org, b@example.org", "<a@example.org>", "a"],
)
def test_an_address_is_one_address(owner: AlertOwner, address: str) -> None:
    refused = owner.post(monitor=owner.monitor(), condition="changed", email=address)
    assert refused.status_code == 400
