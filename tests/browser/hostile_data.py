"""A data folder in which everything that has a text holds texts that try to be more than text."""

import json
from datetime import UTC, datetime
from html import escape
from pathlib import Path

from chatbot.accounts.people import LOCAL, Person
from chatbot.administration.administration import Administration
from chatbot.assembly import open_chatbot
from chatbot.chatbot import Chatbot
from chatbot.conversations.feedback import DOWN, Feedback
from chatbot.memory.pairs import ScoreOrigin
from chatbot.reply import Trace, TracedQueries
from chatbot.review.ratings import Ratings
from chatbot.settings import Settings
from chatbot.turn import Citation
from corpora.building.building import Builder
from corpora.catalog.glossary import Entry
from corpora.database.source_tables import SourceReleaseRow, SourceRow
from corpora.jobs.jobs import JobFile, JobKind, Jobs
from tests.chatbot.conftest import close
from tests.eval.made_run import WRONG, made_run
from tests.ui.memory_pairs import keep
from tests.ui.payloads import PAYLOADS

PRODUCT = "<img src=//evil.test/p.png onerror=alert(1)>"
RELEASE = "[1.0](javascript:alert(1))"
RUN = "hostile-run"
QUESTION = "How should the latch be cleaned?"
_LONGEST_FILE_NAME = 80


def hostile_settings(folder: Path) -> tuple[Settings, str]:
    """Make the data folder, and a conversation in which everything was said; return its id.

    The model of the settings writes all payloads into its answer.
    """
    script = folder / "script.json"
    written = "Clean the latch: " + " and ".join(PAYLOADS)
    script.write_text(json.dumps({"otherwise": written, "delay": 0.002}), "utf-8")
    settings = Settings(
        data_dir=folder / "data", backend="scripted", scripted_replies=script, questions_at_once=2
    )
    chatbot = open_chatbot(settings)
    _ingest(chatbot, folder / "sources")
    conversation = _say(chatbot)
    _remember(chatbot)
    _administer(chatbot)
    _bring(chatbot)
    _evaluate(settings)
    close(chatbot)
    return settings, conversation


def _ingest(chatbot: Chatbot, folder: Path) -> None:
    """Documents with hostile names, titles, headings, tables, listings and sentences."""
    folder.mkdir()
    for number, payload in enumerate(PAYLOADS):
        name = "".join(c for c in payload if c.isprintable() and c not in "/\\.").strip()
        text = escape(payload)
        page = (
            f"<html><head><title>{text}</title></head><body><main><h1>{text}</h1>"
            f"<h2>{text}</h2><p>The latch number {number} is cleaned with {text}.</p>"
            f"<table><tr><th>Name</th><th>{text}</th></tr><tr><td>{text}</td><td>1</td></tr>"
            f"</table><ul><li>{text}</li></ul><pre>{text}</pre></main></body></html>"
        )
        file = folder / f"{number:02} {name[:_LONGEST_FILE_NAME]}.html"
        file.write_text(page, "utf-8")
    Builder(chatbot.database, chatbot.settings.data_dir, chatbot.embedder, workers=1).ingest(
        [folder], product=PRODUCT, release=RELEASE
    )


