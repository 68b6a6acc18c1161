"""Logs are JSON lines without secrets."""

import io
import json
import logging

import pytest

from app.core import log

SECRETS = {
    "API key": "cgk_live_" + "a1B2" * 12,
    "access token": "cga_" + "a1B2" * 12,
    "refresh token": "cgr_" + "a1B2" * 12,
    "bearer": "Authorization: Bearer abc.def-ghi",
    "basic": "authorization: Basic dXNlcjpwYXNz",
    "password field": '{"password": "hunter22"}',
    "query": "GET /x?api_key=hunter22&y=1",
    "database URL": "postgresql://app:hunter22@db/x",
}


@pytest.mark.parametrize("text", SECRETS.values(), ids=SECRETS.keys())
def test_a_secret_is_redacted(text: str) -> None:
    redacted = log.redact(f"before {text} after")
    assert "[redacted]" in redacted
    for secret in ("hunter22", "a1B2a1B2", "abc.def", "dXNl"):
        assert secret not in redacted


def test_ordinary_text_stays() -> None:
    text = "job srch_agq7 finished in 12 ms for https://example.org/a?b=c"
    assert log.redact(text) == text


def test_a_line_carries_the_ids_that_follow_the_work(log_lines: io.StringIO) -> None:
    with log.bound(request_id="req_1", job_id="j"):
        log.get("t").info("done", took=3)
    said = json.loads(log_lines.getvalue())
    assert said["event"] == "done"
    assert (said["request_id"], said["job_id"], said["took"]) == ("req_1", "j", 3)


def test_a_secret_in_an_exception_is_redacted(log_lines: io.StringIO) -> None:
    try:
        raise ValueError("postgresql://u:hunter22@h/d")
    except ValueError:
        log.get("t").exception("failed")
    assert "ValueError" in log_lines.getvalue()
    assert "hunter22" not in log_lines.getvalue()


def test_the_standard_library_writes_the_same_lines(log_lines: io.StringIO) -> None:
    logging.getLogger("some.library").warning("token=%s", "hunter22")
    assert json.loads(log_lines.getvalue())["event"] == "token=[redacted]"


@pytest.mark.parametrize(("given", "written"), [(2**70, 2**70), ("caf\udce9", "caf\udce9")])
def test_a_fact_that_the_fast_writer_refuses_is_written_all_the_same(
    log_lines: io.StringIO, given: object, written: object
) -> None:
    log.get("t").info("done", fact=given)
    assert json.loads(log_lines.getvalue())["fact"] == written
