"""A real OpenID provider, and a proxy that names people, both run by the tests."""

import json
import socket
import socketserver
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

from chatbot.settings import Settings
from tests.browser.conftest import free_port, running, strata_serves

ADMIN = {"sub": "1", "name": "Ada", "email": "Ada@example.org", "email_verified": True}
USER = {"sub": "2", "name": "Bo *b*", "email": "bo@example.org", "email_verified": True}
OTHER = {"sub": "3", "name": "Cy", "email": "cy@example.org"}
LIAR = {"sub": "4", "name": "Di", "email": "ada@example.org", "email_verified": False}
GROUP = {"sub": "5", "name": "Eve", "email": "eve@example.org", "groups": ["staff", "strata"]}
STRANGER = {"sub": "6", "name": "Fay", "email": "fay@elsewhere.org"}

PROXY = "127.0.0.9"
HEADER = "X-Forwarded-Email"


@contextmanager
def provider() -> Iterator[str]:
    """Run an OpenID provider that knows the people above; yields its address."""
    port = free_port()
    command = [sys.executable, "-W", "ignore", "-m", "oidc_provider_mock", "--port", str(port)]
    for person in (ADMIN, USER, OTHER, LIAR, GROUP, STRANGER):
        command += ["--user-claims", json.dumps(person)]
    with running(command, port, {}, "/.well-known/openid-configuration") as address:
        yield address


class _Naming(socketserver.StreamRequestHandler):
    """Passes a connection on from the proxy's own address, with a name after its first line."""

    def handle(self) -> None:
        server = self.server
        assert isinstance(server, NamingProxy)
        with socket.create_connection(
            ("127.0.0.1", server.behind), source_address=(PROXY, 0)
        ) as on:
            on.sendall(self.rfile.readline() + f"{server.header}: {server.person}\r\n".encode())
            there = threading.Thread(target=_pipe, args=(self.rfile.read1, on))
            there.start()
            _pipe(on.recv, self.connection)
            there.join()


class NamingProxy(socketserver.ThreadingTCPServer):
    """A proxy that has signed one person in and names them in a header."""

    daemon_threads = True
    block_on_close = False

    def __init__(self, port: int, behind: int, person: str, header: str) -> None:
        super().__init__(("127.0.0.1", port), _Naming)
        self.address = f"http://127.0.0.1:{port}"
        self.behind, self.person, self.header = behind, person, header


def _pipe(read: Callable[[int], bytes], go: socket.socket) -> None:
    with suppress(OSError):
        while data := read(65536):
            go.sendall(data)
        go.shutdown(socket.SHUT_WR)


@contextmanager
def naming_proxy(settings: Settings, person: str, **given: str) -> Iterator[NamingProxy]:
    """Run a proxy before a Strata of its own; whom it names can be changed while it runs."""
    behind, port = free_port(), free_port()
    given |= {"proxy_user_header": HEADER, "proxy_addresses": PROXY, "admins": "ada@example.org"}
    public_url = f"http://127.0.0.1:{port}"
    with (
        strata_serves(settings, port=behind, public_url=public_url, **given),
        NamingProxy(port, behind, person, HEADER) as proxy,
    ):
        threading.Thread(target=proxy.serve_forever, daemon=True).start()
        yield proxy
        proxy.shutdown()
