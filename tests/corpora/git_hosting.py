"""Git repositories made for a test, and what serves them: over https as a host does."""

from __future__ import annotations

import base64
import ipaddress
import os
import ssl
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import cache
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from tests.loopback import Asked, Reply, listening

_NOBODY = {
    "GIT_AUTHOR_NAME": "Somebody",
    "GIT_AUTHOR_EMAIL": "somebody@example.org",
    "GIT_COMMITTER_NAME": "Somebody",
    "GIT_COMMITTER_EMAIL": "somebody@example.org",
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_NOSYSTEM": "1",
    "PATH": os.environ["PATH"],
}


@dataclass(frozen=True)
class Repository:
    """A repository to commit into and to tag."""

    folder: Path

    @classmethod
    def made(cls, folder: Path) -> Repository:
        folder.mkdir(parents=True)
        made = cls(folder)
        made.git("init", "-q", "-b", "main")
        # As hosts have it.
        made.git("config", "uploadpack.allowFilter", "true")
        return made

    def git(self, *arguments: str, stdin: bytes = b"") -> str:
        done = subprocess.run(
            ["git", *arguments], cwd=self.folder, env=_NOBODY, input=stdin, capture_output=True
        )
        assert done.returncode == 0, done.stderr.decode()
        return done.stdout.decode(errors="replace").strip()

    def commit(self, files: Mapping[str, str | bytes | None], tag: str = "") -> str:
        """Write files, or remove those that are None; commit; tag; return the commit."""
        for name, content in files.items():
            path = self.folder / name
            if content is None:
                path.unlink()
                continue
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content.encode() if isinstance(content, str) else content)
        self.git("add", "-A")
        return self.committed(tag)

    def committed(self, tag: str = "") -> str:
        self.git("commit", "-q", "--allow-empty", "-m", tag or "change")
        if tag:
            self.git("tag", "-f", "-a", "-m", tag, "--", tag)
        return self.git("rev-parse", "HEAD")

    def with_tree(self, rows: Mapping[str, tuple[str, str]], tag: str) -> None:
        """Tag a commit of a tree that git itself would not make: name → (mode, hash)."""
        tree = b"".join(
            f"{mode} {name}\0".encode() + bytes.fromhex(oid) for name, (mode, oid) in rows.items()
        )
        made = self.git("hash-object", "-t", "tree", "-w", "--literally", "--stdin", stdin=tree)
        self.git("tag", "-f", tag, self.git("commit-tree", "-m", tag, made))

    def blob(self, content: bytes) -> str:
        return self.git("hash-object", "-w", "--stdin", stdin=content)


@cache
def _authority() -> tuple[bytes, bytes]:
    """A certificate for loopback that signs itself, and its key."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "a company's own authority")])
    now = datetime.now(UTC)
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(
            x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address("127.0.0.1"))]),
            critical=False,
        )
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    pem = serialization.Encoding.PEM
    return made.public_bytes(pem), key.private_bytes(
        pem, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )


@dataclass
class Host:
    """What a host was asked, and how it answers."""

    url: str
    ca: Path
    token: str
    asked: list[tuple[str, str | None]] = field(default_factory=list)
    redirects_to: str = ""

    def sent_tokens(self) -> set[str]:
        """What was sent to sign in with, as user:password."""
        headers = [header for _, header in self.asked if header]
        return {base64.b64decode(header.split()[1]).decode() for header in headers}


@contextmanager
def https_host(root: Path, work: Path, token: str = "") -> Iterator[Host]:
    """Serve the repositories below a folder by `git http-backend`, to whoever has the token."""
    certificate, key = _authority()
    (work / "ca.pem").write_bytes(certificate)
    (work / "key.pem").write_bytes(key)
    backend = subprocess.run(["git", "--exec-path"], capture_output=True, text=True).stdout.strip()

    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(work / "ca.pem", work / "key.pem")
    host = Host("", work / "ca.pem", token)

    def reply(asked: Asked) -> Reply:
        header = asked.headers["authorization"]
        host.asked.append((asked.path, header))
        if host.redirects_to:
            return Reply(301, headers={"Location": host.redirects_to + asked.path})
        signed = base64.b64decode((header or "").removeprefix("Basic ")).decode()
        if token and signed.partition(":")[2] != token:
            return Reply(401, headers={"WWW-Authenticate": 'Basic realm="docs"'})
        path, _, query = asked.path.partition("?")
        done = subprocess.run(
            [f"{backend}/git-http-backend"],
            input=asked.body,
            capture_output=True,
            env={
                **_NOBODY,
                "GIT_PROJECT_ROOT": str(root),
                "GIT_HTTP_EXPORT_ALL": "1",
                "GIT_PROTOCOL": asked.headers.get("git-protocol", ""),
                "HTTP_CONTENT_ENCODING": asked.headers.get("content-encoding", ""),
                "REQUEST_METHOD": asked.method,
                "PATH_INFO": path,
                "QUERY_STRING": query,
                "CONTENT_TYPE": asked.headers.get("content-type", ""),
                "CONTENT_LENGTH": str(len(asked.body)),
                "REMOTE_USER": "",
            },
        )
        head, _, answer = done.stdout.partition(b"\r\n\r\n")
        headers = dict(row.split(": ", 1) for row in head.decode().split("\r\n"))
        return Reply(int(headers.pop("Status", "200").split()[0]), answer, headers)

    with listening(reply, context) as host.url:
        yield host
