"""Processes killed at random moments: `python -m tests.endurance.crashes --kills 1000`.

While people ask and rate, files are uploaded and a release is ingested over and over, an ingest, a
worker, a question of the command line, a server and the database's server are killed with -9 and
started again. Nothing that was acknowledged may be lost, nobody may be told another release's
answer, and nobody may meet an error other than one that asking again heals: every now and then the
killing rests, and everything is compared with what the processes had said.

On PostgreSQL, with pgvector, it is a team: two servers, two workers, as many people as are wanted,
each with a key, and one model behind HTTP. How long an answer takes is measured without the model,
which replies after a fixed time.
"""

import os
import random
import signal
import subprocess
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager
from enum import StrEnum
from functools import partial
from pathlib import Path
from statistics import quantiles
from typing import Annotated

import psutil
import typer
from rich.console import Console
from rich.progress import Progress
from sqlalchemy import select, text

from chatbot.accounts.people import Person
from chatbot.accounts.program_keys import ProgramKeys, Scope
from chatbot.administration.doctor import Health, examine
from chatbot.settings import read_settings
from corpora.database.engine import open_database, sqlite_url
from corpora.database.history_tables import FeedbackRow
from corpora.database.tables import GenerationRow
from strata_client import Strata, StrataFailure
from tests.browser.conftest import free_port
from tests.endurance.power_cut import PowerCut
from tests.endurance.site import (
    MODEL_SECONDS,
    QUESTION,
    Site,
    answers,
    lost_answers,
    model,
    until,
    write_winch,
)
from tests.postgresql import Cluster, cluster

PRODUCT = "winch"
STEADY = {"0.8": 8, "0.9": 7}
"""The metres of the cable in releases that nobody touches."""
CHANGING = "1.0"
"""The release that is ingested over and over."""
AWAY = (0, 503)
"""The status of a failure that asking again heals: there is no server, or no database for it."""
UPLOADED = 4
"""Releases that are uploaded to in turn."""
CALM_AFTER = 50
"""Kills after which everything is compared; it is after every power cut."""


class Kind(StrEnum):
    """What is done: kills with the data in SQLite or in PostgreSQL, or power cuts."""

    SQLITE = "killed, SQLite"
    POSTGRESQL = "killed, PostgreSQL"
    POWER = "power cut, SQLite"


