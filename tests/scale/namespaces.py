"""Network namespaces on one bridge: machines of our own that can be cut off, one way or both."""

import contextlib
import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager

_FORGED = "02:00:00:00:00:01"  # the address of no interface: what is sent to it arrives nowhere


def why_not() -> str:
    """Why there can be no namespaces here; empty if there can."""
    if os.geteuid() != 0:
        return "needs root for network namespaces"
    if shutil.which("ip") is None:
        return "needs iproute2 for network namespaces"
    tried = subprocess.run(
        ["ip", "netns", "add", f"cg{os.getpid()}try"], capture_output=True, text=True
    )
    if tried.returncode:
        return f"no network namespaces here: {tried.stderr.strip()}"
    _ip("netns", "del", f"cg{os.getpid()}try")
    return ""


class Namespace:
    """One machine. All that runs in it reaches others by its bridge alone."""

    def __init__(self, name: str, number: int, network: "Network") -> None:
        self.name, self.address = f"cg{os.getpid()}{name}", f"{network.prefix}.{number}"
        self._outer, self._network = f"v{os.getpid()}x{number}", network
        self.prefix = f"ip netns exec {self.name} "
        """What runs before a command of this machine."""
        _ip("netns", "add", self.name)
        inner = ("type", "veth", "peer", "name", "eth0", "netns", self.name)
        _ip("link", "add", self._outer, *inner)
        _ip("link", "set", self._outer, "master", network.bridge, "up")
        self._inside("link", "set", "lo", "up")
        self._inside("addr", "add", f"{self.address}/24", "dev", "eth0")
        self._inside("link", "set", "eth0", "up")

    def cut(self) -> None:
        """The cable is pulled: nothing comes, nothing goes, and nobody is told."""
        _ip("link", "set", self._outer, "nomaster")

    def silence_outgoing(self) -> None:
        """What it sends to the servers is lost; what they send arrives."""
        self._inside("neigh", "replace", self._network.gateway, "lladdr", _FORGED, "dev", "eth0")

    def silence_incoming(self) -> None:
        """What the servers send it is lost; what it sends arrives."""
        forged = ("lladdr", _FORGED, "dev", self._network.bridge)
        _ip("neigh", "replace", self.address, *forged)

    def heal(self) -> None:
        _ip("link", "set", self._outer, "master", self._network.bridge)
        with contextlib.suppress(subprocess.CalledProcessError):
            self._inside("neigh", "del", self._network.gateway, "dev", "eth0")
        with contextlib.suppress(subprocess.CalledProcessError):
            _ip("neigh", "del", self.address, "dev", self._network.bridge)

    def remove(self) -> None:
        with contextlib.suppress(subprocess.CalledProcessError):
            _ip("netns", "del", self.name)
        with contextlib.suppress(subprocess.CalledProcessError):
            _ip("link", "del", self._outer)

    def _inside(self, *arguments: str) -> None:
        _ip("-n", self.name, *arguments)


class Network:
    """A bridge with an address of ours, which servers listen on."""

    def __init__(self) -> None:
        number = os.getpid() % 250 + 1
        self.prefix, self.bridge = f"10.213.{number}", f"cgbr{os.getpid()}"
        self.gateway = f"{self.prefix}.1"
        self._machines: list[Namespace] = []

    def open(self) -> None:
        _ip("link", "add", self.bridge, "type", "bridge", "forward_delay", "0")
        _ip("addr", "add", f"{self.gateway}/24", "dev", self.bridge)
        _ip("link", "set", self.bridge, "up")

    def machine(self, name: str) -> Namespace:
        machine = Namespace(name, len(self._machines) + 11, self)
        self._machines.append(machine)
        return machine

    def close(self) -> None:
        for machine in self._machines:
            machine.remove()
        with contextlib.suppress(subprocess.CalledProcessError):
            _ip("link", "del", self.bridge)


@contextmanager
def network() -> Iterator[Network]:
    """Whatever happens in the block, nothing of it is left."""
    opened = Network()
    try:
        opened.open()
        yield opened
    finally:
        opened.close()


def _ip(*arguments: str) -> None:
    subprocess.run(["ip", *arguments], check=True, capture_output=True)
