"""A team on four machines: `python -m tests.endurance.team --people 50 --minutes 20`.

Fifty people, each with a key, ask and rate through two servers while two workers ingest three
releases; all share one PostgreSQL with pgvector and one model behind HTTP, and every few seconds a
server or a worker is killed with -9 and started again. Nothing that was acknowledged may be lost,
and nobody may meet an error other than one that asking again heals. How long an answer takes is
measured without the model, which replies after a fixed time.
"""

from __future__ import annotations

import itertools
import random
import re
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, field
from functools import partial
from multiprocessing import get_context
from multiprocessing.connection import Connection
from pathlib import Path
from statistics import quantiles
from typing import Annotated, TypeVar

import typer
from rich.console import Console
from rich.table import Table
from sqlalchemy import select, text

from chatbot.accounts.people import Person
from chatbot.accounts.program_keys import ProgramKeys, Scope
from corpora.database.engine import open_database
from corpora.database.history_tables import FeedbackRow
from corpora.database.job_tables import JobRow, JobState
from corpora.database.tables import GenerationRow
from corpora.jobs.jobs import ATTEMPTS
from eval.benchmarks.embedding import sample_texts
from strata_client import Strata, StrataFailure
from tests.browser.conftest import free_port
from tests.chatbot.small_server import Request, SmallServer, words
from tests.endurance.site import Site, answers, lost_answers, until
from tests.postgresql import cluster

PRODUCT = "winch"
ASKED = ("1.0", "2.0")
"""Releases that people ask about; those that are ingested meanwhile come on top."""
INGESTED = ("3.0", "4.0", "5.0")
PARTS = (
    *("drum", "pawl", "gear", "shaft", "brake", "cable", "hook", "lever", "crank", "ratchet"),
    *("bearing", "housing", "spindle", "clutch", "flange", "bolt", "spring", "pulley", "motor"),
    *("bracket", "handle", "cover", "gasket", "washer", "sleeve", "coupling", "bushing", "cotter"),
)
PARTS_A_FILE = 7
SERVERS, WORKERS = ("web1", "web2"), ("worker1", "worker2")
MODEL_SECONDS = 1.0
"""What the model takes to reply."""
UNDER_WAY = ("waiting", "running")
AWAY = (0, 503)
"""The status of a failure that asking again heals: there is no server, or no database for it."""

Result = TypeVar("Result")


def length(part: str, release: str) -> int:
    """What a release says of a part, in centimetres; no two releases agree."""
    return 100 * (PARTS.index(part) + 1) + int(float(release))


def write(folder: Path, release: str) -> list[Path]:
    """Write the manual of a release, some files with a section for each part and some prose."""
    folder.mkdir()
    sentences = [s for prose in sample_texts(2000) for s in prose.split(". ") if 40 < len(s) < 150]
    chance = random.Random(release)
    for first in range(0, len(PARTS), PARTS_A_FILE):
        sections = (
            f"## The {part}\n\nThe {part} of the winch is {length(part, release)} centimetres "
            f"long. {'. '.join(chance.sample(sentences, 3))}."
            for part in PARTS[first : first + PARTS_A_FILE]
        )
        (folder / f"{PARTS[first]}.md").write_text("# Parts\n\n" + "\n\n".join(sections))
    return sorted(folder.iterdir())


def _reply(request: Request) -> None:
    """Say what the passages in the prompt say of the part that is asked about."""
    time.sleep(MODEL_SECONDS)
    prompt = request.body["messages"][-1]["content"]
    # Earlier questions may stand before it, as examples.
    part = re.findall(r"How long is the (\w+)", prompt)[-1]
    said = re.search(rf"The {part} of the winch is \d+ centimetres long\.", prompt)
    words(said[0] if said else "I don't know")(request)


def _serve_model(told: Connection) -> None:
    server = SmallServer([_reply])
    told.send(server.url)
    server.serve_forever()


@contextmanager
def model() -> Iterator[str]:
    """A model server in a process of its own, by its address."""
    here, there = get_context("spawn").Pipe()
    process = get_context("spawn").Process(target=_serve_model, args=(there,), daemon=True)
    process.start()
    try:
        yield here.recv()
    finally:
        process.kill()
        process.join()