def _say(chatbot: Chatbot) -> str:
    """A conversation whose questions, answers, citations, comments and reviews are payloads."""
    corpus = chatbot.corpora.corpus(PRODUCT, RELEASE)
    documents = corpus.documents()
    reply = chatbot.ask(QUESTION, product=PRODUCT).content
    everything = chatbot.conversations.start(PRODUCT, PAYLOADS[0])
    admin = Person(PAYLOADS[1], PAYLOADS[7], is_admin=True)
    by_number = {int(document.file[:2]): document for document in documents}
    for number, payload in enumerate(PAYLOADS):
        # What no loader reads as text, control characters for one, has no document of its own.
        document = by_number.get(number, documents[0])
        chatbot.conversations.start(PRODUCT, payload)
        page = corpus.pages_of(document.id)[0]
        citation = Citation(
            document=payload,
            file=document.file,
            release=RELEASE,
            page=1,
            section=payload,
            anchor=payload,
            quote=payload,
            page_id=page.id,
        )
        said = reply.model_copy(
            update={
                "answer": f"{payload}\n\n> {payload} [1]\n\n- {payload}",
                "release_explanation": payload,
                "citations": (citation,),
                "warnings": (payload,),
                "abstained": False,
            }
        )
        queries = TracedQueries(base=payload, filtered=payload, versionless=payload)
        trace = Trace(queries=queries)
        turn = chatbot.conversations.add(everything, payload, said, trace=trace)
        Feedback(chatbot.database).give(turn, DOWN, "other", payload[:2000])
        Ratings(chatbot.database).change(
            admin, turn, corrected_answer=payload, note=payload, assignee=payload[:80].strip()
        )
        if number % 8:
            continue
        unknown = said.model_copy(
            update={
                "answer": payload,
                "abstained": True,
                "citations": (),
                "nearest": (citation,),
                "found_in": (payload,),
            }
        )
        chatbot.conversations.add(everything, payload, unknown)
    own = chatbot.conversations.of(PAYLOADS[1])
    own.add(own.start(PRODUCT, PAYLOADS[1]), PAYLOADS[1], reply)
    return everything


def _remember(chatbot: Chatbot) -> None:
    """Remembered answers that are payloads."""
    document = chatbot.corpora.corpus(PRODUCT, RELEASE).documents()[0]
    page = chatbot.corpora.corpus(PRODUCT, RELEASE).pages_of(document.id)[0]
    place = {"file": document.file, "release": RELEASE, "page": 1, "page_id": page.id}
    named = ("document", "section", "anchor", "quote")
    for number, payload in enumerate(PAYLOADS):
        keep(
            *(chatbot.database, payload, f"{payload} [1]"),
            product=PRODUCT,
            release=RELEASE,
            score=0.9 if number % 2 else 0.1,
            origin=ScoreOrigin.RATING,
            rated_by=payload,
            citations=({**place, **dict.fromkeys(named, payload)},),
            suspended=payload if number % 3 == 0 else "",
        )


def _bring(chatbot: Chatbot) -> None:
    """A source whose place, releases, files, errors and remarks are payloads."""
    files = {"added": len(PAYLOADS), "names": {"added": PAYLOADS}}
    report = {"releases": [{"release": RELEASE, "outcome": "published", **files}]}
    with chatbot.database.writing() as session:
        source = SourceRow(
            product=PRODUCT,
            kind="folder",
            options={"path": PAYLOADS[0], **dict(zip(PAYLOADS, PAYLOADS, strict=True))},
            person="",
            created=datetime.now(UTC),
            last_run=datetime.now(UTC),
            outcome="partly",
            message="\n".join(PAYLOADS),
            report={**report, "remarks": PAYLOADS},
        )
        session.add(source)
        session.flush()
        for payload in PAYLOADS:
            of = {"source_id": source.id, "name": payload, "revision": payload}
            session.add(SourceReleaseRow(**of, error=payload))


def _evaluate(settings: Settings) -> None:
    """A run in which question, answer, evidence and trace are payloads."""
    folder = settings.data_dir / "evaluation" / RUN
    made_run(folder, {"embedded": [WRONG] * len(PAYLOADS)}, product=PRODUCT, texts=PAYLOADS)


def _administer(chatbot: Chatbot) -> None:
    """Jobs, files left out and glossary entries."""
    jobs = Jobs(chatbot.database)
    files = [JobFile(f"{n} {payload}") for n, payload in enumerate(PAYLOADS)]
    jobs.cancel(jobs.add(JobKind.UPLOAD, PRODUCT, RELEASE, PRODUCT, files))
    administration = Administration(chatbot.database, LOCAL, chatbot.limits)
    wordings = ["".join(c for c in payload if c.isprintable())[:60] for payload in PAYLOADS]
    terms = {" ".join(w.split()) for w in wordings if any(c.isalnum() for c in w)}
    administration.replace_glossary(PRODUCT, [Entry(t, ("latch",)) for t in sorted(terms)])
