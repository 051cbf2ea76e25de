"""The git program, run so that nothing of a repository, a person or this machine steers it.

It gets no settings but ours, an empty home, one protocol, and nobody to ask; hooks, helpers and
redirects are off. Addresses and secrets reach it by its environment, never by its command line.
"""

import os
import re
import shlex
import shutil
import signal
import subprocess
import time
from base64 import b64encode
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO
from urllib.parse import urlsplit

from corpora.errors import SourceError
from corpora.sources.git_address import GitAddress
from ingestion.messages import message, message_noop

Stop = Callable[[], None]

_OLDEST = (2, 31)
"""The first that takes settings from its environment."""
_HANDED_ON = {
    *("PATH", "TMPDIR", "LD_LIBRARY_PATH", "SSL_CERT_FILE", "SSL_CERT_DIR"),
    *("http_proxy", "https_proxy", "all_proxy", "no_proxy"),
    *("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY"),
}
_SETTINGS = {
    "core.hooksPath": os.devnull,
    "core.fsmonitor": "false",
    # Larger files are unpacked in pieces, so that memory does not grow with them.
    "core.bigFileThreshold": "8m",
    "credential.helper": "",
    "fetch.recurseSubmodules": "false",
    "fetch.showForcedUpdates": "false",
    # All that comes stays a pack, whose size is seen while it grows.
    "fetch.unpackLimit": "1",
    "gc.auto": "0",
    "maintenance.auto": "false",
    "pack.threads": "1",
    "protocol.version": "2",
    # Followed, it would be told the header with the token, wherever it leads.
    "http.followRedirects": "false",
    "http.lowSpeedLimit": "100",
    "http.lowSpeedTime": "60",
    "http.sslVerify": "true",
}
_BY_SECTION = [(*name.split(".", 1), value) for name, value in _SETTINGS.items()]
_PATIENCE = 3600.0
"""Seconds that one command may take."""
_MOST_MEMORY = "1g"
"""For one object, as git writes it."""
_WATCHED_EVERY = 0.2
_LONGEST_REASON = 300

_REASONS = (
    (
        r"could not read (username|password)|authentication failed|error: 40[13]\b",
        message_noop(
            "the server wants a sign-in, or does not let this token read the repository: name a "
            "token that may read it"
        ),
    ),
    (
        r"repository .*not found|does not appear to be a git repository|not a git repository|"
        r"error: 404",
        message_noop(
            "there is no such repository, or the token may not see it: check the address and the "
            "token"
        ),
    ),
    (
        r"dubious ownership",
        message_noop("the repository's owner is unclear: make its folder readable here"),
    ),
    (
        r"unable to update url base|redirect|error: 30\d",
        message_noop(
            "the address leads to another one, which is not followed: give that one (often the "
            "same with .git at its end)"
        ),
    ),
    (
        r"certificate (problem|verif)|server certificate|ssl (connect|peer)|gnutls|self.signed",
        message_noop(
            "the server's certificate is not trusted here: name the file of its authority as ca"
        ),
    ),
    (
        r"host key verification failed",
        message_noop(
            "the host's key is not among the known ones: add what `ssh-keyscan HOST` prints to the "
            "file of known hosts, once you have compared it"
        ),
    ),
    (
        r"permission denied|unprotected private key|error in libcrypto|load key",
        message_noop(
            "the host does not accept the key: register its public half there, and keep the file "
            "readable by the worker alone and without a passphrase"
        ),
    ),
    (
        r"couldn't find remote ref",
        message_noop(
            "the tag or branch is gone since the releases were listed: run the source again"
        ),
    ),
    (
        r"over limit",
        message_noop(
            "it holds something that would take more than 1 GB of memory: name a tag or branch "
            "without it"
        ),
    ),
    (r"no space left", message_noop("the disk is full: make room and run the source again")),
    (
        r"could not resolve|failed to connect|connection (refused|timed out|reset)|timed out|"
        r"couldn't connect",
        message_noop(
            "the host cannot be reached from here: check its name, the network and the proxy"
        ),
    ),
)


class NotGiven(SourceError):
    """A server does not give single files, only what its tags and branches point to."""


