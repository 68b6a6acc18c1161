"""One attempt to hand a mail to the mail server (RFC 5321)."""

import smtplib
import ssl
from contextlib import suppress
from datetime import UTC, datetime
from email.headerregistry import Address
from email.message import EmailMessage
from email.policy import SMTP
from email.utils import format_datetime, parseaddr
from typing import Final

from app.core.config.smtp_url import MailServer
from app.core.errors import AppError
from app.domains.queue.alerts.mail.mails import Letter
from app.domains.queue.alerts.mail.terms import MailTerms

STEP_SECONDS: Final = 15.0
_PERMANENT: Final = 500
# A link that is folded or encoded works in no mail program.
_POLICY: Final = SMTP.clone(max_line_length=998)


class MailFailed(AppError):
    """The mail server did not accept the message."""

    code, status, retryable = "mail_failed", 502, True


class MailRefused(AppError):
    """The mail server refuses this recipient or this message."""

    code, status = "mail_refused", 400


def message(letter: Letter, terms: MailTerms) -> EmailMessage:
    """Text only, with headers that let a mail program stop it (RFC 2369, RFC 8058)."""
    mail = EmailMessage(_POLICY)
    name, sender = parseaddr(terms.sender)
    mail["From"] = Address(name, addr_spec=sender)
    mail["To"] = Address(addr_spec=letter.to)
    mail["Subject"] = letter.subject
    mail["Date"] = format_datetime(datetime.fromtimestamp(letter.at, UTC))
    # The same at each attempt: a mailbox that has it may leave out the second one.
    mail["Message-ID"] = f"<{letter.id}@{terms.domain}>"
    mail["Auto-Submitted"] = "auto-generated"
    mail["List-Unsubscribe"] = f"<{letter.stop_url}>"
    mail["List-Unsubscribe-Post"] = "List-Unsubscribe=One-Click"
    mail.set_content(letter.text)
    return mail


def send(
    server: MailServer, letter: Letter, terms: MailTerms, tls: ssl.SSLContext | None = None
) -> None:
    """Raises MailFailed, which may succeed later, and MailRefused, which does not."""
    mail = message(letter, terms)
    sender = parseaddr(terms.sender)[1]
    try:
        connection = _connected(server, terms.domain, tls or ssl.create_default_context())
        try:
            if server.user:
                connection.login(server.user, server.password)
            connection.sendmail(sender, [letter.to], mail.as_bytes())
        finally:
            _leave(connection)
    except smtplib.SMTPRecipientsRefused as refused:
        code = next(iter(refused.recipients.values()))[0]
        raise _failure(code) from None
    except smtplib.SMTPDataError as refused:
        raise _failure(refused.smtp_code) from None
    except smtplib.SMTPResponseException as refused:  # of the login, for one: the operator's matter
        raise MailFailed(why=f"{type(refused).__name__} {refused.smtp_code}") from None
    except (smtplib.SMTPException, OSError) as error:
        raise MailFailed(why=type(error).__name__) from None


def _connected(server: MailServer, name: str, tls: ssl.SSLContext) -> smtplib.SMTP:
    if server.tls == "implicit":
        return smtplib.SMTP_SSL(server.host, server.port, name, timeout=STEP_SECONDS, context=tls)
    connection = smtplib.SMTP(server.host, server.port, name, timeout=STEP_SECONDS)
    if server.tls == "starttls":
        try:
            connection.starttls(context=tls)
        except BaseException:
            connection.close()
            raise
    return connection


def _leave(connection: smtplib.SMTP) -> None:
    """However the server takes it: what it has accepted, it has."""
    with suppress(smtplib.SMTPException, OSError):
        connection.quit()
    connection.close()


def _failure(code: int) -> AppError:
    if code >= _PERMANENT:
        return MailRefused(why=f"smtp {code}")
    return MailFailed(why=f"smtp {code}")
