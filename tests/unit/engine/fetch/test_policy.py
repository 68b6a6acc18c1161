"""The operator's settings: the allow-list and the user agent."""

from ipaddress import ip_network

import pytest

from app.core.config.allow_list import AllowedHost, AllowedNetwork, parse_allow_list
from app.engine.fetch import user_agent


def test_every_form_of_entry_is_read() -> None:
    setting = " wiki.corp, Wiki:8080,10.1.0.0/16,10.0.0.5:81, fd00::/8 ,[fd00::1]:82,"
    assert parse_allow_list(setting) == (
        AllowedHost("wiki.corp"),
        AllowedHost("wiki", 8080),
        AllowedNetwork(ip_network("10.1.0.0/16")),
        AllowedNetwork(ip_network("10.0.0.5/32"), 81),
        AllowedNetwork(ip_network("fd00::/8")),
        AllowedNetwork(ip_network("fd00::1/128"), 82),
    )


@pytest.mark.parametrize(
    "entry",
    [
        "http://wiki.corp", "wiki.corp/path", "*.corp", "wiki.corp:", "wiki.corp:0",
        "wiki.corp:65536", "10.0.0.1/8", "[wiki.corp]", "[fd00::/8", "wiki..corp", "a b",
    ],
)  # fmt: skip
def test_a_wrong_entry_is_named_by_its_number(entry: str) -> None:
    with pytest.raises(ValueError, match="entry 2 "):
        parse_allow_list(f"ok.corp,{entry}")


def test_the_user_agent_names_product_version_and_contact() -> None:
    assert user_agent("ops@site.test").endswith(" (self-hosted; contact: ops@site.test)")
    assert user_agent().startswith("Citegrid/")


@pytest.mark.parametrize("contact", ["", " ", "a)b", "a\r\nX: y", "é", "x" * 201])
def test_a_contact_that_would_break_the_header_is_refused(contact: str) -> None:
    with pytest.raises(ValueError, match="contact"):
        user_agent(contact)
