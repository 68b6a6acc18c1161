"""What SMTP_URL may be."""

import pytest

from app.core.config import smtp_url
from app.core.config.smtp_url import BadSmtpUrl


def test_a_login_is_decoded_and_a_port_has_a_default() -> None:
    server = smtp_url.parse("smtp+starttls://ada%40example.org:p%2Fw@mail.example.org")
    assert (server.user, server.password, server.port, server.tls) == (
        "ada@example.org",
        "p/w",
        587,
        "starttls",
    )


@pytest.mark.parametrize(
    "url",
    [
        "http://mail.example.org", "smtp://", "smtp://mail.example.org/path",
        "smtp://mail.example.org:0", "smtp://mail.example.org:port",
        "smtps://ada@mail.example.org", "smtp://ada:sesame@mail.example.org",
    ],
)  # fmt: skip
def test_these_are_refused_without_repeating_them(url: str) -> None:
    with pytest.raises(BadSmtpUrl) as refused:
        smtp_url.parse(url)
    assert "sesame" not in str(refused.value)


def test_a_password_may_go_in_the_clear_on_this_machine() -> None:
    assert smtp_url.parse("smtp://ada:sesame@127.0.0.1:2525").password == "sesame"
