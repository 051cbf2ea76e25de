"""`strata eval`: measure the chatbot on questions with checked answers."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ui.terminal import errors, output, print_json

app = typer.Typer(help="Measure answers and retrieval on checked questions.", no_args_is_help=True)


@app.callback()
def measure() -> None:
    """Measure answers and retrieval on checked questions."""


@app.command()
def answers(
    gold: Annotated[Path, typer.Argument(help="Questions with checked answers (JSONL).")],
    answers: Annotated[
        Path | None,
        typer.Option(help="Replies of a batch to score; asked and written there if missing."),
    ] = None,
    profile: Annotated[str | None, typer.Option(help="The chain of steps to use.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Score answers: right, refused, release, citations, time; and the pages that were found."""
    import tempfile

    from chatbot.assembly import open_chatbot
    from chatbot.settings import read_settings
    from eval import answers as scoring
    from eval import report, retrieval
    from eval.asking import ask_all, rank_pages
    from eval.gold import read_gold

    questions = read_gold(gold)
    chatbot = open_chatbot(read_settings(profile=profile))
    with tempfile.TemporaryDirectory() as folder:
        replies = answers or Path(folder) / "answers.jsonl"
        if not replies.exists():
            unfinished = replies.with_name(f"{replies.name}.part")
            with errors.status("asking") as status:
                ask_all(
                    chatbot,
                    questions,
                    unfinished,
                    lambda p: status.update(f"asked {p.done} of {p.total}, {p.failed} failed"),
                )
            unfinished.replace(replies)
        summary = scoring.score_answers(questions, scoring.read_answers(replies))
    known = {(p.name, r.name) for p in chatbot.products() for r in p.releases}
    by_id = {q.id: q for q in questions}
    items = [
        i for i in retrieval.retrieval_items(questions) if (by_id[i.id].product, i.release) in known
    ]
    found = None
    if items:
        wanted = {i.id for i in items}
        ranked = rank_pages(chatbot, [q for q in questions if q.id in wanted])
        found = retrieval.score_retrieval(items, ranked)
    if as_json:
        print_json(
            {
                "answers": scoring.to_json(summary),
                "retrieval": retrieval.to_json(found) if found else None,
            }
        )
        return
    output.print(report.answer_tables(summary))
    if found:
        output.print(report.retrieval_table(found))
