"""Pages of requests, usage and connecting."""

import csv
import io
import json
import re
from decimal import Decimal

import pytest

from app.core import db, ids
from app.domains.money.ledger import service as ledger
from app.domains.money.ledger.store import LedgerAccount, LedgerLine
from tests import builders
from tests.integration.web.conftest import Dashboard


@pytest.fixture(scope="module")
def refused(dashboard: Dashboard) -> str:
    """The id of a call that was refused; there is one that was not as well."""
    dashboard.api("GET", "/v1/account")
    answer = dashboard.api("POST", "/external/v1/search", {"query": ""})
    dashboard.write_requests()
    return str(answer.headers["X-Request-Id"])


def test_a_list_shows_calls_and_its_filter_stands_in_the_address(
    dashboard: Dashboard, refused: str
) -> None:
    assert refused in dashboard.owner.get("/requests").text
    assert refused in dashboard.owner.get("/requests?status=4xx&method=POST", live=True).text
    assert "Nothing matches" in dashboard.owner.get("/requests?status=5xx").text
    assert "No requests in the last 7 days" in dashboard.other.get("/requests").text


def test_a_request_says_why_it_was_refused_and_how_to_repeat_it(
    dashboard: Dashboard, refused: str
) -> None:
    page = dashboard.owner.get(f"/requests/{refused}").text
    assert "validation_failed" in page
    assert "<code>/query</code>" in page
    assert "curl -X POST" in page
    assert "$ACCESS_TOKEN" in page


def test_nearly_a_second_is_shown_as_one(dashboard: Dashboard) -> None:
    with db.transaction() as tx:
        slow = builders.request(tx, dashboard.account, seconds=0.9997)
    page = dashboard.owner.get(f"/requests/{slow}").text
    assert "1 s" in page
    assert "e+03" not in page


def test_the_id_that_a_page_shows_leads_to_its_request(dashboard: Dashboard) -> None:
    missing = dashboard.owner.get("/api-keys/key_nothing")
    assert missing.headers["X-Request-Id"] in missing.text
    dashboard.write_requests()
    page = dashboard.owner.get(f"/requests/{missing.headers['X-Request-Id']}").text
    assert "api_key_not_found" in page
    assert "this dashboard" in page


def test_live_regions_that_poll_are_not_kept(dashboard: Dashboard) -> None:
    polled = dashboard.owner.get("/requests", live=True).headers["X-Request-Id"]
    dashboard.write_requests()
    page = dashboard.owner.get(f"/requests/{polled}")
    assert page.status_code == 404
    assert "No request with this id" in page.text


def test_the_link_that_signs_in_is_neither_kept_nor_logged(
    dashboard: Dashboard, log_lines: io.StringIO
) -> None:
    dashboard.owner.get("/enter/a-secret-of-a-link")
    dashboard.write_requests()
    with db.reading() as reader:
        assert "a-secret" not in str(reader.execute("select path from requests").fetchall())
    assert '"path":"/enter/{secret}"' in log_lines.getvalue()
    assert "a-secret" not in log_lines.getvalue()


def test_files_have_what_the_filter_matches(dashboard: Dashboard, refused: str) -> None:
    rows = list(csv.DictReader(io.StringIO(dashboard.owner.get("/requests.csv?status=4xx").text)))
    assert [row["id"] for row in rows if row["path"] == "/external/v1/search"] == [refused]
    assert {row["status"][0] for row in rows} == {"4"}
    assert json.loads(dashboard.owner.get("/requests.json?method=POST").text)[0]["id"] == refused


def test_usage_shows_zeros_with_the_limits(dashboard: Dashboard) -> None:
    page = dashboard.other.get("/billing").text
    assert "0 of 5,000" in page
    assert "1,800 reads" in page
    assert "No usage in this month" in dashboard.other.get("/billing?group=key").text


def test_usage_is_a_chart_a_table_and_a_file_of_each_group(
    dashboard: Dashboard, refused: str
) -> None:
    with db.transaction() as tx:
        for _ in range(3):
            builders.request(tx, dashboard.account)
    for group in ("day", "key", "kind"):
        page = dashboard.owner.get(f"/billing?group={group}").text
        assert "<svg" in page
    lines = dashboard.owner.get("/usage.csv").text.splitlines()
    assert lines[0].startswith("day,requests,searches")
    assert sum(int(line.split(",")[1]) for line in lines[1:]) >= 3


def test_billing_shows_one_calendar_month(dashboard: Dashboard) -> None:
    past = dashboard.owner.get("/billing?month=2026-02").text
    assert "February 2026" in past
    assert 'href="/billing?month=2026-03"' in past
    assert 'href="/billing?month=2026-01"' in past
    assert "month-after" not in dashboard.owner.get("/billing").text


def test_a_month_costs_the_same_however_it_is_grouped(dashboard: Dashboard) -> None:
    away, earned = LedgerAccount(dashboard.account, "credit"), LedgerAccount(ids.new(), "available")
    with db.transaction() as tx:
        builders.credit(tx, dashboard.account, "10")
        lines = LedgerLine(*away, Decimal("-1.235")), LedgerLine(*earned, Decimal("1.235"))
        ledger.post(tx, "chat:1", "chat", "USD", *lines)
    for group in ("day", "key", "kind"):
        page = dashboard.owner.get(f"/billing?group={group}").text
        assert "1.235 USD" in page.partition("<h3>Spent</h3>")[2].partition("</p>")[0], group


def test_the_pages_that_became_billing_lead_there(dashboard: Dashboard) -> None:
    assert dashboard.owner.get("/wallet").headers["Location"] == "/billing"
    there = dashboard.owner.get("/usage?group=key&_scheme=x").headers["Location"]
    assert there == "/billing?group=key"


def test_connecting_writes_a_key_by_what_may_be_shown_of_it(dashboard: Dashboard) -> None:
    assert "You have no active API key" in dashboard.other.get("/connect").text
    made = dashboard.api("POST", "/v1/api-keys", {"name": "ci", "scopes": ["search"]}).get_json()
    key, secret = made["api_key"], made["secret"]
    page = dashboard.owner.get(f"/connect?key={key['id']}").text
    assert f"cgk_live_…{key['last_four']}" in page
    assert secret not in page
    assert "mcpServers" in page
    result = dashboard.owner.post("/connect", {"key": key["id"]}).text
    assert "Response in" in result
    assert "Not used yet" in result
    dashboard.app.test_client().get("/external/v1/search", headers={"X-API-Key": secret})
    dashboard.write_requests()
    with db.transaction() as tx:
        tx.execute("update api_keys set last_used_at = now()")
    again = dashboard.owner.post("/connect", {"key": key["id"]}).text
    assert re.search(r"GET /external/v1/search returned 200", again)