@dataclass
class Team:
    """What people, servers and workers have done, and what was acknowledged."""

    site: Site
    seed: int
    done: Counter[str] = field(default_factory=Counter)
    kills: Counter[str] = field(default_factory=Counter)
    faults: list[str] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)
    comments: dict[int, str] = field(default_factory=dict)
    said: dict[tuple[str, str], list[str]] = field(default_factory=dict)
    releases: list[str] = field(default_factory=lambda: list(ASKED))
    over: threading.Event = field(default_factory=threading.Event)

    def __post_init__(self) -> None:
        """Choose a port for each server, which it keeps when it is started again."""
        self._ports = {name: free_port() for name in SERVERS}

    def begin(self) -> None:
        """Ingest the releases that are asked about, and start everything."""
        for release in ASKED:
            folder = self.site.folder / release
            write(folder, release)
            command = ("ingest", str(folder), "--product", PRODUCT, "--release", release)
            assert self.site.start("admin", *command).wait(600) == 0, f"{release} is not ingested"
        for name in (*SERVERS, *WORKERS):
            self.start(name)

    def start(self, name: str) -> None:
        """Start a worker, or a server and wait until it answers."""
        if name in WORKERS:
            self.site.work(name)
            return
        self.site.start(name, "serve", "--no-worker", "--port", str(self._ports[name]))
        with self.client(name) as client:
            until(lambda: answers(client), f"{name} does not answer")

    def client(self, name: str, key: str | None = None) -> Strata:
        """A client of a server."""
        return Strata(f"http://127.0.0.1:{self._ports[name]}", key, timeout=60)

    def person(self, number: int, key: str, pause: float) -> None:
        """Ask and rate until the end, five questions a conversation; go on elsewhere on failure."""
        chance = random.Random(self.seed * 1000 + number)
        servers = itertools.cycle(chance.sample(SERVERS, 2))
        server, conversation, asked = next(servers), "new", 0
        while not self.over.wait(chance.uniform(0, 2 * pause)):
            release, part = chance.choice(self.releases), chance.choice(PARTS)
            while True:
                try:
                    with self.client(server, key) as client:
                        conversation = self.ask(client, key, conversation, part, release)
                    break
                except StrataFailure as failure:
                    self.done["asked again"] += 1
                    if failure.status not in AWAY:
                        self.faults.append(f"refused with {failure.status}: {failure}")
                        break
                    server = next(servers)
                    time.sleep(0.2)
            asked += 1
            conversation = conversation if asked % 5 else "new"

    def ask(self, client: Strata, key: str, conversation: str, part: str, release: str) -> str:
        """Ask a question and rate its answer; return the conversation."""
        began = time.perf_counter()
        question = f"How long is the {part} of the winch in {release}?"
        reply = client.ask(question, product=PRODUCT, conversation=conversation)
        taken = time.perf_counter() - began
        self.seconds.append(taken - MODEL_SECONDS * reply.data["model_calls"])
        self.done["answers"] += 1
        self.done["calls of the model"] += reply.data["model_calls"]
        if f"{length(part, release)} centimetres" not in reply.answer:
            self.faults.append(f"{question} said: {reply.answer[:200]}")
        assert reply.conversation is not None
        assert reply.turn is not None
        self.said.setdefault((key, reply.conversation), []).append(reply.answer)
        # A thumb down would rule the right answer out for everybody.
        client.rate(reply.turn, 1, comment=f"about the {part}")
        self.comments[reply.turn] = f"about the {part}"
        self.done["ratings"] += 1
        return reply.conversation

    def admin(self, seconds: float) -> None:
        """Upload the other releases, spread over the time; people ask about each once it is in."""
        for release in INGESTED:
            files = write(self.site.folder / release, release)
            job = self.patiently(lambda c, r=release, f=files: c.upload(PRODUCT, r, f)["id"])
            while (found := self.patiently(lambda c, j=job: c.job(j)))["state"] in UNDER_WAY:
                time.sleep(0.5)
            if found["state"] != "done":
                self.faults.append(f"{release} is {found['state']}: {found['message']}")
            else:
                self.done["ingests"] += 1
                self.releases.append(release)
            if self.over.wait(seconds / len(INGESTED) / 2):
                return

    def patiently(self, act: Callable[[Strata], Result], key: str | None = None) -> Result:
        """What one server says, or the other where the first is away."""
        for name in itertools.cycle(SERVERS):
            try:
                with self.client(name, key) as client:
                    return act(client)
            except StrataFailure as failure:
                if failure.status not in AWAY:
                    raise
                time.sleep(0.5)
        raise AssertionError

    def strike(self, url: str, every: float) -> None:
        """Kill servers and workers in turn, and start them again; at most one is away.

        A job that went down with three workers is given up, so at a last try no worker is killed.
        """
        last_try = select(JobRow.id).where(
            JobRow.attempts >= ATTEMPTS, JobRow.state == JobState.RUNNING
        )
        with closing(open_database(url)) as database:
            for name in itertools.cycle(("web1", "worker1", "web2", "worker2")):
                if self.over.wait(every):
                    return
                with database.reading() as session:
                    if name in WORKERS and session.scalar(last_try.limit(1)):
                        continue
                self.site.kill(name)
                self.kills[name.rstrip("12")] += 1
                self.start(name)

    def compare(self, url: str) -> None:
        """Hold everything that was acknowledged against what is there."""
        for (key, conversation), said in self.said.items():
            self.faults += self.patiently(
                lambda c, of=conversation, heard=said: lost_answers(c, of, heard),  # type: ignore[misc]
                key,
            )
        database = open_database(url)
        with database.reading() as session:
            rated = {row.turn_id: row.comment for row in session.scalars(select(FeedbackRow))}
            unfinished = select(GenerationRow.id).where(GenerationRow.published.is_(None))
            building = list(session.scalars(unfinished))
        database.close()
        if wrong := [t for t, comment in self.comments.items() if rated.get(t) != comment]:
            self.faults.append(f"ratings lost or changed: {wrong[:5]}")
        if building:
            self.faults.append(f"generations left unfinished: {building}")


