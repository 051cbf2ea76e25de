"""Stored text in every file that people take away: a spreadsheet, a Markdown reader, a terminal."""

import csv
import io
import json
import re
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from markdown_it import MarkdownIt
from typer.testing import CliRunner

from chatbot.accounts.audit import AuditLog
from chatbot.accounts.people import LOCAL
from chatbot.administration.exchange import Exchange
from chatbot.assembly import open_chatbot
from chatbot.chatbot import Chatbot
from chatbot.conversations.export import conversation_json, conversation_markdown
from chatbot.conversations.feedback import DOWN, Feedback
from chatbot.review.exports import Exports, Format
from chatbot.review.ratings import Ratings
from chatbot.settings import Settings
from corpora.catalog.glossary import Entry, tidy, written_glossary
from corpora.errors import GlossaryError
from eval.sets.proposals import Draft, Proposals, State
from eval.sets.regression import exported, gather
from tests.chatbot.asked import answer
from tests.data_folders import copy_data
from tests.eval.made_gold import gold
from tests.ui.attacks.conftest import each
from tests.ui.conftest import close
from tests.ui.memory_pairs import keep
from tests.ui.payloads import FORMULAS, IN_FILES, TERMINAL
from ui.cli.main import app

TEXTS = [*FORMULAS.values(), *IN_FILES, *TERMINAL.values()]


@pytest.fixture(scope="module")
def hostile(
    valve_settings: Settings, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Chatbot]:
    """The valve's chatbot, in which every text that is kept is one of these; it is only read."""
    data = copy_data(valve_settings.data_dir, tmp_path_factory.mktemp("hostile") / "data")
    chatbot = open_chatbot(valve_settings.model_copy(update={"data_dir": data}))
    for text in TEXTS:
        conversation = chatbot.conversations.start("valve", text)
        reply = answer(answer=text, release_explanation=text)
        turn = chatbot.conversations.add(conversation, text, reply)
        Feedback(chatbot.database).give(turn, DOWN, "other", text or "x")
        Ratings(chatbot.database).change(LOCAL, turn, corrected_answer=text, note=text)
        keep(chatbot.database, text, text, rated_by=text)
        AuditLog(chatbot.database).record(LOCAL, "upload", text, file=text)
    drafts = [
        Draft(gold(question=f"{text} {n}", gold_answer=text or "x"), text)
        for n, text in enumerate(TEXTS)
    ]
    Proposals(chatbot.database).add(LOCAL, drafts, State.ACCEPTED)
    chatbot.glossaries.replace(
        "valve", [Entry(text, ("latch",)) for text in dict.fromkeys(terms())]
    )
    yield chatbot
    close(chatbot)


def terms() -> Iterator[str]:
    """Those that can be terms of a glossary; a file with another is refused whole."""
    for text in TEXTS:
        with suppress(GlossaryError):
            yield tidy(Entry(text, ("latch",))).term


def turns(chatbot: Chatbot, form: Format) -> str:
    return "".join(Exports(chatbot.database).turns(LOCAL, form))


def memory(chatbot: Chatbot, form: Format) -> str:
    assert form is Format.CSV, "the only one"
    return "".join(Exchange(chatbot, LOCAL).export())


def audit(chatbot: Chatbot, form: Format) -> str:
    rows = AuditLog(chatbot.database).rows(LOCAL)
    return "".join(Exports(chatbot.database).of(LOCAL, "audit log", rows, form))


def glossary(chatbot: Chatbot, form: Format) -> str:
    return written_glossary(chatbot.glossaries.entries("valve"))


def questions(chatbot: Chatbot, form: Format) -> str:
    rows = exported(gather(chatbot.database).members)
    return "".join(Exports(chatbot.database).of(LOCAL, "questions", rows, form))


