"""The folder of a run: what was asked of which systems, what they replied, and the scores.

`run.json` is the manifest, `questions.jsonl` the questions as asked, `answers/SYSTEM.jsonl` and
`scores.jsonl` have one record a line. A line is on the disk before the next question is asked.
Whoever writes into it holds `run.lock`.
"""

import fcntl
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, StringConstraints, ValidationError

from chatbot.reply import Reply, Trace
from eval.foreign import takes
from eval.gold import GoldError, GoldQuestion, read_gold
from eval.records import read_records, write_whole
from ingestion.errors import StrataError
from ingestion.objections import first_objection

SystemName = Annotated[str, StringConstraints(pattern=r"^[\w+][\w+.-]*$", max_length=100)]
"""The name of a system; that of a file, too."""


class RunGoingOn(StrataError):
    """Another process writes into the folder of a run; the message says what to do."""


class RunState(StrEnum):
    """How far a run has come; a run that ended early is `STOPPED` and can be taken up again."""

    PLANNED = "planned"
    ASKING = "asking"
    JUDGING = "judging"
    DONE = "done"
    STOPPED = "stopped"


class RunPart(BaseModel):
    """A part of a run's folder; fields of a later version are left out."""

    model_config = ConfigDict(extra="ignore", frozen=True)


class Manifest(RunPart):
    """What was measured, with what, and how far it has come.

    `commit` is empty outside a checkout, `judge` without one, and `settings` has those that differ
    from the defaults, never a secret. `addresses` are those of systems of others, by name.
    `corpora` are hashes of each release's documents by product and release, the oldest first;
    `prompts` the fingerprints of all prompts. `at_once` questions were asked together. In a run
    `alone` nothing was there but the product that it is about.
    """

    name: str
    started: datetime
    finished: datetime | None = None
    strata: str
    commit: str = ""
    questions_file: str
    questions_sha256: str
    questions: int
    systems: tuple[SystemName, ...]
    addresses: Mapping[SystemName, str] = {}
    repeats: int = 1
    metrics: tuple[str, ...] = ()
    model: str = ""
    judge: str = ""
    settings: Mapping[str, Any] = {}
    prompts: Mapping[str, str] = {}
    corpora: Mapping[str, Mapping[str, str]] = {}
    cores: int = 1
    at_once: int = 1
    alone: bool = False
    state: RunState = RunState.PLANNED

    def asked_of(self, system: str, questions: Sequence[GoldQuestion]) -> tuple[GoldQuestion, ...]:
        """The questions that a system is asked: one behind an address may not take all."""
        address = self.addresses.get(system, "")
        return tuple(question for question in questions if takes(address, question))


class ContextText(RunPart):
    """A text that the model was given to answer from, and the page that it is from."""

    release: str
    file: str
    page: int
    section: str = ""
    text: str


class FoundPage(RunPart):
    """A page that retrieval returned, with every anchor on it."""

    release: str
    file: str
    page: int
    anchors: tuple[str, ...] = ()


class AnswerRecord(RunPart):
    """What a system replied to a question: `reply`, or `error` where it failed.

    `context` is what generation was given and `retrieved` what was found, both in their order;
    `steps` are seconds by step. `repeat` counts from 0. `opaque`: a system of others, which shows
    neither what it was given nor what it found.
    """

    id: str
    repeat: int = 0
    reply: Reply | None = None
    error: str | None = None
    context: tuple[ContextText, ...] = ()
    retrieved: tuple[FoundPage, ...] = ()
    steps: Mapping[str, float] = {}
    calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    trace: Trace | None = None
    opaque: bool = False


class ScoreRecord(RunPart):
    """The scores of one answer by the names of `MEASURES`; None does not apply.

    `unscored` says of a measure that does apply why there is no score, `reasons` what the judge
    says of those that it has given.
    """

    id: str
    system: SystemName
    repeat: int = 0
    values: Mapping[str, float | None] = {}
    unscored: Mapping[str, str] = {}
    reasons: Mapping[str, str] = {}


