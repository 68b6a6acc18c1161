"""A campaign's burn-down as a picture, and in words for who does not see it."""

from typing import Any

from app.web.pages.campaigns.budget_charts import burn_down, summary, used

CAMPAIGN: dict[str, Any] = {
    "reward_budget": {"token": "USD", "amount": "8"},
    "spent": "4.2",
    "funded": "12",
    "refunded": "0",
    "ends_at": "2026-12-02T10:00:00Z",
}
BURNT: dict[str, Any] = {
    "left": [
        {"at": "2026-11-02T10:00:00Z", "amount": "8"},
        {"at": "2026-11-13T10:00:00Z", "amount": "12"},
        {"at": "2026-11-22T10:00:00Z", "amount": "7.8"},
    ],
    "top_ups": [
        {"at": "2026-11-02T10:00:00Z", "amount": "8"},
        {"at": "2026-11-13T10:00:00Z", "amount": "4"},
    ],
    "even_pace": [],
    "forecast": [],
    "runs_out_at": "2027-01-03T10:00:00Z",
}
STATISTICS: dict[str, Any] = {"usual_run": "1.2", "burn_down": BURNT}


def test_the_words_say_what_is_left_and_how_long_it_lasts() -> None:
    assert summary(CAMPAIGN, STATISTICS, "UTC") == (
        "4.20 of 12.00 USD spent, 7.80 left. Topped up 1 time. At the usual 1.20 USD per run, the"
        " budget lasts until 3 January 2027. The campaign ends on 2 December 2026."
    )


def test_what_is_left_stays_until_it_changes() -> None:
    chart = burn_down(CAMPAIGN, STATISTICS, "UTC")
    assert chart is not None
    assert [row[1] for row in chart.rows] == ["8", "12", "7.8"]
    assert "+4 USD" in chart.svg
    assert "Budget 8" in chart.svg


def test_a_budget_far_above_all_that_was_given_is_not_drawn() -> None:
    campaign = {**CAMPAIGN, "reward_budget": {"token": "USD", "amount": "800"}}
    chart = burn_down(campaign, STATISTICS, "UTC")
    assert chart is not None
    assert "Budget 800" not in chart.svg


def test_without_money_there_is_no_picture_and_no_share() -> None:
    nothing = {**STATISTICS, "burn_down": {**BURNT, "left": []}}
    assert burn_down(CAMPAIGN, nothing, "UTC") is None
    assert used({**CAMPAIGN, "funded": "0"}) is None


def test_the_share_that_is_spent_is_one_of_all_funds_added() -> None:
    assert used({**CAMPAIGN, "refunded": "6"}) == 35
