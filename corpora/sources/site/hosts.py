"""Which machines a site may be read from: the address that is checked is the one connected to."""

import socket
import ssl
import time
from collections.abc import Iterable, Iterator
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address
from typing import Any

import httpcore
import httpx

from ingestion.messages import Told, message

Address = IPv4Address | IPv6Address

_METADATA = frozenset(
    map(ip_address, ("100.100.100.200", "168.63.129.16", "192.0.0.192", "fd00:ec2::254"))
)
"""Services of clouds that hand out credentials; those at a link-local address need no mention."""
_NAT64, _LOCAL_NAT64 = IPv6Network("64:ff9b::/96"), IPv6Network("64:ff9b:1::/48")
_ISATAP = (0x00005EFE, 0x02005EFE)
_LOW = (1 << 32) - 1
LONGEST_ANSWER = 300.0
"""Seconds that a whole answer may take, however steadily it trickles."""


class Refused(Told):
    """An address is not read; the message says why, as the end of "… is left out: …"."""


class TooLong(Refused):
    """An answer is longer than it may be; its beginning is in the file."""


class ForbiddenHost(Refused):
    """A host has an address that nothing is read from."""


def forbidden(address: Address, *, private: bool) -> str | None:
    """Why nothing is read from an address, or None; `private` allows networks of one's own."""
    for one in (address, *_embedded(address)):
        if one in _METADATA or one.is_link_local or one.is_multicast or one.is_unspecified:
            return message("{address} is reserved for machines themselves", address=address)
        if not (private or _is_public(one)):
            return message(
                "{address} is not an address of the public internet; an admin can allow it by the "
                "option private_hosts",
                address=address,
            )
    return None


def is_plain_host(host: str) -> bool:
    """Say whether a host is a name, or an IP address in its usual form: not octal, hex or a number.

    What is no name here may be an address for the system's resolver.
    """
    if "%" in host:
        return False
    try:
        return str(ip_address(host)) == host
    except ValueError:
        last = host.rstrip(".").rpartition(".")[2].lower()
        return bool(last) and not last.isdecimal() and not last.startswith("0x")


class CheckedConnections(httpcore.NetworkBackend):
    """Resolves a host once for each connection, checks every address, and connects to one of them.

    Args:
        private_hosts: Hosts that may have an address of a private network or of this machine.
    """

    def __init__(self, private_hosts: Iterable[str] = ()) -> None:
        self._private = frozenset(private_hosts)
        self._sockets = httpcore.SyncBackend()

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[httpcore.SOCKET_OPTION] | None = None,
    ) -> httpcore.NetworkStream:
        """Connect to the first address that answers. Raises ForbiddenHost if any is forbidden."""
        addresses = _resolve(host, port)
        for address in addresses:
            if reason := forbidden(ip_address(address), private=host in self._private):
                raise ForbiddenHost("{host}: {reason}", host=host, reason=reason)
        for address in addresses[:-1]:
            try:
                return _Timed(
                    self._sockets.connect_tcp(address, port, timeout, local_address, socket_options)
                )
            except (httpcore.ConnectError, httpcore.ConnectTimeout):
                continue
        return _Timed(
            self._sockets.connect_tcp(addresses[-1], port, timeout, local_address, socket_options)
        )


class _Timed(httpcore.NetworkStream):
    """A connection on which each answer, from the request on, has a time by which it is over."""

    def __init__(self, stream: httpcore.NetworkStream) -> None:
        self._stream = stream
        self._until = time.monotonic() + LONGEST_ANSWER

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        left = self._until - time.monotonic()
        if left <= 0:
            raise httpcore.ReadTimeout(f"the answer took longer than {LONGEST_ANSWER:.0f} seconds")
        return self._stream.read(max_bytes, left if timeout is None else min(timeout, left))

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        self._until = time.monotonic() + LONGEST_ANSWER
        self._stream.write(buffer, timeout)

    def close(self) -> None:
        self._stream.close()

    def start_tls(
        self,
        ssl_context: ssl.SSLContext,
        server_hostname: str | None = None,
        timeout: float | None = None,
    ) -> httpcore.NetworkStream:
        return _Timed(self._stream.start_tls(ssl_context, server_hostname, timeout))

    def get_extra_info(self, info: str) -> Any:
        return self._stream.get_extra_info(info)


class CheckedTransport(httpx.BaseTransport):
    """Sends the requests of an httpx client over connections that were checked; knows no proxy."""

    def __init__(self, connections: httpcore.NetworkBackend, certificates: str | None) -> None:
        context = httpx.create_ssl_context()
        if certificates:
            context.load_verify_locations(certificates)
        self._pool = httpcore.ConnectionPool(
            ssl_context=context, max_connections=4, network_backend=connections
        )

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """Send one request. Raises the errors of httpcore, and Refused."""
        url = request.url
        sent = httpcore.Request(
            request.method,
            httpcore.URL(
                scheme=url.raw_scheme, host=url.raw_host, port=url.port, target=url.raw_path
            ),
            headers=request.headers.raw,
            content=request.stream,
            extensions=request.extensions,
        )
        got = self._pool.handle_request(sent)
        return httpx.Response(
            got.status, headers=got.headers, stream=_Body(got), extensions=got.extensions
        )

    def close(self) -> None:
        """Close all connections."""
        self._pool.close()


class _Body(httpx.SyncByteStream):
    def __init__(self, response: httpcore.Response) -> None:
        self._response = response

    def __iter__(self) -> Iterator[bytes]:
        yield from self._response.iter_stream()

    def close(self) -> None:
        self._response.close()


def _resolve(host: str, port: int) -> list[str]:
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as error:
        raise httpcore.ConnectError(f"the name {host} cannot be resolved ({error})") from error
    return list(dict.fromkeys(str(where[0]) for *_, where in found))


def _is_public(address: Address) -> bool:
    if isinstance(address, IPv6Address) and (address.is_site_local or address in _LOCAL_NAT64):
        return False
    return address.is_global


def _embedded(address: Address) -> Iterator[IPv4Address]:
    """The IPv4 addresses that packets to an IPv6 address may end at."""
    if not isinstance(address, IPv6Address):
        return
    low = IPv4Address(int(address) & _LOW)
    if address.ipv4_mapped or address in _NAT64 or int(address) >> 32 == 0:
        yield low
    if address.sixtofour:
        yield address.sixtofour
    if (int(address) >> 32) & _LOW in _ISATAP:
        yield low
    if address.teredo:
        yield from address.teredo
