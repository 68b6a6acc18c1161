"""Our signatures are those of Standard Webhooks: their library makes and accepts the same."""

import time
from datetime import UTC, datetime

import pytest
from citegrid.webhooks import verify
from standardwebhooks.webhooks import Webhook, WebhookVerificationError

from app.domains.queue.webhooks import signatures

BODY = '{"type":"job.completed","data":{"name":"Größe ✓"}}'.encode()


def test_their_library_signs_as_we_do() -> None:
    secret, at = signatures.new_secret(), int(time.time())
    theirs = Webhook(secret).sign("msg_1", datetime.fromtimestamp(at, UTC), BODY.decode())
    assert signatures.sign([secret], "msg_1", at, BODY) == theirs


@pytest.mark.parametrize("which", [0, 1])
def test_while_both_sign_each_secret_verifies(which: int) -> None:
    secrets = [signatures.new_secret(), signatures.new_secret()]
    headers = signatures.headers(secrets, "msg_1", int(time.time()), BODY)
    assert Webhook(secrets[which]).verify(BODY, headers) == verify(BODY, headers, secrets[which])


def test_another_secret_does_not_verify() -> None:
    headers = signatures.headers([signatures.new_secret()], "msg_1", int(time.time()), BODY)
    with pytest.raises(WebhookVerificationError):
        Webhook(signatures.new_secret()).verify(BODY, headers)


def test_no_two_secrets_are_alike() -> None:
    assert signatures.new_secret() != signatures.new_secret()
