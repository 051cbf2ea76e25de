"""The folder of a run: what was asked of which systems, what they replied, and the scores.

`run.json` is the manifest, `questions.jsonl` the questions as asked, `answers/SYSTEM.jsonl` and
`scores.jsonl` have one record a line. A line is on the disk before the next question is asked.
"""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any, TypeVar

from pydantic import BaseModel, ConfigDict, StringConstraints, ValidationError

from chatbot.reply import Reply, Trace
from chatbot.text.words import first_problem
from corpora.database.durable import sync
from eval.gold import GoldError, GoldQuestion, read_gold

SystemName = Annotated[str, StringConstraints(pattern=r"^[\w+][\w+.-]*$", max_length=100)]
"""The name of a system; that of a file, too."""


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
    from the defaults, never a secret. `corpora` are hashes of each release's documents by product
    and release, the oldest first; `prompts` the fingerprints of all prompts.
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
    repeats: int = 1
    metrics: tuple[str, ...] = ()
    model: str = ""
    judge: str = ""
    settings: Mapping[str, Any] = {}
    prompts: Mapping[str, str] = {}
    corpora: Mapping[str, Mapping[str, str]] = {}
    cores: int = 1
    state: RunState = RunState.PLANNED


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
    `steps` are seconds by step. `repeat` counts from 0.
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


class ScoreRecord(RunPart):
    """The scores of one answer by the names of `MEASURES`; None does not apply.

    `unscored` says of a measure that does apply why there is no score.
    """

    id: str
    system: SystemName
    repeat: int = 0
    values: Mapping[str, float | None] = {}
    unscored: Mapping[str, str] = {}


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


def read_run(folder: Path) -> Run:
    """Read a run, finished or not. Raises GoldError where the folder holds none."""
    files = RunFolder(folder)
    manifest = read_manifest(folder)
    return Run(
        folder=folder,
        manifest=manifest,
        questions=read_gold(files.questions),
        answers={s: read_records(files.answers(s), AnswerRecord) for s in manifest.systems},
        scores=read_records(files.scores, ScoreRecord),
    )


def read_manifest(folder: Path) -> Manifest:
    """Read what a run is. Raises GoldError where the folder holds none."""
    path = RunFolder(folder).manifest
    try:
        return Manifest.model_validate_json(path.read_bytes())
    except OSError as error:
        raise GoldError(f"{folder} is no run: {path.name} cannot be read") from error
    except ValidationError as error:
        raise GoldError(f"{path}: {first_problem(error)}") from error


def write_manifest(folder: Path, manifest: Manifest) -> None:
    """Put a manifest in the place of the one before, whole or not at all."""
    _replace(RunFolder(folder).manifest, manifest.model_dump_json(indent=1))


Record = TypeVar("Record", bound=RunPart)


def read_records(path: Path, record: type[Record]) -> tuple[Record, ...]:
    """Read a record a line; none where there is no file, and without a last line that is torn.

    Raises GoldError for another line that is no such record.
    """
    if not path.exists():
        return ()
    text = path.read_text("utf-8", errors="replace")
    read = []
    for number, line in enumerate(text[: text.rfind("\n") + 1].split("\n")[:-1], 1):
        try:
            read.append(record.model_validate_json(line))
        except ValidationError as error:
            raise GoldError(f"{path}, line {number}: {first_problem(error)}") from error
    return tuple(read)


def write_records(path: Path, records: tuple[RunPart, ...]) -> None:
    """Put records in the place of all that a file had, whole or not at all."""
    _replace(path, "".join(f"{record.model_dump_json()}\n" for record in records))


def append_record(path: Path, record: RunPart) -> None:
    """Add a record to a file; it is on the disk when this returns."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a", encoding="utf-8") as file:
        file.write(record.model_dump_json() + "\n")
        file.flush()
        os.fsync(file.fileno())


def _replace(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    aside = path.with_name(f"{path.name}.part")
    aside.write_text(text, "utf-8")
    sync(aside)
    aside.replace(path)
    sync(path.parent)
