"""Pages of webhooks and their deliveries."""

import pytest

from tests.integration.web.conftest import Dashboard
from tests.visiting import part

PATH = r"/webhooks/whk_[a-z2-7]{26}"
FORM = {"url": "https://example.org/hooks", "events": ["*"]}


@pytest.fixture(scope="module")
def path(dashboard: Dashboard) -> str:
    """The page of a webhook that was sent a test."""
    page = dashboard.owner.post("/webhooks", FORM)
    assert page.status_code == 201
    assert "whsec_" in page.text
    path = part(PATH, page)
    assert dashboard.owner.post(f"{path}/test").status_code == 303
    return path


def test_without_a_webhook_the_list_is_the_form(dashboard: Dashboard) -> None:
    assert "No webhooks yet" in dashboard.other.get("/webhooks").text


def test_a_test_is_seen_among_the_deliveries_and_its_body_byte_for_byte(
    dashboard: Dashboard, path: str
) -> None:
    page = dashboard.owner.get(path, live=True)
    assert "webhook.test" in page.text
    assert "<html" not in page.text
    delivery = part(path + r"/deliveries/dlv_[a-z2-7]{26}", page)
    assert "&#34;type&#34;:&#34;webhook.test&#34;" in dashboard.owner.get(delivery).text


def test_the_three_empty_states_of_deliveries_differ(dashboard: Dashboard, path: str) -> None:
    assert "Nothing matches" in dashboard.owner.get(f"{path}?status=failed").text
    fresh = part(PATH, dashboard.owner.post("/webhooks", FORM))
    assert "No deliveries yet" in dashboard.owner.get(fresh).text


def test_it_is_changed_disabled_enabled_rolled_and_deleted(dashboard: Dashboard) -> None:
    path = part(PATH, dashboard.owner.post("/webhooks", FORM))
    dashboard.owner.post(path, {"url": "https://example.org/new", "events": ["job.completed"]})
    assert "https://example.org/new" in dashboard.owner.get(path).text
    dashboard.owner.post(f"{path}/disable")
    assert "You disabled it" in dashboard.owner.get(path).text
    dashboard.owner.post(f"{path}/enable")
    assert "whsec_" in dashboard.owner.post(f"{path}/roll", {"overlap_hours": "1"}).text
    assert "Previous secret expires" in dashboard.owner.get(path).text
    assert dashboard.owner.post(f"{path}/delete").headers["Location"] == "/webhooks?deleted=1"
    assert dashboard.owner.get(path).status_code == 404
