"""The one error shape."""

from app.core.errors import Invalid, RateLimited


def test_an_error_names_its_code_message_and_request() -> None:
    body = RateLimited().body("req_x")
    assert set(body["error"]) == {"code", "message", "request_id"}
    assert (body["error"]["code"], body["error"]["request_id"]) == ("rate_limited", "req_x")


def test_details_are_shown_only_where_there_are_any() -> None:
    details = [{"field": "/query", "problem": "Missing."}]
    assert Invalid(details=details).body("")["error"]["details"] == details


def test_what_is_for_the_log_is_not_shown() -> None:
    assert "secret" not in str(Invalid(why="secret").body(""))