class Storm:
    """Everything that runs, is killed and is started again, and what it has acknowledged."""

    def __init__(
        self,
        site: Site,
        seed: int,
        people: int,
        database: Cluster | None = None,
        power: PowerCut | None = None,
    ) -> None:
        self.site = site
        self.database = database
        self.power = power
        self.kills = Counter[str]()
        self.done = Counter[str]()
        self.faults: list[str] = []
        self._url = site.environment["STRATA_DATABASE_URL"]
        self._data = Path(site.environment["STRATA_DATA_DIR"])
        self._random = random.Random(seed)
        self._docs = site.folder / "docs"
        self._version = self._ingested = 0
        numbers = ("",) if database is None else ("1", "2")
        self._ports = {f"web{number}": free_port() for number in numbers}
        self._workers = [f"worker{number}" for number in numbers]
        self._keys: list[str | None] = [None] * people
        self.seconds: list[float] = []
        self._sessions: set[int] = set()
        self._ratings: dict[int, int] = {}
        self._said: dict[tuple[str | None, str], list[str]] = {}
        self._uploads: dict[str, tuple[int, int]] = {}
        self._resting = threading.Event()
        self._over = threading.Event()
        self._busy = [threading.Lock() for _ in range(people + 1)]

    def begin(self) -> None:
        """Ingest the steady releases, start everything and hear an answer, which is to stay."""
        for release, metres in STEADY.items():
            write_winch(self._docs, metres, parts=1)
            self._ingest(release)
            assert self.site.processes["ingest"].wait(300) == 0, f"{release} is not ingested"
        if self.database is not None:
            self._make_keys()
        for name in (*self._ports, *self._workers):
            self._start(name)
        self._calm_down()
        for key in self._keys:
            with self._client(key) as client:
                self._asked(client, key, "new")

    def _make_keys(self) -> None:
        with closing(open_database(self._url)) as database:
            keys = ProgramKeys(database)
            own = [Person(f"person {n}", "", is_admin=False) for n in range(len(self._keys))]
            self._keys = [keys.make(who, who.id, [Scope.ASK], 0, usual=0)[1] for who in own]

    def rage(self, kills: int, pause: float, told: Callable[[], object]) -> None:
        """Kill so many processes, `pause` seconds apart in the mean; compare in between."""
        asking = (partial(self._ask, *who) for who in enumerate(self._keys))
        threads = [threading.Thread(target=work) for work in (*asking, self._upload)]
        for thread in threads:
            thread.start()
        try:
            for number in range(1, kills + 1):
                end = time.monotonic() + self._random.expovariate(1 / pause)
                while time.monotonic() < end:
                    self._keep_up()
                    time.sleep(0.02)
                self._kill(self._random.choice(self._victims()))
                told()
                if number % (1 if self.power else CALM_AFTER) == 0 or number == kills:
                    self._compare()
        finally:
            self._over.set()
            self._resting.clear()
            for thread in threads:
                thread.join(300)

    def _victims(self) -> list[str]:
        if self.power is not None:
            return ["power"]
        names = [*self._ports, *self._workers, "ingest", "chat"]
        return names if self.database is None else [*names, "database"]

    def _kill(self, name: str) -> None:
        self.kills[name.rstrip("12")] += 1
        if name == "database":
            assert self.database is not None
            self.database.kill()
            self.database.start()
            return
        if name == "power":
            self._cut()
            return
        self._keep_up()
        self.site.kill(name)
        self._start(name)

    def _cut(self) -> None:
        """Everything ends at once, and what was not synced is gone."""
        assert self.power is not None
        for other in self.site.processes:
            self.site.kill(other)
        children = self._left(self._sessions)
        for pid in children:
            os.kill(pid, signal.SIGKILL)
        until(lambda: not self._left(self._sessions), "processes do not end")
        files, lost = self.power.happens()
        self.done["files cut"] += files
        self.done["bytes cut"] += lost
        for other in (*self._ports, *self._workers, "ingest", "chat"):
            self._start(other)

    def _start(self, name: str) -> None:
        if name in self._ports:
            command = ("serve", "--no-worker", "--port", str(self._ports[name]))
            self._sessions.add(self.site.start(name, *command).pid)
        elif name in self._workers:
            self._sessions.add(self.site.start(name, "worker").pid)
        elif name == "chat":
            asked = (QUESTION, "--product", PRODUCT, "--release", "0.9")
            self._sessions.add(self.site.start(name, "ask", *asked, keep=True).pid)
        else:
            if self._ingested == self._version:
                self._version += 1
                write_winch(self._docs, self._version, parts=6)
            self._ingest(CHANGING)

    def _ingest(self, release: str) -> None:
        command = ("ingest", str(self._docs), "--product", PRODUCT, "--release", release)
        self._sessions.add(self.site.start("ingest", *command).pid)

    def _keep_up(self) -> None:
        """Start what has ended; a server or worker never ends by itself."""
        for name in (*self._ports, *self._workers, "ingest", "chat"):
            process = self.site.processes.get(name)
            if process is not None and process.poll() is None:
                continue
            if process is not None:
                self._ended(name, process)
            self._start(name)

    def _ended(self, name: str, process: subprocess.Popen[bytes]) -> None:
        code = process.returncode
        said = process.stdout.read().decode() if process.stdout else ""
        if name == "ingest" and code == 0:
            self._ingested = self._version
            self.done["ingests"] += 1
        elif name == "chat" and code == 0:
            self.done["questions of the command line"] += 1
            if "7 metres" not in said:
                self.faults.append(f"chat said: {said[-200:]}")
        elif code == 0 or not self._may_fail(name):
            self.faults.append(f"{name} ended by itself with {code} {said[-200:]}")

    def _may_fail(self, name: str) -> bool:
        """A command may end, with a message, where the database was away."""
        return self.database is not None and self.kills["database"] > 0 and name in COMMANDS

    @contextmanager
    def _at_work(self, lock: threading.Lock) -> Iterator[bool]:
        """Work while nothing is compared; False once the storm is over."""
        while self._resting.is_set() and not self._over.is_set():
            time.sleep(0.1)
        with lock:
            yield not self._over.is_set()

    def _ask(self, person: int, key: str | None) -> None:
        """Ask and rate, through either server, in conversations of some turns."""
        conversation, number = "new", 0
        while not self._over.is_set():
            number += 1
            port = self._random.choice(list(self._ports.values()))
            with self._at_work(self._busy[person]) as going:
                if not going:
                    return
                try:
                    with Strata(f"http://127.0.0.1:{port}", key, timeout=30) as client:
                        conversation = self._asked(client, key, conversation)
                except StrataFailure as failure:
                    self._failed(failure)
            time.sleep(0.1)

    def _asked(self, client: Strata, key: str | None, conversation: str) -> str:
        release, metres = self._random.choice([*STEADY.items()])
        began = time.perf_counter()
        reply = client.ask(QUESTION, product=PRODUCT, release=release, conversation=conversation)
        calls = reply.data["model_calls"]
        self.seconds.append(time.perf_counter() - began - MODEL_SECONDS * calls)
        self.done["calls of the model"] += calls
        if f"{metres} metres" not in reply.answer:
            self.faults.append(f"of {release} a server said: {reply.answer[:200]}")
        assert reply.conversation is not None
        assert reply.turn is not None
        said = self._said.setdefault((key, reply.conversation), [])
        said.append(reply.answer)
        self.done["answers"] += 1
        # Where answers are remembered, a thumb down would take the right one from its person.
        thumbs = self._random.choice((1, -1)) if self.database is None else 1
        client.rate(reply.turn, thumbs)
        self._ratings[reply.turn] = thumbs
        self.done["ratings"] += 1
        return "new" if len(said) >= 5 else reply.conversation

    def _upload(self) -> None:
        """Upload something else into a few releases, as long as few uploads wait."""
        number = 0
        while not self._over.is_set():
            with self._at_work(self._busy[-1]) as going:
                if not going:
                    return
                if len(self._uploads) < UPLOADED:
                    number += 1
                    self._send(number)
            self._over.wait(5)

    def _send(self, number: int) -> None:
        files = write_winch(self.site.folder / "upload", 100 + number, parts=2)
        port = self._random.choice(list(self._ports.values()))
        release = f"{100 + number % UPLOADED}.0"
        try:
            with Strata(f"http://127.0.0.1:{port}", timeout=30) as client:
                job = client.upload(PRODUCT, release, files)["id"]
        except StrataFailure as failure:
            self._failed(failure)
        else:
            # A server that was killed before it answered may have stored the one before as well.
            self._uploads[release] = (job, 100 + number)
            self.done["uploads"] += 1

    def _failed(self, failure: StrataFailure) -> None:
        """A server that is away may be asked again; any other failure is a fault."""
        self.done["retried"] += 1
        if failure.status not in AWAY:
            self.faults.append(f"refused with {failure.status}: {failure}")

    def _calm_down(self) -> None:
        """Wait until both servers answer."""
        for name, port in self._ports.items():
            with Strata(f"http://127.0.0.1:{port}", timeout=30) as client:
                until(lambda c=client: answers(c), f"{name} does not answer")  # type: ignore[misc]

    def _compare(self) -> None:
        """Let everything come to rest, and compare it with what was said."""
        self._resting.set()
        with ExitStack() as stack:
            for busy in self._busy:
                stack.enter_context(busy)
            self._keep_up()
            self._calm_down()
            self._finish_ingest()
            self._compare_uploads()
            self._compare_conversations()
            self._compare_rows()
            self._compare_processes()
        self._resting.clear()

    def _finish_ingest(self) -> None:
        """The release that was ingested over and over is, when one ends."""
        before = self._ingested
        while self._ingested == before:
            process = self.site.processes["ingest"]
            try:
                process.wait(300)
            except subprocess.TimeoutExpired:
                self.faults.append("an ingest does not end")
                return
            self._ended("ingest", process)
            if process.returncode:
                self._start("ingest")
        self._expect(CHANGING, self._ingested, "the release that is ingested over and over")
        self._start("ingest")

    def _compare_uploads(self) -> None:
        with self._client() as client:
            for release, (job, metres) in self._uploads.items():
                done = client.wait(job, every=0.2)
                if done["state"] == "done":
                    self._expect(release, metres, f"the upload of job {job}")
                elif "crashed" in done["message"]:
                    self.done["jobs given up, and said so"] += 1
                else:
                    self.faults.append(f"job {job} is {done['state']}: {done['message']}")
                self.done["uploads compared"] += 1
        self._uploads = {}

    def _expect(self, release: str, metres: int, what: str) -> None:
        with self._client() as client:
            answer = client.ask(QUESTION, product=PRODUCT, release=release).answer
        if f"{metres} metres" not in answer:
            self.faults.append(f"{what}: {metres} metres expected, said: {answer[:200]}")

    def _compare_conversations(self) -> None:
        for (key, conversation), said in self._said.items():
            with self._client(key) as client:
                self.faults += lost_answers(client, conversation, said)
        self._said = {}

    def _compare_rows(self) -> None:
        database = open_database(self._url)
        with database.reading() as session:
            if self.database is None:
                for pragma in ("quick_check", "foreign_key_check"):
                    found = session.execute(text(f"PRAGMA {pragma}")).all()
                    if found not in ([], [("ok",)]):
                        self.faults.append(f"{pragma}: {found[:3]}")
            rated = {row.turn_id: row.thumbs for row in session.scalars(select(FeedbackRow))}
            wrong = [t for t, thumbs in self._ratings.items() if rated.get(t) != thumbs]
            if wrong:
                self.faults.append(f"ratings lost or changed: {wrong[:5]}")
            unfinished = select(GenerationRow.id).where(GenerationRow.published.is_(None))
            building = set(session.scalars(unfinished))
        self._ratings = {}
        settings = read_settings(data_dir=self._data, database_url=self._url)
        for finding in examine(settings, database):
            if finding.health is Health.FAULT:
                self.faults.append(f"doctor: {finding.what}: {finding.told}")
            if finding.what == "leftovers" and finding.health is not Health.WELL:
                self.done["folders left for the next ingest"] += 1
        if len(building) > 1:
            self.faults.append(f"generations left unfinished: {sorted(building)}")
        database.close()

    def _compare_processes(self) -> None:
        """No child of a killed process lives on."""
        ours = {p.pid for p in self.site.processes.values()}
        gone = self._sessions - ours

        end = time.monotonic() + 20
        while self._left(gone) and time.monotonic() < end:
            time.sleep(0.2)
        for pid in self._left(gone):
            self.faults.append(f"process {pid} outlives the killed one that started it")
        self._sessions = ours

    def _left(self, sessions: set[int]) -> list[int]:
        return [p for p in psutil.pids() if _session(p) in sessions]

    @contextmanager
    def _client(self, key: str | None = None) -> Iterator[Strata]:
        port = next(iter(self._ports.values()))
        with Strata(f"http://127.0.0.1:{port}", key, timeout=60) as client:
            yield client


