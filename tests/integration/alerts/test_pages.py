""" "Tell me" on the page of a thing, and the pages behind the links in mails."""

import io
import re
from dataclasses import replace

import pytest
from flask import Flask
from flask.testing import FlaskClient

from app.core import db, ids
from app.core.ids import Noun
from app.domains.account.accounts.service import set_operator
from app.domains.queue.jobs.operations.queues import queues
from app.domains.queue.webhooks import store
from tests import builders
from tests.integration.alerts.mailbox import READER, AlertOwner, Mailbox
from tests.visiting import Visitor

ONE_CLICK = {"List-Unsubscribe": "One-Click"}


@pytest.fixture
def browser(app: Flask, owner: AlertOwner) -> Visitor:
    return Visitor(app, owner.account_id)


@pytest.fixture
def stranger(app: Flask) -> Visitor:
    return Visitor(app, None)


@pytest.fixture
def asked(owner: AlertOwner) -> Mailbox:
    """A request to confirm has arrived."""
    owner.alert()
    owner.work()
    return owner.mailbox


def test_an_alert_is_made_shown_and_stopped_on_the_page_of_a_monitor(
    owner: AlertOwner, browser: Visitor
) -> None:
    monitor = owner.monitor()
    form = {"about": "monitor", "id": monitor, "condition": "failing", "threshold": "3"}
    made = browser.post("/alerts", {**form, "channel": "email", "email": READER})
    assert made.headers["Location"] == f"/monitors/{monitor}#alerts"
    page = browser.get(f"/monitors/{monitor}").text
    assert READER in page
    assert "Tell me" in page
    stop = re.search(r"/alerts/alrt_[a-z2-7]{26}/delete", page)
    assert stop is not None
    browser.post(stop[0])
    assert owner.alerts() == []


def test_a_campaign_has_the_form(owner: AlertOwner, browser: Visitor, client: FlaskClient) -> None:
    with db.transaction() as tx:
        token = builders.access_token(tx, owner.settings, owner.account_id)
    headers = {"Authorization": f"Bearer {token}"}
    made = client.post("/v1/campaigns", json=builders.CAMPAIGN, headers=headers)
    page = browser.get(f"/campaigns/{made.get_json()['id']}").text
    assert '<option value="budget_spent"' in page


def test_an_operator_has_the_form_at_a_queue_with_all_digits_of_a_threshold(
    owner: AlertOwner, browser: Visitor
) -> None:
    with db.transaction() as tx:
        set_operator(tx, "owner@example.org", True)
        queues.establish(tx)
    form = {"about": "queue", "id": "searches", "condition": "oldest", "threshold": "1209600.5"}
    browser.post("/alerts", {**form, "channel": "email", "email": READER})
    page = browser.get("/ops/queues/searches").text
    assert READER in page
    assert "(1,209,600.5 s)" in page


def test_who_is_no_operator_cannot_ask_for_a_queue(browser: Visitor) -> None:
    form = {"about": "queue", "id": "searches", "condition": "waiting", "threshold": "100"}
    refused = browser.post("/alerts", {**form, "channel": "email", "email": READER})
    assert refused.status_code == 404


def test_webhooks_of_jobs_are_not_offered_however_many_there_are_but_shown_where_they_are_used(
    owner: AlertOwner, browser: Visitor
) -> None:
    monitor = owner.monitor()
    job_id, account_id = ids.lookup(Noun.JOB, monitor), owner.account_id
    with db.transaction() as tx:
        store.insert(tx, ids.new(), account_id, "https://mine.example/", ["*"], b"")
        of_jobs = [
            store.insert(tx, ids.new(), account_id, "https://job.example/", ["*"], b"", job_id)
            for _ in range(100)
        ]
    webhook = ids.public(Noun.WEBHOOK, of_jobs[0].id)
    owner.post(monitor=monitor, condition="changed", webhook=webhook)
    page = browser.get(f"/monitors/{monitor}").text
    assert ">https://mine.example/</option>" in page
    assert ">https://job.example/</option>" not in page
    assert ">https://job.example/</td>" in page


def test_a_form_that_was_refused_says_why_at_its_field(owner: AlertOwner, browser: Visitor) -> None:
    form = {"about": "monitor", "id": owner.monitor(), "condition": "failing"}
    for threshold in ("x", "nan", "1e999"):
        sent = {**form, "threshold": threshold, "channel": "email", "email": READER}
        page = browser.post("/alerts", sent)
        assert page.status_code == 422, threshold
        assert 'id="threshold-problem"' in page.text
        assert f'value="{READER}"' in page.text


def test_a_server_without_a_mail_server_says_so(owner: AlertOwner, app: Flask) -> None:
    app.extensions["settings"] = replace(owner.settings, smtp_url="", mail_from="")
    monitor = owner.monitor()
    page = Visitor(app, owner.account_id).get(f"/monitors/{monitor}").text
    assert "This server does not send e-mail." in page
    refused = owner.post(monitor=monitor, condition="changed", email=READER)
    assert refused.get_json()["error"]["code"] == "email_not_configured"


def test_looking_at_a_link_confirms_nothing_and_its_button_does(
    owner: AlertOwner, stranger: Visitor, asked: Mailbox
) -> None:
    link = f"/alerts/confirm/{asked.token('confirm')}"
    page = stranger.get(link)
    assert READER in page.text
    assert owner.alerts()[0]["state"] == "unconfirmed"
    assert "Alerts are confirmed" in stranger.post(link).text
    assert owner.alerts()[0]["state"] == "active"
    assert stranger.get(link).status_code == 404


def test_looking_at_a_link_stops_nothing_and_its_button_does(
    owner: AlertOwner, stranger: Visitor, asked: Mailbox
) -> None:
    link = f"/alerts/stop/{asked.token('stop')}"
    assert "Refuse" in stranger.get(link).text
    assert owner.alerts()[0]["state"] == "unconfirmed"
    assert stranger.post(link).headers["Location"] == link
    assert "This address receives no alerts" in stranger.get(link).text
    assert owner.alerts()[0]["state"] == "refused"


def test_a_mail_program_stops_an_alert_with_one_request(
    owner: AlertOwner, client: FlaskClient, asked: Mailbox
) -> None:
    owner.confirm()
    id = owner.alerts()[0]["id"]
    owner.measure(id, 3)
    owner.work()
    done = client.post(f"/alerts/stop/{asked.token('stop')}", data=ONE_CLICK)
    assert done.status_code == 204
    assert owner.alerts()[0]["state"] == "stopped"


def test_a_link_that_was_made_up_is_not_there(stranger: Visitor) -> None:
    for what in ("confirm", "stop"):
        page = stranger.get(f"/alerts/{what}/{'x' * 43}")
        assert page.status_code == 404
        assert "This link was used, has expired, or is incomplete." in page.text


def test_no_log_has_the_token_of_a_link(
    stranger: Visitor, asked: Mailbox, log_lines: io.StringIO
) -> None:
    token = asked.token("stop")
    stranger.get(f"/alerts/stop/{token}")
    assert "/alerts/stop/{token}" in log_lines.getvalue()
    assert token not in log_lines.getvalue()


def test_a_webhook_of_a_stranger_is_no_channel(owner: AlertOwner) -> None:
    refused = owner.post(
        monitor=owner.monitor(),
        condition="changed",
        webhook=ids.public(Noun.WEBHOOK, ids.new()),
    )
    assert refused.get_json()["error"]["details"][0]["field"] == "/webhook"
