"""Webhooks reach public machines, and of others those that were named."""

import pytest

from core.settings.addresses import Allowed, literal

PRIVATE = (
    "127.0.0.1", "10.1.2.3", "172.16.0.1", "192.168.1.1", "169.254.169.254", "100.64.0.1",
    "0.0.0.0", "255.255.255.255", "224.0.0.1", "::1", "::", "fe80::1%eth0", "fc00::1", "ff02::1",
    "::ffff:127.0.0.1", "::ffff:10.0.0.1", "64:ff9b::a00:1", "2002:7f00:1::", "2001:db8::1",
    "fec0::1", "64:ff9b:1::7f00:1", "::127.0.0.1", "::ffff:0:127.0.0.1", "192.0.0.192",
    "192.88.99.1", "168.63.129.16", "3fff::1", "5f00::1", "64:ff9b::a83f:8110",
)  # fmt: skip


@pytest.mark.parametrize("address", PRIVATE)
def test_what_is_not_public_is_refused(address: str) -> None:
    assert not Allowed().permits("example.org", address)


@pytest.mark.parametrize("address", ["93.184.215.14", "2606:2800:21f::1", "64:ff9b::5db8:d70e"])
def test_what_is_public_is_called(address: str) -> None:
    assert Allowed().permits("example.org", address)


def test_an_operator_allows_hosts_addresses_and_networks() -> None:
    allowed = Allowed.parse("CI.internal, 10.1.0.0/16,127.0.0.1 , fd00::/8")
    assert allowed.permits("ci.internal", "192.168.0.7")
    assert allowed.permits("ci.internal.", "192.168.0.7")
    assert allowed.permits("anything", "10.1.255.255")
    assert allowed.permits("anything", "::ffff:10.1.0.1")
    assert allowed.permits("anything", "fd12::1")
    assert not allowed.permits("other.internal", "192.168.0.7")
    assert not allowed.permits("anything", "10.2.0.1")


@pytest.mark.parametrize("text", ["10.1.0.0/33", "10.1.0.1/16", "http://ci", "256.1.1.1"])
def test_what_cannot_be_read_is_refused_by_name(text: str) -> None:
    with pytest.raises(ValueError, match=text.replace("/", ".")):
        Allowed.parse(text)


def test_names_for_this_machine_are_known_without_asking() -> None:
    assert literal("localhost") == literal("api.LOCALHOST.") == "127.0.0.1"
    assert literal("[::1]") == "::1"
    assert literal("example.org") is None