@dataclass(frozen=True)
class Run:
    """A run as far as it has come; `answers` by system."""

    folder: Path
    manifest: Manifest
    questions: tuple[GoldQuestion, ...]
    answers: Mapping[str, tuple[AnswerRecord, ...]]
    scores: tuple[ScoreRecord, ...]


@dataclass(frozen=True)
class RunFolder:
    """The files of a run by what they hold."""

    folder: Path

    @property
    def manifest(self) -> Path:
        """The manifest."""
        return self.folder / "run.json"

    @property
    def questions(self) -> Path:
        """The questions as asked."""
        return self.folder / "questions.jsonl"

    @property
    def scores(self) -> Path:
        """The scores of all systems."""
        return self.folder / "scores.jsonl"

    @property
    def calls(self) -> Path:
        """What the model replied, by prompt."""
        return self.folder / "calls.jsonl"

    @property
    def judge_calls(self) -> Path:
        """What the judge replied, by prompt."""
        return self.folder / "judge_calls.jsonl"

    def answers(self, system: str) -> Path:
        """The answers of a system."""
        return self.folder / "answers" / f"{system}.jsonl"


@contextmanager
def writing(folder: Path) -> Iterator[None]:
    """Within it nobody else writes into the folder; the system frees it when a process is killed.

    Raises RunGoingOn where somebody does.
    """
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "run.lock").open("ab") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise RunGoingOn(
                f"{folder}: this run is going on in another process: wait for its end, or name "
                "another folder"
            ) from error
        yield


def is_going_on(folder: Path) -> bool:
    """Whether somebody writes into the folder of a run."""
    try:
        with writing(folder):
            return False
    except RunGoingOn:
        return True


def read_run(folder: Path) -> Run:
    """Read a run, finished or not. Raises GoldError where the folder holds none."""
    files = RunFolder(folder)
    manifest = read_manifest(folder)
    return Run(
        folder=folder,
        manifest=manifest,
        questions=read_gold(files.questions),
        answers={system: read_answers(folder, system) for system in manifest.systems},
        scores=read_scores(folder),
    )


def read_answers(folder: Path, system: str) -> tuple[AnswerRecord, ...]:
    """The answers of a system; of those to one question in one repeat the last counts."""
    records = read_records(RunFolder(folder).answers(system), AnswerRecord)
    return tuple({(r.id, r.repeat): r for r in records}.values())


def read_scores(folder: Path) -> tuple[ScoreRecord, ...]:
    """The scores of all systems; of those of one answer the last count."""
    records = read_records(RunFolder(folder).scores, ScoreRecord)
    return tuple({(r.system, r.id, r.repeat): r for r in records}.values())


def read_manifest(folder: Path) -> Manifest:
    """Read what a run is. Raises GoldError where the folder holds none."""
    path = RunFolder(folder).manifest
    try:
        return Manifest.model_validate_json(path.read_bytes())
    except OSError as error:
        raise GoldError(f"{folder} is no run: {path.name} cannot be read") from error
    except ValidationError as error:
        raise GoldError(f"{path}: {first_objection(error)}") from error


def runs_folder(data_dir: Path) -> Path:
    """Where runs are kept that nobody has named another folder for."""
    return data_dir / "evaluation"


def list_runs(data_dir: Path) -> tuple[tuple[Path, Manifest], ...]:
    """The runs that are kept there, the newest first; folders that hold none are left out."""
    found = []
    for path in runs_folder(data_dir).glob("*/run.json"):
        with suppress(GoldError):
            found.append((path.parent, read_manifest(path.parent)))
    return tuple(sorted(found, key=lambda run: run[1].started, reverse=True))


def write_manifest(folder: Path, manifest: Manifest) -> None:
    """Put a manifest in the place of the one before, whole or not at all."""
    write_whole(RunFolder(folder).manifest, manifest.model_dump_json(indent=1).encode())
