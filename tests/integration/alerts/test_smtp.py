"""Handing a mail to a mail server: encryption, sign-in, and what its answers mean."""

from pathlib import Path
from typing import Any

import pytest
from aiosmtpd.smtp import AuthResult, LoginPassword

from app.core import ids
from app.core.config import smtp_url
from app.domains.queue.alerts.mail import smtp
from app.domains.queue.alerts.mail.mails import Letter
from app.domains.queue.alerts.mail.smtp import MailFailed
from app.domains.queue.alerts.mail.terms import MailTerms
from tests.integration.alerts.mailbox import serving
from tests.unit.engine.fetch.certificates import Certificate, certificate_for

NAME = "localhost"
PASSWORD = "not: a/secret@all"


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Certificate:
    folder: Path = tmp_path_factory.mktemp("mail")
    return certificate_for(NAME, folder)


def letter(text: str = "Grüße") -> Letter:
    stop_url = f"https://example.org/alerts/stop/{'x' * 90}"
    return Letter(ids.new(), "ada@example.org", "An alert", text, stop_url, 1_800_000_000.0)


def terms(url: str) -> MailTerms:
    return MailTerms(smtp_url.parse(url), "Owls <owls@example.org>", "https://example.org", ("x",))


def send(url: str, certificate: Certificate) -> None:
    wanted = terms(url)
    assert wanted.server is not None
    smtp.send(wanted.server, letter(), wanted, certificate.trusting)


def authenticate(_server: Any, _session: Any, _envelope: Any, _how: str, given: Any) -> AuthResult:
    right = LoginPassword(b"ada", PASSWORD.encode())
    return AuthResult(success=given == right, handled=False)  # the server answers


def test_a_mail_goes_over_tls_with_the_login_of_the_url(certificate: Certificate) -> None:
    with serving(
        tls_context=certificate.server, require_starttls=True, authenticator=authenticate
    ) as (mailbox, port):
        send(f"smtp+starttls://ada:not%3A%20a%2Fsecret%40all@{NAME}:{port}", certificate)
    assert mailbox.text() == "Grüße\r\n"


def test_nothing_is_sent_to_a_server_that_offers_no_tls(certificate: Certificate) -> None:
    with serving() as (mailbox, port):
        with pytest.raises(MailFailed):
            send(f"smtp+starttls://{NAME}:{port}", certificate)
        assert mailbox.mails == []


def test_nothing_is_sent_to_a_server_with_another_name(certificate: Certificate) -> None:
    with serving(tls_context=certificate.server) as (mailbox, port):
        with pytest.raises(MailFailed):
            send(f"smtp+starttls://127.0.0.1:{port}", certificate)
        assert mailbox.mails == []


def test_a_wrong_password_is_the_operators_matter_and_is_not_told(
    certificate: Certificate,
) -> None:
    options = {"tls_context": certificate.server, "authenticator": authenticate}
    with serving(**options) as (_, port), pytest.raises(MailFailed) as failed:
        send(f"smtp+starttls://ada:sesame@{NAME}:{port}", certificate)
    assert failed.value.retryable
    assert failed.value.why == "SMTPAuthenticationError 535"


def test_a_line_break_makes_no_header() -> None:
    mail = letter()
    forged = Letter(mail.id, mail.to, "An alert\r\nBcc: b@example.org", "", mail.stop_url, mail.at)
    with pytest.raises(ValueError, match="linefeed"):
        smtp.message(forged, terms("smtp://localhost"))


def test_each_attempt_has_the_same_message_id() -> None:
    one = letter()
    first, second = (smtp.message(one, terms("smtp://localhost")) for _ in range(2))
    assert first["Message-ID"] == second["Message-ID"] == f"<{one.id}@example.org>"
