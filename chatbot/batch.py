"""A file of questions → a file of answers, one JSON object a line; picks up where it stopped."""

import json
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from threading import Event

from pydantic import BaseModel, ValidationError

from chatbot.chatbot import Chatbot
from chatbot.errors import BatchError
from corpora.database.durable import append_line, written_whole
from ingestion.objections import first_objection


class BatchLine(BaseModel):
    """One question of a batch."""

    id: int | str
    question: str
    product: str | None = None
    release: str | None = None
    history: list[tuple[str, str]] = []


class FailedLine(BaseModel):
    """A line that has no answer, and why."""

    id: int | str
    error: str


@dataclass(frozen=True)
class BatchProgress:
    """The progress of a batch; `skipped` lines were answered by an earlier run."""

    done: int
    total: int
    skipped: int
    failed: int


def read_batch(path: Path) -> list[BatchLine | FailedLine]:
    """The questions of a file; raises BatchError for no file, and for an id that stands twice."""
    if not path.is_file():
        raise BatchError(f"{path}: there is no such file")
    lines: dict[str, BatchLine | FailedLine] = {}
    for number, text in enumerate(path.read_text("utf-8").splitlines(), 1):
        if not text.strip():
            continue
        line: BatchLine | FailedLine
        try:
            line = BatchLine.model_validate_json(text)
        except ValidationError as error:
            problem = f"line {number}: {first_objection(error)}"
            line = FailedLine(id=f"line {number}", error=problem)
        if str(line.id) in lines:
            raise BatchError(f"{path}, line {number}: the id {line.id!r} occurs twice")
        lines[str(line.id)] = line
    return list(lines.values())


def run_batch(
    chatbot: Chatbot,
    lines: Sequence[BatchLine | FailedLine],
    output: Path,
    on_progress: Callable[[BatchProgress], None],
    *,
    afresh: bool = False,
) -> BatchProgress:
    """Answer every line into `output` that no earlier run has; `afresh` leaves the memory out.

    As many are asked at once as the settings let in; the answers stand in the order of the lines.
    """

    def answer(line: BatchLine | FailedLine) -> dict[str, object]:
        return _answer(chatbot, line, stopping.is_set, afresh=afresh)

    answered = _answered(output)
    left = [line for line in lines if str(line.id) not in answered]
    skipped, failed = len(lines) - len(left), 0
    on_progress(BatchProgress(skipped, len(lines), skipped, failed))
    output.parent.mkdir(parents=True, exist_ok=True)
    output.touch()
    stopping = Event()
    pool = ThreadPoolExecutor(chatbot.settings.at_once, "batch")
    try:
        for done, result in enumerate(pool.map(answer, left), skipped + 1):
            failed += "error" in result
            append_line(output, json.dumps(result, ensure_ascii=False))
            on_progress(BatchProgress(done, len(lines), skipped, failed))
    finally:
        stopping.set()
        pool.shutdown(cancel_futures=True)
    return BatchProgress(len(lines), len(lines), skipped, failed)


def _answer(
    chatbot: Chatbot,
    line: BatchLine | FailedLine,
    stopped: Callable[[], bool],
    *,
    afresh: bool,
) -> dict[str, object]:
    if isinstance(line, FailedLine):
        return line.model_dump()
    try:
        asked = line.model_dump(exclude={"id"})
        reply = chatbot.ask(**asked, afresh=afresh, stopped=stopped).content
    except Exception as error:  # noqa: BLE001
        # The edge of a batch: whatever one line does, the lines after it are answered.
        return {"id": line.id, "error": f"{type(error).__name__}: {error}"}
    return {"id": line.id, **reply.model_dump(mode="json")}


def _answered(output: Path) -> set[str]:
    """The ids that an earlier run answered; its failed lines and a torn last line are dropped."""
    if not output.exists():
        return set()
    kept: dict[str, str] = {}
    for text in output.read_text("utf-8").splitlines():
        with suppress(json.JSONDecodeError):
            row = json.loads(text)
            if isinstance(row, dict) and "error" not in row and "id" in row:
                kept[str(row["id"])] = text
    with written_whole(output) as aside:
        aside.write_text("".join(line + "\n" for line in kept.values()), "utf-8")
    return set(kept)