COMMANDS = ("ingest", "chat")


def _session(pid: int) -> int:
    try:
        if psutil.Process(pid).status() == psutil.STATUS_ZOMBIE:
            return 0
        return os.getsid(pid)
    except (ProcessLookupError, PermissionError, psutil.NoSuchProcess):
        return 0


def storm(
    folder: Path,
    kind: Kind,
    kills: int,
    *,
    people: int = 1,
    seed: int = 1,
    pause: float = 3.0,
    told: Callable[[], object] = lambda: None,
) -> Storm:
    """Kill so many times, or cut the power; return what was done and what was found."""
    data = folder / "data"
    data.mkdir()
    with ExitStack() as stack:
        server = power = None
        more = {"STRATA_GENERATOR": "none", "STRATA_MEMORY": "off"}
        url = sqlite_url(data)
        if kind is Kind.POSTGRESQL:
            server = stack.enter_context(cluster(durable=True, pgvector=True))
            url = server.database_of(data)
            with closing(open_database(url)) as opened, opened.writing() as session:
                session.execute(text("CREATE EXTENSION vector"))
            more = {
                "STRATA_PROFILE": "embedded",
                "STRATA_BACKEND": "server",
                "STRATA_SERVER_URL": stack.enter_context(model()),
                "STRATA_MODEL": "scripted",
                "STRATA_MEMORY_JUDGE": "measure",
            }
        if kind is Kind.POWER:
            power = PowerCut(data, folder)
            more |= power.environment
        site = Site(folder, STRATA_DATABASE_URL=url, STRATA_DATA_DIR=str(data), **more)
        found = Storm(stack.enter_context(site), seed, people, server, power)
        found.begin()
        found.rage(kills, pause, told)
        return found


