"""Mails of alerts: who gets which, how they are stopped, what a mail server's answers lead to."""

from dataclasses import replace

import pytest

from app.core import db, metrics
from app.core.config.settings import Settings
from app.domains.queue.alerts import service
from app.domains.queue.alerts.service import AlertLinkInvalid
from tests.integration.alerts.mailbox import READER, AlertOwner

EXPIRE = "update alert_addresses set asked_at = asked_at - interval '25 hours'"


@pytest.fixture
def alert(owner: AlertOwner) -> str:
    """An alert whose address is confirmed."""
    id = owner.alert()
    owner.work()
    owner.confirm()
    owner.mailbox.mails.clear()
    owner.mailbox.raw.clear()
    return id


def test_an_address_gets_nothing_but_one_request_before_it_is_confirmed(owner: AlertOwner) -> None:
    owner.alert()
    owner.measure(owner.alert(), 3)
    owner.work()
    assert [mail["Subject"] for mail in owner.mailbox.mails] == ["Confirm alerts from Citegrid"]
    assert owner.alerts()[0]["state"] == "unconfirmed"
    rows = "select coalesce(string_agg(t::text, ' '), '') from "
    with db.reading() as reader:
        kept = "".join(
            db.value(reader, rows + table)
            for table in ("alert_addresses t", "alert_mails t", "jobs t", "alerts t")
        )
    assert owner.mailbox.token("confirm") not in kept


def test_a_confirmed_address_is_told_with_links_to_the_thing_and_to_stop(
    owner: AlertOwner, alert: str
) -> None:
    owner.measure(alert, 3)
    owner.work()
    assert owner.mailbox.recipients[-1] == [READER]
    text = owner.mailbox.text()
    assert "Monitor Alder lamp: 3 runs in a row could not read a page." in text
    assert f"http://127.0.0.1:8000/monitors/{owner.alerts()[0]['monitor']}" in text
    # For the button of a mail program.
    link = f"<http://127.0.0.1:8000/alerts/stop/{owner.mailbox.token('stop')}>".encode()
    assert b"\r\nList-Unsubscribe: " + link + b"\r\n" in owner.mailbox.raw[-1]
    assert owner.mailbox.mails[-1]["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"


def test_a_link_confirms_once(owner: AlertOwner) -> None:
    owner.alert()
    owner.work()
    owner.confirm()
    with pytest.raises(AlertLinkInvalid):
        owner.confirm()


def test_a_link_expires_after_a_day(owner: AlertOwner) -> None:
    owner.alert()
    owner.work()
    with db.transaction() as tx:
        tx.execute(EXPIRE)
    with pytest.raises(AlertLinkInvalid):
        owner.confirm()


def test_an_alert_that_was_stopped_sends_nothing_that_waits(owner: AlertOwner, alert: str) -> None:
    owner.measure(alert, 3)
    with db.transaction() as tx:
        token = db.value(tx, "select stop_token from alerts")
        service.stop(tx, token)
        service.stop(tx, token)
    owner.work()
    assert owner.mailbox.mails == []
    assert owner.mails()[-1] == ("failed", "not_wanted")
    assert owner.alerts()[0]["state"] == "stopped"


def test_who_refuses_is_asked_by_no_account(owner: AlertOwner) -> None:
    owner.alert()
    owner.work()
    with db.transaction() as tx:
        service.stop(tx, owner.mailbox.token("stop"))
    other = owner.another("other@example.org")
    refused = other.post(
        monitor=other.monitor(), condition="changed", email=READER.replace("reader", "Reader")
    )
    assert (refused.status_code, refused.get_json()["error"]["code"]) == (409, "email_refused")


def test_who_refuses_gets_no_more_alerts_that_were_confirmed_for_another_account(
    owner: AlertOwner, alert: str
) -> None:
    other = owner.another("other@example.org")
    other.alert()
    other.work()
    with db.transaction() as tx:
        service.stop(tx, owner.mailbox.token("stop"))
    assert owner.alerts()[0]["state"] == "refused"


def test_an_account_asks_ten_addresses_a_day(owner: AlertOwner) -> None:
    for n in range(10):
        owner.alert(email=f"reader{n}@example.org")
    refused = owner.post(monitor=owner.monitor(), condition="changed", email="reader10@example.org")
    assert refused.status_code == 429
    assert refused.get_json()["error"]["code"] == "too_many_confirmations"


def test_accounts_together_ask_an_address_three_times_a_day(owner: AlertOwner) -> None:
    answers = []
    for n in range(4):
        each = owner.another(f"owner{n}@example.org")
        answer = each.post(monitor=each.monitor(), condition="changed", email=READER)
        answers.append(answer.status_code)
    assert answers == [201, 201, 201, 429]


def test_a_mail_that_was_not_taken_is_tried_again_as_the_same_mail_and_counted_once(
    owner: AlertOwner,
) -> None:
    accepted = metrics.alert_mails.labels("accepted")._value
    before = accepted.get()
    owner.mailbox.replies = ["451 later"]
    owner.alert()
    owner.work()
    assert (len(owner.mailbox.mails), owner.mails()) == (0, [("waiting", None)])
    assert accepted.get() == before
    owner.work()
    assert owner.mails() == [("sent", None)]
    assert accepted.get() == before + 1


def test_a_mail_is_given_up_after_eight_attempts(owner: AlertOwner) -> None:
    owner.mailbox.replies = ["451 later"] * 20
    owner.alert()
    for _ in range(10):
        owner.work()
    assert (len(owner.mailbox.replies), owner.mails()) == (12, [("failed", "mail_failed")])


def test_a_mail_that_is_refused_for_good_is_not_tried_again(owner: AlertOwner) -> None:
    owner.mailbox.replies = ["550 no such user"]
    owner.alert()
    owner.work()
    assert owner.mails() == [("failed", "mail_refused")]


def test_a_mail_waits_for_a_mail_server_that_is_away(owner: AlertOwner, settings: Settings) -> None:
    owner.alert()
    owner.settings = replace(settings, smtp_url="smtp://127.0.0.1:1")
    owner.work()
    owner.settings = settings
    owner.work()
    assert (len(owner.mailbox.mails), owner.mails()) == (1, [("sent", None)])


def test_a_message_is_promised_with_its_observation_or_not_at_all(
    owner: AlertOwner, alert: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever crashes: neither a raised alert without its mail nor the mail without it."""
    monkeypatch.setattr("app.domains.queue.alerts.mail.mails.enqueue", _crash)
    with pytest.raises(RuntimeError):
        owner.measure(alert, 3)
    assert owner.alerts()[0]["told_at"] is None
    monkeypatch.undo()
    owner.measure(alert, 3)
    owner.work()
    assert len(owner.mailbox.mails) == 1


def _crash(*_args: object, **_more: object) -> None:
    raise RuntimeError


def test_an_address_is_one_address(owner: AlertOwner) -> None:
    for address in ("a@example.org\r\nBcc: b@example.org", "a@example.org, b@example.org"):
        refused = owner.post(monitor=owner.monitor(), condition="changed", email=address)
        assert refused.status_code == 400, address
