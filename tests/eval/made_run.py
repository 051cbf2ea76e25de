"""Folders of runs as `eval.runs` writes them, made without asking anybody."""

from collections.abc import Sequence
from datetime import UTC, datetime
from itertools import cycle
from pathlib import Path

from chatbot.reply import Reply, Trace
from chatbot.turn import Citation, ModelCall
from eval.gold import GoldQuestion
from eval.records import write_records
from eval.runs.folder import (
    AnswerRecord,
    ContextText,
    Manifest,
    RunFolder,
    RunState,
    ScoreRecord,
    write_manifest,
)

STARTED = datetime(2026, 11, 3, 9, 30, tzinfo=UTC)
RIGHT, WRONG, REFUSED, OTHER, FAILED = "right", "wrong", "refused", "other", "failed"


def made_question(number: int, text: str = "", **given: object) -> GoldQuestion:
    """A question on the valve; `text` stands wherever a text of any origin may."""
    said = text or f"What is the hold time, number {number}?"
    fields = {
        "id": f"q{number} {text}".strip(),
        "product": "valve",
        "question": said,
        "kind": "table_lookup" if number % 2 else "release_specific_differs",
        "gold_answer": text or "45 s",
        "must_include": ("45",),
        "release": "1.0" if number % 3 else "2.0",
        "sources": ({"release": "2.0", "file": text or "reference.html", "page": 1},),
        **given,
    }
    return GoldQuestion.model_validate(fields)


def made_answer(
    question: GoldQuestion, came_to: str, text: str = "", repeat: int = 0
) -> AnswerRecord:
    """What a system replied: right, from a wrong release, refused, otherwise wrong, or failed."""
    if came_to == FAILED:
        return AnswerRecord(id=question.id, repeat=repeat, error=text or "took too long")
    said = text or f"The hold time is {'45' if came_to == RIGHT else '20'} s. [1]"
    citation = Citation(
        text or "Valve reference", text or "reference.html", text or "2.0", 1, text, None, said, 1
    )
    call = ModelCall("answer_generation", (("user", said),), said, 1000, 0, 20)
    reply = Reply(
        answer=said,
        abstained=came_to == REFUSED,
        citations=(citation,),
        seconds=2.0,
        model_calls=1,
    )
    return AnswerRecord(
        id=question.id,
        repeat=repeat,
        reply=reply,
        context=(
            ContextText(
                release=text or "2.0",
                file=text or "reference.html",
                page=1,
                section=text,
                text=said,
            ),
        ),
        steps={"context_retrieval": 0.5, "answer_generation": 1.5},
        calls=1,
        prompt_tokens=1000,
        completion_tokens=20,
        trace=Trace(refusal=text or "the gate", calls=(call,)),
    )


def made_score(question: GoldQuestion, system: str, came_to: str, number: int) -> ScoreRecord:
    """The scores that go with such an answer; the judge's grows with the `number`."""
    return ScoreRecord(
        id=question.id,
        system=system,
        values={
            "correct": float(came_to == RIGHT),
            "wrong_release": float(came_to == WRONG),
            "wrongly_refused": float(came_to == REFUSED),
            "answer_correctness": None if came_to == FAILED else (number % 11) / 10,
            "seconds": 2.0,
        },
        unscored={"answer_correctness": "unreadable: no verdict"} if came_to == FAILED else {},
    )


def made_run(
    folder: Path,
    outcomes: dict[str, Sequence[str]],
    *,
    product: str = "valve",
    texts: Sequence[str] = ("",),
    started: datetime = STARTED,
    state: RunState = RunState.DONE,
) -> Path:
    """A run: for each system what became of its questions; the `texts` are in all that has one."""
    number, text = max(map(len, outcomes.values())), texts[0]
    questions = tuple(made_question(n, t) for n, t in zip(range(1, number + 1), cycle(texts)))
    manifest = Manifest(
        name=text or folder.name,
        started=started,
        strata="1.0",
        commit="abcdef123456789",
        questions_file=text or "gold.jsonl",
        questions_sha256="0" * 64,
        questions=number,
        systems=tuple(outcomes),
        model=text or "a model",
        judge=text or "a judge",
        settings={"questions_at_once": 2},
        corpora={product: {text or "1.0": "1" * 12, "2.0": "2" * 12}},
        state=state,
    )
    files = RunFolder(folder)
    write_manifest(folder, manifest)
    write_records(files.questions, questions)
    scores: list[ScoreRecord] = []
    for system, came in outcomes.items():
        pairs = list(zip(questions, came, strict=False))
        answers = (made_answer(q, c, t) for (q, c), t in zip(pairs, cycle(texts), strict=False))
        write_records(files.answers(system), answers)
        scores += [made_score(q, system, c, n) for n, (q, c) in enumerate(pairs)]
    write_records(files.scores, scores)
    return folder
