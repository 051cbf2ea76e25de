"""`strata ask`: one question in the terminal, or a file of them."""

from pathlib import Path
from textwrap import shorten
from typing import TYPE_CHECKING, Annotated, Any

from typer import Argument, BadParameter, Exit, Option

from chatbot.conversations.release_badge import release_badge
from chatbot.releases.project_files import files_of, versions_stated
from chatbot.reply import Reply, Trace
from chatbot.text.step_names import step_name
from ingestion.errors import StrataError
from ui.cli.terminal import (
    SOME_LEFT_OUT,
    Profile,
    errors,
    open_chatbot,
    output,
    print_answer,
    print_json,
    printable,
    progress_bars,
    say,
)
from ui.wording.memory import saved
from ui.wording.progress import QuestionProgress, without_models

if TYPE_CHECKING:
    from chatbot.chatbot import Chatbot
    from chatbot.runtime.events import Event

_QUOTED = 160
"""The most characters of a citation's words in the terminal."""


def ask(
    question: Annotated[str | None, Argument(help="The question.")] = None,
    product: Annotated[str | None, Option(help="The product it is about.")] = None,
    release: Annotated[
        str | None, Option(help="The release, unless the question names one.")
    ] = None,
    conversation: Annotated[
        str | None, Option(help="Continue this conversation; “new” starts one.")
    ] = None,
    profile: Profile = None,
    as_json: Annotated[bool, Option("--json", help="Print one JSON object.")] = False,
    trace: Annotated[
        bool, Option(help="Show what every step did; with --json as its “trace”.")
    ] = False,
    afresh: Annotated[
        bool, Option(help="Answer from the documents alone, without the memory.")
    ] = False,
    batch: Annotated[Path | None, Option(help="Answer a JSONL file of questions.")] = None,
    to: Annotated[
        Path | None, Option("--output", help="File for the answers of a batch (JSONL).")
    ] = None,
    project: Annotated[
        Path | None,
        Option(
            help="Take the release that the lock files and manifests of this folder state, unless "
            "the question names one."
        ),
    ] = None,
    server: Annotated[
        str | None, Option(help="Ask the Strata at this address instead of the data here.")
    ] = None,
    key: Annotated[
        str | None,
        Option(envvar="STRATA_API_KEY", help="A program's key for --server."),
    ] = None,
) -> None:
    """Answer a question from the right release, with citations.

    Exit code 0 also when the answer is "I don't know"; 3 when lines of a batch failed.
    """
    if (question is None) == (batch is None) or (batch is None) != (to is None):
        raise BadParameter("give a question, or --batch IN.jsonl with --output OUT.jsonl")
    options: dict[str, Any] = {
        "product": product,
        "release": release,
        "conversation": conversation,
        "afresh": afresh,
    }
    if project is not None and not project.is_dir():
        raise BadParameter(f"there is no folder {project}")
    if project is not None and release is not None:
        raise BadParameter("give --release or --project")
    if server is not None:
        if question is None or trace or profile:
            raise BadParameter("--server takes a question, without --profile and --trace")
        if project is not None:
            options["project"] = dict(files_of(project))
        _of_server(server, key, question, options, as_json)
    elif question is not None:
        chatbot = open_chatbot(profile=profile)
        if project is not None:
            options |= _of_project(chatbot, project, question, product)
        _one(chatbot, question, options, as_json, trace)
    elif batch is not None and to is not None:
        _batch(open_chatbot(profile=profile), batch, to, afresh)


def schema(
    trace: Annotated[bool, Option(help="The schema of the trace instead.")] = False,
) -> None:
    """Print the JSON schema of what `strata ask --json` prints."""
    print_json((Trace if trace else Reply).model_json_schema())