def main(
    kills: Annotated[int, typer.Option(help="Half of them on each database.")] = 1000,
    cuts: Annotated[int, typer.Option(help="Power cuts, on SQLite.")] = 50,
    people: Annotated[int, typer.Option(min=1, help="Who ask, each with a key.")] = 1,
    pause: Annotated[float, typer.Option(help="Mean seconds between two.")] = 3.0,
    seed: Annotated[int, typer.Option(help="Of what is killed, and when.")] = 1,
) -> None:
    """Kill, start again, compare; the exit code is 1 if anything was lost."""
    console, lost = Console(), False
    times = {Kind.SQLITE: kills // 2, Kind.POSTGRESQL: kills // 2, Kind.POWER: cuts}
    with Progress(console=console) as progress:
        for kind, number in times.items():
            if not number:
                continue
            task = progress.add_task(kind, total=number)
            with tempfile.TemporaryDirectory(prefix="strata-crash-") as folder:
                told = partial(progress.advance, task)
                found = storm(
                    *(Path(folder), kind, number),
                    people=people,
                    seed=seed,
                    pause=pause,
                    told=told,
                )
            console.print(f"{kind}: {dict(found.kills)}; {dict(found.done)}")
            at = quantiles(found.seconds, n=100)
            shares = ", ".join(f"{at[n - 1]:.3f} at {n} %" for n in (50, 90, 95, 99))
            console.print(f"{kind}: seconds of an answer without the model: {shares}")
            for fault in found.faults:
                console.print(f"{kind}: {fault}", markup=False, style="red")
            lost = lost or bool(found.faults)
    raise typer.Exit(int(lost))


if __name__ == "__main__":
    typer.run(main)
