"""Which addresses may be reached."""

from ipaddress import IPv4Address, IPv6Address, ip_address

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.engine.fetch.address import is_public

IPV4 = st.integers(0, 2**32 - 1).map(IPv4Address)
IPV6 = st.integers(0, 2**128 - 1).map(IPv6Address)


@given(IPV4)
def test_mapped_and_nat64_forms_are_judged_as_the_ipv4_address_they_carry(v4: IPv4Address) -> None:
    mapped = IPv6Address(b"\0" * 10 + b"\xff\xff" + v4.packed)
    nat64 = IPv6Address(IPv6Address("64:ff9b::").packed[:12] + v4.packed)
    assert is_public(mapped) == is_public(nat64) == is_public(v4)


@given(IPV4 | IPV6)
def test_a_public_address_is_neither_private_nor_multicast(address: IPv4Address) -> None:
    if is_public(address):
        assert not address.is_private
        assert not address.is_multicast


@pytest.mark.parametrize(
    "text",
    ["168.63.129.16", "fe80::1%eth0", "2606:4700:4700::1111%1", "2606:4700::200:5efe:a9fe:a9fe"],
)
def test_an_address_public_only_in_appearance_is_refused(text: str) -> None:
    assert not is_public(ip_address(text))


@pytest.mark.parametrize("text", ["1.1.1.1", "2606:4700:4700::1111", "64:ff9b::101:101"])
def test_an_ordinary_server_address_is_public(text: str) -> None:
    assert is_public(ip_address(text))