def _of_project(
    chatbot: "Chatbot", folder: Path, question: str, product: str | None
) -> dict[str, str]:
    from chatbot.releases.installed import in_words_unread, of_project

    stated = [one for name, text in files_of(folder) for one in versions_stated(name, text)]
    has = of_project(stated, chatbot.products(), question, product)
    if has is None:
        silent = f"No file in {folder} states the release of a product that is asked about"
        errors.print("; ".join(filter(None, (silent, in_words_unread(stated)))) + ".")
        return {}
    return {"product": has.product, "release": has.chosen, "chosen_by": has.reason}


def _one(
    chatbot: "Chatbot", question: str, options: dict[str, Any], as_json: bool, trace: bool
) -> None:
    from chatbot.chain.reply import trace_of

    if options["product"]:
        # Raises an error that lists the products.
        chatbot.catalog.product(options["product"])
    if options["conversation"] == "new":
        options["conversation"] = chatbot.conversations.start(options["product"], question)
        # Printed before the answer, because it is of use even if there is none.
        errors.print(f"conversation {options['conversation']}", style="dim")
    progress = QuestionProgress()
    with errors.status("One moment…") as status:

        def listener(event: "Event") -> None:
            nonlocal progress
            progress = progress.after(event)
            status.update(printable(progress.written or progress.now))

        reply = chatbot.ask(question, listener=listener, **options)
    kept_in = {"conversation": reply.conversation} if reply.conversation else {}
    traced = {"trace": trace_of(reply.turn)} if trace else {}
    if as_json:
        print_json({**dict(reply.content), **kept_in, **traced})
    else:
        _print_reply(reply.content)
        if trace:
            print_json(traced["trace"])


def _of_server(
    server: str, key: str | None, question: str, options: dict[str, Any], as_json: bool
) -> None:
    from strata_client import Strata, StrataFailure

    data: dict[str, Any] = {}
    try:
        with Strata(server, key) as strata, errors.status("One moment…") as status:
            for event, data in strata.stream(question, **options):
                if event == "step":
                    status.update(printable(step_name(data["step"])))
    except StrataFailure as failure:
        raise StrataError(str(failure)) from failure
    if data.get("conversation"):
        errors.print(f"conversation {data['conversation']}", style="dim")
    if as_json:
        print_json(data)
    else:
        _print_reply(Reply.model_validate(data))


def _print_reply(reply: Reply) -> None:
    where = release_badge(reply)
    if where.name:
        head = f"[bold reverse] {printable(where.name)} [/] [dim]{printable(where.explanation)}[/]"
        output.print(f"{head}\n")
    if reply.route == "reuse":
        pair = reply.memory.pairs[0]
        say(f"{saved(pair)} (--afresh answers again from the documents)", "dim")
    print_answer(reply.answer, len(reply.citations))
    if reply.citations:
        output.print("\nSources", style="dim")
    for number, citation in enumerate(reply.citations, 1):
        place = f"{citation.document} ({citation.file}, page {citation.page})"
        say(f"[{number}] {citation.source} · {place} · {citation.section}", "dim")
        if citation.url:
            say(f"    {citation.url}", "dim")
        if citation.quote:
            say(f"    “{shorten(citation.quote, _QUOTED, placeholder=' …')}”", "dim")
    for statement in reply.outside:
        say(f"Not from the documentation – {statement}", "dim")
    for warning in reply.warnings:
        say(f"Note: {warning}", "yellow")
    for step, reason in without_models(reply.fallbacks):
        say(f"Without its model: {step} ({reason})", "dim")


def _batch(chatbot: "Chatbot", questions: Path, to: Path, afresh: bool) -> None:
    from chatbot.batch import read_batch, run_batch

    lines = read_batch(questions)
    with progress_bars() as show:
        result = run_batch(
            *(chatbot, lines, to),
            lambda progress: show("answering", progress.done, progress.total),
            afresh=afresh,
        )
    errors.print(
        f"{result.total} questions: {result.skipped} already in the file, "
        f"{result.total - result.skipped - result.failed} answered, {result.failed} failed"
    )
    if result.failed:
        raise Exit(SOME_LEFT_OUT)