def team(
    folder: Path,
    *,
    people: int,
    minutes: float,
    pause: float,
    every: float,
    seed: int = 1,
    told: Callable[[int], object] = lambda _: None,
) -> Team:
    """Let so many people ask, `pause` seconds apart in the mean, with a kill `every` so many.

    `told` hears how many answers there are, once a second.
    """
    with ExitStack() as stack:
        url = stack.enter_context(cluster(durable=True, pgvector=True)).database_of(folder)
        database = open_database(url)
        with database.writing() as session:
            session.execute(text("CREATE EXTENSION vector"))
        database.close()
        site = Site(
            folder,
            STRATA_DATABASE_URL=url,
            STRATA_PROFILE="embedded",
            STRATA_BACKEND="server",
            STRATA_SERVER_URL=stack.enter_context(model()),
            STRATA_MODEL="scripted",
            STRATA_MEMORY_JUDGE="measure",
        )
        found = Team(stack.enter_context(site), seed)
        found.begin()
        database = open_database(url)
        keys = ProgramKeys(database)
        own = [Person(f"person {number}", "", is_admin=False) for number in range(people)]
        made = [keys.make(who, who.id, [Scope.ASK], 0, usual=0)[1] for who in own]
        database.close()
        works = [
            *(partial(found.person, number, key, pause) for number, key in enumerate(made)),
            partial(found.admin, 60 * minutes),
            partial(found.strike, url, every),
        ]
        threads = [threading.Thread(target=work) for work in works]
        for thread in threads:
            thread.start()
        end = time.monotonic() + 60 * minutes
        while time.monotonic() < end or found.done["ingests"] + len(found.faults) < len(INGESTED):
            time.sleep(1)
            told(found.done["answers"])
        found.over.set()
        for thread in threads:
            thread.join(300)
        found.compare(url)
        return found


def main(
    people: Annotated[int, typer.Option(min=1)] = 50,
    minutes: Annotated[float, typer.Option(min=0.1)] = 20.0,
    pause: Annotated[float, typer.Option(help="Mean seconds before a person's next one.")] = 30.0,
    every: Annotated[float, typer.Option(help="Seconds from a kill to the next.")] = 30.0,
    seed: Annotated[int, typer.Option(help="Of who asks what.")] = 1,
) -> None:
    """Ask, ingest, kill, compare; the exit code is 1 if anything was lost or refused."""
    console = Console()
    with (
        tempfile.TemporaryDirectory(prefix="strata-team-") as folder,
        console.status("starting") as status,
    ):
        found = team(
            Path(folder),
            people=people,
            minutes=minutes,
            pause=pause,
            every=every,
            seed=seed,
            told=lambda answers: status.update(f"{answers} answers"),
        )
    console.print(f"killed: {dict(found.kills)}; done: {dict(found.done)}")
    table = Table("answers", "50 %", "90 %", "95 %", "99 %", title="Seconds without the model")
    at = quantiles(found.seconds, n=100)
    table.add_row(f"{len(found.seconds):,}", *(f"{at[n - 1]:.3f}" for n in (50, 90, 95, 99)))
    console.print(table)
    for fault in found.faults:
        console.print(fault, markup=False, style="red")
    raise typer.Exit(int(bool(found.faults)))


if __name__ == "__main__":
    typer.run(main)
