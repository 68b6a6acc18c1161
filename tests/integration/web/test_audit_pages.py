"""The page of what was done in the account, and its file."""

import csv
import io
from typing import Any

import pytest

from app.core import db, ids
from app.core.actor import Actor, acting
from app.core.ids import Noun
from app.domains.account.accounts import preferences
from app.domains.account.audit.service import record_event
from tests.integration.web.conftest import Dashboard

PAGE = "/settings/audit"
HOSTILE = '=HYPERLINK("https://evil.example.org";"x")'


def record(dashboard: Dashboard, action: str, object: str | None = None, **facts: Any) -> None:
    owner = Actor(kind="session", account_id=dashboard.account, address="192.0.2.7")
    with db.transaction() as tx, acting(owner):
        record_event(tx, action, object, **facts)


@pytest.fixture
def events(dashboard: Dashboard) -> Dashboard:
    """With one whose texts its owner wrote to harm who opens the file."""
    record(dashboard, "key.created", "@SUM(1+1)", name=HOSTILE, label="<b>bold</b>")
    return dashboard


def test_an_event_says_what_was_done_and_from_where(events: Dashboard) -> None:
    page = events.owner.get(PAGE).text
    assert all(words in page for words in ("key.created", "192.0.2.7", "You"))


def test_the_settings_lead_to_it(dashboard: Dashboard) -> None:
    assert f'href="{PAGE}"' in dashboard.owner.get("/settings").text


def test_texts_of_an_event_are_no_markup(events: Dashboard) -> None:
    assert "&lt;b&gt;bold&lt;/b&gt;" in events.owner.get(PAGE).text


def test_nobody_sees_what_was_done_in_another_account(events: Dashboard) -> None:
    for path in (PAGE, f"{PAGE}.csv"):
        text = events.other.get(path).text
        assert "session.started" in text
        assert "key.created" not in text


def test_no_cell_of_the_file_is_a_formula(events: Dashboard) -> None:
    answer = events.owner.get(f"{PAGE}.csv?action=key")
    assert answer.headers["Content-Disposition"].startswith('attachment; filename="citegrid-audit')
    [row, *_] = csv.DictReader(io.StringIO(answer.text, newline=""))
    assert row["object"] == "'@SUM(1+1)"
    assert all(cell[:1] not in "=+-@\t\r" for cell in row.values() if cell)


def test_a_filter_holds_for_the_page_and_for_the_file(events: Dashboard) -> None:
    record(events, "webhook.created", "wh_1")
    assert "key.created" not in events.owner.get(f"{PAGE}?action=webhook").text
    rows = csv.DictReader(io.StringIO(events.owner.get(f"{PAGE}.csv?action=webhook").text))
    assert {row["action"] for row in rows} == {"webhook.created"}


@pytest.mark.parametrize("path", ["/rewards", "/extractions", "/requests"])
def test_a_file_of_a_filter_that_is_none_is_refused_and_not_broken_off(
    dashboard: Dashboard, path: str
) -> None:
    assert dashboard.owner.get(f"{path}.csv?role=none&status=none").status_code == 400


def test_older_events_are_on_the_next_page(dashboard: Dashboard) -> None:
    with db.transaction() as tx:
        preferences.save(
            tx, dashboard.account, zone="UTC", theme="system", shortcuts=True, page_size=20
        )
    for n in range(21):
        record(dashboard, "node.changed", ids.public(Noun.NODE, ids.new()), turn=n)
    first = dashboard.owner.get(f"{PAGE}?action=node").text
    assert first.count("<code>node.changed</code>") == 20
    link = first.partition('id="next-page" rel="next" href="')[2].partition('"')[0]
    older = dashboard.owner.get(link.replace("&amp;", "&")).text
    assert older.count("<code>node.changed</code>") == 1


@pytest.mark.parametrize("path", [f"{PAGE}.pdf", f"{PAGE}.csv/"])
def test_another_form_of_it_is_not_there(dashboard: Dashboard, path: str) -> None:
    assert dashboard.owner.get(path).status_code == 404
