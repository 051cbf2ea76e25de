import http.client
import resource
import socket
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import httpx
import psutil
import pytest
from sqlalchemy import delete

from chatbot.accounts.people import Person
from chatbot.accounts.program_keys import ProgramKeys, Scope
from chatbot.assembly import open_chatbot
from chatbot.settings import Settings
from corpora.database.engine import Database, open_database
from corpora.database.history_tables import UseRow
from corpora.jobs.jobs import JobFile, JobKind, Jobs
from tests.browser.conftest import free_port, running
from tests.browser.signing_in import PROXY
from tests.chatbot.asked import answer
from tests.chatbot.conftest import close
from tests.data_folders import copy_data, database_url

ADA = Person("ada@example.org", "Ada", is_admin=True)
BO = Person("bo@example.org", "Bo", is_admin=False)
CYD = Person("cyd@example.org", "Cyd", is_admin=True)
SECRET = "Does the relay latch?"
"""What Bo asked; nobody else may read it."""
FILES = 1_024
"""How many files and connections the server may have at first, as on most machines."""


def each(table: Mapping[str, Any]) -> pytest.MarkDecorator:
    """Let a test have every `case` of a table, under its name."""
    return pytest.mark.parametrize("case", table.values(), ids=table.keys())


@dataclass(frozen=True)
class Server:
    """A real `strata serve` behind a proxy that signs people in, and what lies in it."""

    port: int
    process: psutil.Process
    keys: dict[str, str]
    conversation: str
    turn: int
    page: int
    job: int
    database: Database

    def forget_use(self) -> None:
        """Let everybody's minute begin anew."""
        with self.database.writing() as session:
            session.execute(delete(UseRow))

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def raw(self, request: bytes, come_from: str = "127.0.0.1", seconds: float = 20) -> bytes:
        """What is answered to bytes, at most the first 100,000 of it."""
        place = ("127.0.0.1", self.port)
        with socket.create_connection(place, seconds, (come_from, 0)) as on:
            on.sendall(request)
            told = b""
            try:
                while len(told) < 100_000 and (more := on.recv(65_536)):
                    told += more
                    # A socket that was opened, and a connection that stays, end with nothing.
                    if told.startswith(b"HTTP/1.1 101"):
                        break
            except (TimeoutError, ConnectionError):
                pass
            return told

    def ask(
        self,
        method: str,
        path: str,
        key: str | None = None,
        person: str | None = None,
        body: str = "{}",
    ) -> int:
        """The status of a request with a key, or of a person whom the proxy names."""
        from_ = "127.0.0.1" if person is None else PROXY
        headers = {"Origin": self.address, "Content-Type": "application/json"}
        headers |= {"Authorization": f"Bearer {key}"} if key else {}
        headers |= {"X-Forwarded-Email": person} if person else {}
        on = http.client.HTTPConnection("127.0.0.1", self.port, 30, (from_, 0))
        try:
            on.request(method, path, headers=headers, body=None if method == "GET" else body)
            return on.getresponse().status
        finally:
            on.close()

    def is_well(self) -> bool:
        """Whether somebody else is answered within seconds."""
        return httpx.get(f"{self.address}/_stcore/health", timeout=10).status_code == 200

    @property
    def memory(self) -> int:
        """MB that the server holds."""
        return int(self.process.memory_info().rss / 2**20)


@pytest.fixture(scope="session")
def server(valve_settings: Settings, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """The server, with a conversation of Bo and keys of all kinds."""
    data = tmp_path_factory.mktemp("served") / "data"
    copy_data(valve_settings.data_dir, data)
    chatbot = open_chatbot(valve_settings.model_copy(update={"data_dir": data}))
    keys = ProgramKeys(chatbot.database)
    made = {scope.value: keys.make(ADA, scope.value, [scope], 0, usual=0)[1] for scope in Scope}
    for scope in Scope:
        others = [other for other in Scope if other is not scope]
        made[f"all but {scope}"] = keys.make(ADA, "all but one", others, 0, usual=0)[1]
    row, made["revoked"] = keys.make(ADA, "gone", list(Scope), 0, usual=0)
    keys.revoke(ADA, row.id)
    for number in (1, 2):
        few = [Scope.ASK, Scope.SEARCH]
        made[f"few {number}"] = keys.make(BO, "few", few, 3, usual=20)[1]
    made["another's"] = keys.make(CYD, "another's", [Scope.INGEST], 0, usual=0)[1]
    made["all"] = keys.make(ADA, "all", list(Scope), 0, usual=0)[1]
    own = chatbot.conversations.of(BO.id)
    conversation = own.start("valve", SECRET)
    turn = own.add(conversation, SECRET, answer(answer=SECRET))
    jobs = Jobs(chatbot.database)
    job = jobs.add(JobKind.UPLOAD, "valve", "9.0", ADA.id, [JobFile("x.md")])
    close(chatbot)
    database = open_database(database_url(data))

    port = free_port()
    environment = {
        "STRATA_DATA_DIR": str(data),
        "STRATA_DATABASE_URL": database_url(data),
        "STRATA_GENERATOR": "none",
        "STRATA_PROXY_USER_HEADER": "X-Forwarded-Email",
        "STRATA_PROXY_ADDRESSES": PROXY,
        "STRATA_PUBLIC_URL": f"http://127.0.0.1:{port}",
        "STRATA_ADMINS": f"{ADA.id}, chris@example.org, voss@example.org, kim@example.org, "
        "fin@example.org",
    }
    serve = f"{sys.executable} -m ui.cli.main serve --no-worker --port {port}"
    command = ["bash", "-c", f"ulimit -Sn {FILES}; exec {serve}"]
    with running(command, port, environment) as address:
        (process,) = (
            p for p in psutil.Process().children() if str(port) in " ".join(p.environ().values())
        )
        yield Server(port, process, made, conversation, turn, 1, job, database)
        assert address
    database.close()


@pytest.fixture(scope="session", autouse=True)
def sockets_for_a_thousand() -> Iterator[None]:
    """This process may open as many connections as the attacks need."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, 8_192), hard))
    yield
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
