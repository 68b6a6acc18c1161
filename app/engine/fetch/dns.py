"""Names to addresses, always within a deadline."""

import logging
import queue
import socket
import threading
from collections.abc import Iterable
from itertools import chain, zip_longest
from typing import Final

import dns.exception
import dns.rdatatype
import dns.resolver

from app.engine.fetch.deadline import Deadline

_SYSTEM_LOOKUPS: Final = 8

logger = logging.getLogger(__name__)


class SystemResolver:
    """The name servers this machine is configured with, then its own name database.

    The second is for names that only a hosts file or a search domain knows. `getaddrinfo` has no
    timeout, so it runs in a thread that is left behind when time is up; at most `system_lookups`
    such threads exist at once.
    """

    def __init__(
        self,
        servers: dns.resolver.Resolver | None = None,
        *,
        system_lookups: int = _SYSTEM_LOOKUPS,
    ) -> None:
        self._servers = servers or _configured_servers()
        self._free = threading.BoundedSemaphore(system_lookups)

    def __call__(self, host: str, timeout_seconds: float) -> list[str]:
        """Every address of `host`, IPv4 and IPv6 in turn. Raises TimeoutError."""
        deadline = Deadline(timeout_seconds)
        found = _ask_servers(self._servers, host, deadline) if self._servers else []
        return found or self._ask_system(host, deadline)

    def _ask_system(self, host: str, deadline: Deadline) -> list[str]:
        if not self._free.acquire(timeout=deadline.left()):
            raise TimeoutError
        answers: queue.SimpleQueue[list[str]] = queue.SimpleQueue()

        def look_up() -> None:
            try:
                answers.put(_getaddrinfo(host))
            finally:
                self._free.release()

        threading.Thread(target=look_up, name="getaddrinfo", daemon=True).start()
        try:
            return answers.get(timeout=deadline.left())
        except queue.Empty:
            raise TimeoutError from None


def _configured_servers() -> dns.resolver.Resolver | None:
    try:
        return dns.resolver.Resolver()
    except dns.resolver.NoResolverConfiguration:
        logger.warning("no name servers are configured; names go to the system alone")
        return None


def _ask_servers(servers: dns.resolver.Resolver, host: str, deadline: Deadline) -> list[str]:
    families: list[list[str]] = []
    late = False
    for kind in (dns.rdatatype.A, dns.rdatatype.AAAA):
        try:
            # The dot at the end keeps search domains out: they are the system's business.
            answer = servers.resolve(
                f"{host}.", kind, lifetime=deadline.left(), raise_on_no_answer=False
            )
        except (dns.resolver.LifetimeTimeout, TimeoutError):
            late = True
        except dns.resolver.NXDOMAIN:
            break
        except dns.exception.DNSException:
            logger.debug("no name server answered for %s", host, exc_info=True)
        else:
            families.append([record.to_text() for record in answer.rrset or ()])
    # One family that answered is enough; silence is not the same as "no such name".
    if late and not any(families):
        raise TimeoutError
    return _in_turn(families)


def _getaddrinfo(host: str) -> list[str]:
    try:
        found = socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):
        return []
    return _in_turn(
        [str(address[0]) for family, *_, address in found if family == wanted]
        for wanted in (socket.AF_INET, socket.AF_INET6)
    )


def _in_turn(families: Iterable[list[str]]) -> list[str]:
    """Families alternate, so that a dead one costs one attempt and not all of them."""
    firsts = zip_longest(*families)
    return [address for address in chain.from_iterable(firsts) if address is not None]