@dataclass
class GitProgram:
    """Runs git in a bare repository at `folder`, which it makes, for one address.

    Args:
        address: Where `fetch` and `ls-remote` go to, as the remote `origin`.
        folder: Where the repository and git's home are made.
        token: What https signs in with.
        key: The key file that ssh signs in with.
        known_hosts: The keys of ssh hosts.
        ca: The certificates of authorities that https trusts.
    """

    address: GitAddress
    folder: Path
    token: str = field(default="", repr=False)
    key: Path | None = None
    known_hosts: Path | None = None
    ca: Path | None = None
    gives_all: bool = field(default=False, init=False)
    """Whether the server has turned out to give no single files."""
    _program: str = field(init=False)
    _environment: dict[str, str] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        found = shutil.which("git")
        if found is None:
            raise SourceError(
                "Sources of the kind git need the program git, which is not installed where the "
                "worker runs: install the package git there (with openssh-client for ssh)."
            )
        self._program = found
        self._environment = self._surroundings()
        for name in ("home", "repository"):
            (self.folder / name).mkdir(parents=True, exist_ok=True)
        self._write_settings()

    @property
    def repository(self) -> Path:
        """The bare repository that everything is fetched into."""
        return self.folder / "repository"

    def make_repository(self, revision: str) -> None:
        """Make the repository with hashes of the kind that `revision` is, if there is none."""
        if not (self.repository / "HEAD").exists():
            kind = "sha256" if len(revision) == 64 else "sha1"
            with self.run(["init", "--quiet", "--bare", f"--object-format={kind}", "."]):
                pass

    def forget_repository(self) -> None:
        """Remove all that was fetched."""
        shutil.rmtree(self.repository)
        self.repository.mkdir()

    @contextmanager
    def run(
        self,
        arguments: Sequence[str],
        *,
        stdin: bytes = b"",
        settings: Mapping[str, str] | None = None,
        check_stop: Stop = lambda: None,
        most_bytes: int = 1 << 28,
    ) -> Iterator[IO[bytes]]:
        """Run a command to its end, and yield what it printed.

        Raises SourceError where it fails, prints or stores more than `most_bytes`, or takes an
        hour; whatever `check_stop` raises.
        """
        with TemporaryFile() as given, TemporaryFile() as printed, TemporaryFile() as told:
            given.write(stdin)
            given.seek(0)
            before = self._stored()
            process = self.start(arguments, given, printed, told, settings)
            began = time.monotonic()
            try:
                while process.poll() is None:
                    with suppress(subprocess.TimeoutExpired):
                        process.wait(_WATCHED_EVERY)
                    check_stop()
                    said = sum(os.fstat(file.fileno()).st_size for file in (printed, told))
                    if said + self._stored() - before > most_bytes:
                        raise SourceError(
                            "{address} sends more than {most_bytes:,.0f} MB: name a path with "
                            "less in it, or raise the source's max_bytes.",
                            address=self.address.url,
                            most_bytes=most_bytes / 1e6,
                        )
                    if time.monotonic() - began > _PATIENCE:
                        raise SourceError(
                            "{address} took longer than an hour: run the source again when "
                            "the network is faster.",
                            address=self.address.url,
                        )
            finally:
                if process.poll() is None:
                    end(process)
                    # They would keep the next release of this run from being fetched.
                    for lock in self.repository.glob("*.lock"):
                        lock.unlink(missing_ok=True)
            if process.returncode:
                told.seek(0)
                raise self._failure(told.read(1 << 20).decode(errors="replace"))
            printed.seek(0)
            yield printed

    def start(
        self,
        arguments: Sequence[str],
        stdin: IO[bytes] | int,
        stdout: IO[bytes] | int,
        stderr: IO[bytes] | int,
        settings: Mapping[str, str] | None = None,
    ) -> subprocess.Popen[bytes]:
        """Start a command in a process group of its own, which `end` ends."""
        own = {**_SETTINGS, **self._settings(), **(settings or {})}
        counted = {"GIT_CONFIG_COUNT": str(len(own))}
        for number, (name, value) in enumerate(own.items()):
            counted |= {f"GIT_CONFIG_KEY_{number}": name, f"GIT_CONFIG_VALUE_{number}": value}
        return subprocess.Popen(
            [self._program, *arguments],
            cwd=self.repository,
            env={**self._environment, **counted},
            stdin=stdin,
            stdout=stdout,
            stderr=stderr,
            start_new_session=True,
        )

    def check_version(self) -> None:
        """Raise SourceError where git is too old to be given its settings."""
        with self.run(["version"]) as printed:
            said = printed.read(200).decode(errors="replace").strip()
        version = tuple(int(number) for number in re.findall(r"\d+", said)[:2])
        if version < _OLDEST:
            oldest = ".".join(map(str, _OLDEST))
            raise SourceError(
                "{said} is too old: install git {oldest} or newer for the worker.",
                said=said,
                oldest=oldest,
            )

    def _surroundings(self) -> dict[str, str]:
        home = str(self.folder / "home")
        return {
            **{name: v for name, v in {**os.environ}.items() if name in _HANDED_ON},
            "HOME": home,
            "XDG_CONFIG_HOME": home,
            "LC_ALL": "C",
            # A pack may claim that a folder in it has any size, which would be memory.
            "GIT_ALLOC_LIMIT": _MOST_MEMORY,
            "GIT_DIR": ".",
            "GIT_ALLOW_PROTOCOL": self.address.protocol,
            "GIT_ATTR_NOSYSTEM": "1",
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_CONFIG_GLOBAL": f"{home}/config",
            "GIT_NO_REPLACE_OBJECTS": "1",
            "GIT_SSH_COMMAND": self.ssh_command() if self.address.protocol == "ssh" else "false",
            "GIT_SSH_VARIANT": "ssh",
            "GIT_TERMINAL_PROMPT": "0",
        }

    def ssh_command(self) -> str:
        """How git calls ssh: with this key alone, to a host whose key is known, asking nobody."""
        ssh = shutil.which("ssh")
        if ssh is None:
            raise SourceError(
                "{address} needs the program ssh, which is not installed where the worker "
                "runs: install the package openssh-client there.",
                address=self.address.url,
            )
        if self.key is None:
            raise SourceError(
                "{address} needs a key: add its file to the setting source_files "
                "(STRATA_SOURCE_FILES), and name it as the source's key.",
                address=self.address.url,
            )
        options = {
            "BatchMode": "yes",
            "ConnectTimeout": "30",
            "IdentitiesOnly": "yes",
            "IdentityAgent": "none",
            # Not by -i: with that a file that cannot be read means the keys of the worker's user.
            "IdentityFile": f'"{self.key}"',
            "PasswordAuthentication": "no",
            "ServerAliveCountMax": "4",
            "ServerAliveInterval": "15",
            "StrictHostKeyChecking": "yes",
            "UpdateHostKeys": "no",
        }
        if self.known_hosts:
            # Quoted for ssh itself, which takes several files.
            options["UserKnownHostsFile"] = f'"{self.known_hosts}"'
            options["GlobalKnownHostsFile"] = "none"
        given = [part for name, value in options.items() for part in ("-o", f"{name}={value}")]
        return shlex.join([ssh, "-F", "none", *given])

    def _settings(self) -> dict[str, str]:
        # With a dot behind it git takes this folder or none, and not PATH.git beside it.
        here = "/." if self.address.protocol == "file" else ""
        settings = {"remote.origin.url": f"{self.address.url}{here}"}
        if self.ca:
            settings["http.sslCAInfo"] = str(self.ca)
        if self.token and self.address.protocol == "https":
            signed = b64encode(f"{self.address.user or 'git'}:{self.token}".encode()).decode()
            host = urlsplit(self.address.url).netloc
            settings[f"http.https://{host}/.extraHeader"] = f"Authorization: Basic {signed}"
        return settings

    def _write_settings(self) -> None:
        """Write the settings for the git that reads a folder on the other side, as a host would.

        It gets none by its environment, and these are below those of the folder's repository.
        There the owner may be somebody else, as is mostly so on a share.
        """
        rows = [f"[{section}]\n\t{name} = {value}\n" for section, name, value in _BY_SECTION]
        if self.address.protocol == "file":
            name = self.address.url.replace("\\", "\\\\").replace('"', '\\"')
            said = (f"{name}{dot}{git}" for dot in ("", "/.") for git in ("", "/.git"))
            rows += [f'[safe]\n\tdirectory = "{path}"\n' for path in said]
        (self.folder / "home" / "config").write_text("".join(rows), encoding="utf-8")

    def _stored(self) -> int:
        """The bytes of packs, those that are still being written among them."""
        total = 0
        for path in (self.repository / "objects" / "pack").glob("*"):
            with suppress(OSError):
                total += path.stat().st_size
        return total

    def _failure(self, told: str) -> SourceError:
        if self.token:
            told = told.replace(self.token, "***")
        lines = ["".join(c if c.isprintable() else " " for c in row) for row in told.splitlines()]
        # The address may hold any of the words.
        words = told.replace(self.address.url, "")
        reason = next((why for sign, why in _REASONS if re.search(sign, words, re.I)), None)
        if reason:
            return SourceError(
                "{address} cannot be read: {reason}.",
                address=self.address.url,
                reason=message(reason),
            )
        last = [row for row in lines if row.startswith(("fatal:", "error:"))] or lines[-1:]
        said = " ".join(last).strip()[:_LONGEST_REASON] or message("it said nothing")
        kind = NotGiven if re.search(r"unadvertised object|not our ref", words) else SourceError
        return kind(
            "{address} cannot be read (git: {said}): check the address with `git ls-remote` where "
            "the worker runs.",
            address=self.address.url,
            said=said,
        )


def end(process: subprocess.Popen[bytes]) -> None:
    """End a command and all that it started, and wait for it."""
    if process.poll() is None:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
