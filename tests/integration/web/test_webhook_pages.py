"""Pages of webhooks and their deliveries."""

import re

import pytest

from tests.integration.web.conftest import Dashboard

FORM = {"url": "https://example.org/hooks", "events": ["*"]}


@pytest.fixture(scope="module")
def path(dashboard: Dashboard) -> str:
    """The page of a webhook that was sent a test."""
    page = dashboard.owner.post("/webhooks", FORM)
    assert page.status_code == 201
    assert "whsec_" in page.text
    found = re.search(r"/webhooks/whk_[a-z2-7]{26}", page.text)
    assert found is not None
    assert dashboard.owner.post(f"{found[0]}/test").status_code == 303
    return found[0]


def test_without_a_webhook_the_list_is_the_form(dashboard: Dashboard) -> None:
    assert "No webhooks yet" in dashboard.other.get("/webhooks").text


def test_an_address_that_is_refused_is_told_at_its_field(dashboard: Dashboard) -> None:
    page = dashboard.owner.post("/webhooks", {**FORM, "url": "http://169.254.169.254/"})
    assert page.status_code == 422
    assert 'id="url-problem"' in page.text


def test_a_test_is_seen_among_the_deliveries_and_its_body_byte_for_byte(
    dashboard: Dashboard, path: str
) -> None:
    page = dashboard.owner.get(path, live=True).text
    assert "webhook.test" in page
    assert "<html" not in page
    found = re.search(path + r"/deliveries/dlv_[a-z2-7]{26}", page)
    assert found is not None
    assert "&#34;type&#34;:&#34;webhook.test&#34;" in dashboard.owner.get(found[0]).text
    assert dashboard.other.get(found[0]).status_code == 404


def test_the_three_empty_states_of_deliveries_differ(dashboard: Dashboard, path: str) -> None:
    assert "Nothing matches" in dashboard.owner.get(f"{path}?status=failed").text
    page = dashboard.owner.post("/webhooks", FORM).text
    fresh = re.search(r"/webhooks/whk_[a-z2-7]{26}", page)
    assert fresh is not None
    assert "No deliveries yet" in dashboard.owner.get(fresh[0]).text


def test_it_is_changed_disabled_enabled_rolled_and_deleted(dashboard: Dashboard) -> None:
    page = dashboard.owner.post("/webhooks", FORM).text
    found = re.search(r"/webhooks/whk_[a-z2-7]{26}", page)
    assert found is not None
    path = found[0]
    dashboard.owner.post(path, {"url": "https://example.org/new", "events": ["job.completed"]})
    assert "https://example.org/new" in dashboard.owner.get(path).text
    dashboard.owner.post(f"{path}/disable")
    assert "You disabled it" in dashboard.owner.get(path).text
    dashboard.owner.post(f"{path}/enable")
    assert "whsec_" in dashboard.owner.post(f"{path}/roll", {"overlap_hours": "1"}).text
    assert "Previous secret expires" in dashboard.owner.get(path).text
    assert dashboard.owner.post(f"{path}/explode").status_code == 404
    assert dashboard.owner.post(f"{path}/delete").headers["Location"] == "/webhooks?deleted=1"
    assert dashboard.owner.get(path).status_code == 404