EXPORTS: dict[str, Callable[[Chatbot, Format], str]] = {
    "turns": turns,
    "memory": memory,
    "audit": audit,
    "glossary": glossary,
    "questions": questions,
}
# Written apart from the expression that it tests: what a spreadsheet skips, and what it calculates.
SKIPPED = ' \t\r\n\v\f\0\u00a0\u200b\u2028\ufeff"“”'
CALCULATED = tuple("=+-@＝＋－＠")


@pytest.mark.database
@pytest.mark.parametrize("name", EXPORTS)
def test_no_cell_is_calculated(hostile: Chatbot, name: str) -> None:
    text = EXPORTS[name](hostile, Format.CSV)
    rows = list(csv.reader(io.StringIO(text, newline="")))
    assert len(rows) > len(FORMULAS) / 2
    assert {len(row) for row in rows} == {len(rows[0])}
    cells = [cell for row in rows for cell in row if not re.fullmatch(r"-?\d+(\.\d+)?", cell)]
    assert [cell for cell in cells if cell.lstrip(SKIPPED).startswith(CALCULATED)] == []
    assert not re.search("[\x00-\x08\x0b\x0e-\x1f\x7f-\x9f\u202e\u200b]", text)


@pytest.mark.database
@pytest.mark.parametrize("name", ["turns", "audit", "questions"])
def test_every_line_is_one_object(hostile: Chatbot, name: str) -> None:
    lines = EXPORTS[name](hostile, Format.JSONL).split("\n")
    assert lines.pop() == ""
    assert len(lines) >= len(TEXTS)
    assert all(isinstance(json.loads(line), dict) for line in lines)


READER = MarkdownIt("gfm-like", {"linkify": False, "html": True})
READER.validateLink = lambda url: True  # type: ignore[method-assign]
OURS = {"heading", "paragraph", "bullet_list", "ordered_list", "list_item", "strong", "em"}
SHOWN = {"text", "text_special", "code_inline", "code_block", "fence", "softbreak", "hardbreak",
         "inline", "table", "thead", "tbody", "tr", "th", "td", "blockquote"}  # fmt: skip


@pytest.mark.database
def test_a_conversation_in_a_file_is_text_and_nothing_else(hostile: Chatbot) -> None:
    own = hostile.conversations
    kept = own.recent(500)
    assert len(kept) >= len(TEXTS)
    for conversation in kept:
        written = conversation_markdown(own, conversation.id)
        tokens = READER.parse(written)
        inside = [child for token in tokens for child in (*(token.children or ()), token)]
        kinds = {re.sub("_(open|close)$", "", token.type) for token in inside}
        assert kinds <= OURS | SHOWN, (kinds, written)
        assert "\x1b" not in written
        assert json.loads(conversation_json(own, conversation.id))["title"] is not None


SAID = {
    "glossary": ["glossary", "list", "--product", "valve"],
    "history": ["history", "export", "--format", "csv"],
    "memory as a file": ["memory", "export"],
    "releases": ["releases"],
    "people": ["people", "list"],
    "questions": ["history", "regression-set"],
}


@pytest.mark.parametrize("name", SAID)
def test_a_command_prints_no_control_of_a_terminal(
    hostile: Chatbot, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("STRATA_DATA_DIR", str(hostile.settings.data_dir))
    monkeypatch.setenv("STRATA_GENERATOR", "none")
    told = CliRunner().invoke(app, SAID[name])
    assert told.exit_code == 0, told.output
    assert not re.search("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202e]", told.output)


@each(TERMINAL)
def test_a_file_s_name_in_a_report_is_text(
    case: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("STRATA_DATA_DIR", str(tmp_path / "data"))
    docs = tmp_path / "docs"
    docs.mkdir()
    (docs / f"{case.replace('/', '')}.md").write_bytes(b"")
    told = CliRunner().invoke(app, ["ingest", str(docs), "--product", "p", "--release", "1"])
    assert told.exit_code == 1
    assert not re.search("[\x00-\x09\x0b\x0c\x0e-\x1f\x7f-\x9f\u202e]", told.output)
    assert "evil" not in case or "http://evil.test\x1b" not in told.output
