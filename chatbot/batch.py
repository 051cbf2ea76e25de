"""A file of questions → a file of answers, one JSON object a line; picks up where it stopped."""

import json
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ValidationError

from chatbot.assembly import Chatbot
from ingestion.errors import StrataError


class BatchError(StrataError, ValueError):
    """The batch file cannot be used; the message says which line and why."""


class BatchLine(BaseModel):
    """One question of a batch."""

    id: int | str
    question: str
    product: str | None = None
    release: str | None = None
    history: list[tuple[str, str]] = []


@dataclass(frozen=True)
class BatchProgress:
    """How far a batch is; `skipped` lines were answered by an earlier run."""

    done: int
    total: int
    skipped: int
    failed: int


def run_batch(
    chatbot: Chatbot,
    questions: Path,
    output: Path,
    on_progress: Callable[[BatchProgress], None],
    *,
    afresh: bool = False,
) -> BatchProgress:
    """Answer every line of `questions` into `output`; lines already answered there are kept.

    A line that fails gets an object with `id` and `error`, and the batch goes on; the next run
    tries it again. `afresh` leaves the memory out. Raises BatchError for a file that is not JSON
    lines of questions.
    """
    lines = list(_read(questions))
    answered = _answered(output)
    skipped = failed = 0
    output.parent.mkdir(parents=True, exist_ok=True)
    with output.open("a", encoding="utf-8") as out:
        for done, (identity, line) in enumerate(lines, 1):
            if str(identity) in answered:
                skipped += 1
            else:
                result = _answer(chatbot, identity, line, afresh)
                failed += "error" in result
                out.write(json.dumps(result, ensure_ascii=False) + "\n")
                out.flush()
                os.fsync(out.fileno())
            on_progress(BatchProgress(done, len(lines), skipped, failed))
    return BatchProgress(len(lines), len(lines), skipped, failed)


def _answer(
    chatbot: Chatbot, identity: int | str, line: BatchLine | str, afresh: bool
) -> dict[str, Any]:
    if isinstance(line, str):
        return {"id": identity, "error": line}
    try:
        reply = chatbot.ask(
            line.question,
            product=line.product,
            history=line.history,
            release=line.release,
            afresh=afresh,
        )
    except Exception as error:  # noqa: BLE001
        # The edge of a batch: whatever one line does, the lines after it are answered.
        return {"id": identity, "error": f"{type(error).__name__}: {error}"}
    return {"id": identity, **reply.content.model_dump(mode="json")}


def _read(path: Path) -> Iterator[tuple[int | str, BatchLine | str]]:
    seen: set[str] = set()
    for number, text in enumerate(path.read_text("utf-8").splitlines(), 1):
        if not text.strip():
            continue
        identity: int | str = f"line {number}"
        line: BatchLine | str
        try:
            line = BatchLine.model_validate_json(text)
            identity = line.id
        except ValidationError as error:
            problem = error.errors()[0]
            place = ".".join(map(str, problem["loc"])) or "the line"
            line = f"line {number}: {place}: {problem['msg']}"
        if str(identity) in seen:
            raise BatchError(f"{path}, line {number}: the id {identity!r} stands there twice")
        seen.add(str(identity))
        yield identity, line


def _answered(output: Path) -> set[str]:
    """The ids that an earlier run answered; its failed lines and a torn last line are dropped."""
    if not output.exists():
        return set()
    kept: list[str] = []
    ids: set[str] = set()
    for text in output.read_text("utf-8").splitlines():
        try:
            row = json.loads(text)
        except json.JSONDecodeError:
            continue
        if isinstance(row, dict) and "error" not in row and "id" in row:
            kept.append(text)
            ids.add(str(row["id"]))
    aside = output.with_suffix(output.suffix + ".part")
    aside.write_text("".join(line + "\n" for line in kept), "utf-8")
    aside.replace(output)
    return ids
