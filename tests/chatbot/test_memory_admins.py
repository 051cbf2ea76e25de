"""What admins do with saved answers: import and export, look, edit, retire."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chatbot.accounts.audit import AuditLog
from chatbot.accounts.people import Person
from chatbot.administration.curation import LONGEST_ANSWER, Curation
from chatbot.administration.exchange import Exchange, ImportReport
from chatbot.administration.faq_file import LONGEST, FaqFile, FaqRow, parse_faq
from chatbot.administration.overview import Overview, PairFilter, ReleaseFilter, Worth
from chatbot.chain.recall_step import UNCITED
from chatbot.errors import BadInput, FaqError, NotAllowed, UnknownPair
from chatbot.review.exports import csv_lines
from chatbot.settings import Settings
from corpora.catalog.release_settings import ReleaseAdministration, ReleaseSettings
from corpora.catalog.spreadsheet import without_apostrophe
from prompts.fencing import visible
from tests.chatbot.made_memory import suspend
from tests.chatbot.memory_bots import Bot, remembering

pytestmark = pytest.mark.database

ADA = Person("ada@example.org", "Ada", is_admin=True)
BRIGHT = {"question": "How bright is the lamp?", "answer": "It gives 600 lumen.", "release": "1.0"}
STEP = {"question": "What is the default of dim_step?", "answer": "5 %", "release": "2.0"}
WRITTEN = (
    FaqRow(1, "lamp", "2.0", "How bright is the lamp?", "It gives 800 lumen."),
    FaqRow(2, "lamp", "2.0", "How much power does the lamp draw?", "12 W", score=0.9),
    FaqRow(3, "lamp", "2.0", "What is the default of dim_step?", "7 %", score=0.2),
)
HOUSE = {"question": "Who may climb the ladder?", "answer": "Two grown-ups.", "release": "2.0"}


@pytest.fixture
def bot(lamp_settings: Settings, tmp_path: Path) -> Iterator[Bot]:
    bot = remembering(lamp_settings, tmp_path)
    yield bot
    bot.close()


@pytest.fixture
def curated(bot: Bot) -> Bot:
    """A memory with three imported answers of release 2.0."""
    Exchange(bot.chatbot, ADA).bring_in(FaqFile("faq", WRITTEN))
    return bot


def brought_in(bot: Bot, *rows: dict[str, Any], **options: Any) -> ImportReport:
    names = dict.fromkeys(name for row in rows for name in row)
    data = "".join(csv_lines({name: row.get(name, "") for name in names} for row in rows))
    faq = parse_faq(data.encode(), "faq.csv", "lamp")
    return Exchange(bot.chatbot, ADA).bring_in(faq, **options)


def test_rows_become_good_answers_that_rest_on_pages_of_their_release(bot: Bot) -> None:
    report = brought_in(bot, BRIGHT, STEP, {**HOUSE, "score": 0.9})
    assert (report.added, report.supported, report.left_out) == (3, 2, [])
    bright, step, house = bot.pairs
    for pair in bot.pairs:
        assert (pair.store, pair.origin, pair.rated_by) == ("high", "imported", ADA.id)
    texts = bright.answer["text"], bright.answer["value"]
    assert texts == ("It gives 600 lumen [1].", "It gives 600 lumen.")
    (cited,) = bright.answer["citations"]
    assert (cited["file"], cited["release"]) == ("brightness.md", "1.0")
    assert "The lamp gives 600 lumen." in cited["quote"]
    assert "The default of dim_step is 5 %." in step.answer["citations"][0]["quote"]
    assert (house.answer["citations"], house.score) == ([], 0.9)
    # 800 lumen and 5 % are those of 2.0, and support nothing in 1.0.
    other = {"question": "How light?", "answer": "It gives 800 lumen.", "release": "1.0"}
    report = brought_in(bot, other, {**STEP, "release": "1.0"})
    assert (report.added, report.supported) == (2, 0)


@pytest.mark.parametrize(
    ("asked", "kept"),
    [
        ("How bright is it in 1.0?", "How bright is it?"),
        ("Since which version is there a lamp?", "Since which version is there a lamp?"),
        ("What is the newest version?", "What is the newest version?"),
    ],
)
def test_a_question_is_kept_without_the_release_of_its_answer_alone(
    bot: Bot, asked: str, kept: str
) -> None:
    brought_in(bot, {**BRIGHT, "question": asked})
    assert bot.pair.question == kept


def test_a_file_brings_no_markup_and_no_citations_of_its_own(bot: Bot) -> None:
    listing, picture = "```sh\nlamp --port 5540  # ports[1]\n```", "![x](https://evil.org/p.png)"
    answer = f"Look {picture} at [this](https://evil.org) [1].\n\n{listing}"
    brought_in(bot, {**HOUSE, "answer": answer, "origin": "curated", "rated_by": "the boss"})
    assert bot.pair.answer["text"] == (
        f"Look [x] (`https://evil.org/p.png`) at [this] (`https://evil.org`).\n\n{listing}"
    )
    assert (bot.pair.answer["citations"], bot.pair.origin) == ([], "imported")
    assert bot.pair.rated_by == ADA.id


def test_rows_that_cannot_be_taken_are_told_with_their_lines(bot: Bot) -> None:
    administration = ReleaseAdministration(bot.chatbot.database)
    administration.change_release("lamp", "1.0", ReleaseSettings(("Aurora",)))
    report = brought_in(
        bot,
        {**BRIGHT, "release": "aurora", "product": "LAMP"},
        {**BRIGHT, "release": "3.0"},
        {**BRIGHT, "product": "torch"},
        {**BRIGHT, "question": "how bright is the lamp in 1.0?", "answer": "Very."},
        {**BRIGHT, "question": "  "},
        {**BRIGHT, "answer": "![]()"},
        {**BRIGHT, "answer": "I don't know."},
        {**BRIGHT, "question": "x" * (LONGEST + 1)},
        *({**BRIGHT, "score": score} for score in ("1.5", "good", "nan", "-1")),
    )
    assert (report.added, report.known) == (1, 1)
    reasons = [
        "there is no lamp 3.0; there is: lamp 1.0, lamp 2.0",
        "there is no torch 1.0; there is: lamp 1.0, lamp 2.0",
        "the question is empty",
        *["the answer says nothing"] * 2,
        "the question: String should have at most 20000 characters",
        *["the score: Input should be"] * 4,
    ]
    assert [left.line for left in report.left_out] == [3, 4, *range(6, 14)]
    for left, reason in zip(report.left_out, reasons, strict=True):
        assert left.reason.startswith(reason)


def test_an_import_that_is_stopped_goes_on_and_adds_nothing_twice(bot: Bot) -> None:
    def stop(done: int, total: int) -> None:
        if (done, total) == (2, 3):
            raise InterruptedError

    rows = (BRIGHT, STEP, HOUSE)
    with pytest.raises(InterruptedError):
        brought_in(bot, *rows, on_progress=stop)
    report = brought_in(bot, *rows)
    assert (report.added, report.known, len(bot.pairs)) == (1, 2, 3)


def test_an_export_is_an_import_that_calculates_nothing_and_both_are_recorded(
    bot: Bot, lamp_settings: Settings, tmp_path: Path
) -> None:
    formula = '=HYPERLINK("https://evil.org")'
    answer = '=1+1,\n- two "big" ones; `rm -rf`\n- or -5 °C'
    brought_in(
        bot, BRIGHT, {**STEP, "score": 0.75}, {**HOUSE, "question": formula, "answer": answer}
    )
    data = "".join(Exchange(bot.chatbot, ADA).export()).encode()
    assert f"\"'{formula[:10]}".encode() in data
    other = remembering(lamp_settings, tmp_path / "other")
    report = Exchange(other.chatbot, ADA).bring_in(parse_faq(data, "faq.csv"))
    assert (report.added, report.supported, report.left_out) == (3, 2, [])
    here, there = (
        [(pair.question, pair.score, pair.answer["text"]) for pair in of.pairs]
        for of in (bot, other)
    )
    assert here == there
    of_one = "".join(Exchange(other.chatbot, ADA).export(ReleaseFilter("lamp", "1.0")))
    assert ("600 lumen" in of_one, "dim_step" in of_one) == (True, False)
    other.close()
    export, done = AuditLog(bot.chatbot.database).page(ADA)[0]
    assert (done.action, done.subject) == ("import answers", "lamp 1.0, lamp 2.0")
    assert (export.action, export.subject) == ("export", "remembered answers")


@pytest.mark.parametrize("separator", [",", ";", "\t"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_a_file_is_read_as_a_spreadsheet_writes_it(separator: str, mark: str) -> None:
    lines = (
        '"Question"|Answer|RELEASE|Score|Line',
        f'"How bright\r\nis it?"|"600\u200b {separator} lumen\u202e."|1.0|"0,8"|x',
        "||||",
        "What fuse?|2 A|2.0",
        "What fuse?|2 A|2.0|||more",
    )
    found = parse_faq((mark + "\r\n".join(lines).replace("|", separator)).encode(), "a.csv", "lamp")
    assert found.rows == (
        FaqRow(2, "lamp", "1.0", "How bright is it?", f"600 {separator} lumen.", score=0.8),
        FaqRow(5, "lamp", "2.0", "What fuse?", "2 A"),
    )
    assert [(left.line, left.reason[:18]) for left in found.left_out] == [(6, "it has more cells ")]


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"question,answer\n1,2\n", "faq.csv, line 1: the first row must name"),
        (b"question,answer,release,answer\n", "each once"),
        (b'question,answer,release\n"a', "faq.csv, line 2: not a valid CSV row"),
        (b"question,answer,release\na,\xff,1\n", "faq.csv, line 2: not UTF-8 text"),
        (b"", "faq.csv, line 1: the first row must name"),
    ],
)
def test_a_file_that_cannot_be_read_says_where_and_what_to_do(data: bytes, why: str) -> None:
    with pytest.raises(FaqError, match=why.replace(".", r"\.")):
        parse_faq(data, "faq.csv")


@given(st.text(st.characters(exclude_categories=("C", "Z")), min_size=1))
def test_what_a_spreadsheet_would_calculate_comes_back_as_it_was(text: str) -> None:
    _, line = "".join(csv_lines([{"question": text}])).split("\r\n", 1)
    assert without_apostrophe(line.strip()[1:-1].replace('""', '"')) == visible(text)


def test_an_edited_answer_is_curated_and_rests_on_the_pages_of_today(curated: Bot) -> None:
    bot, curation = curated, Curation(curated.chatbot, ADA)
    wrong = bot.pairs[2]
    assert (wrong.store, wrong.answer["citations"]) == ("low", [])
    suspend(bot.chatbot.database, wrong.id)
    row = curation.edit(wrong.id, "5 % [3]").row
    assert (row.store, row.origin, row.score, row.suspended) == ("high", "curated", 1.0, "")
    assert (row.question, row.rated_by) == (wrong.question, ADA.id)
    assert (row.answer["text"], row.answer["value"]) == ("5 % [1]", "5 %")
    assert "The default of dim_step is 5 %." in row.answer["citations"][0]["quote"]
    curation.retire(row.id)
    assert row.id not in [pair.id for pair in bot.pairs]
    for gone in (curation.retire, lambda pair: curation.edit(pair, "x")):
        with pytest.raises(UnknownPair):
            gone(row.id)
    (retired, edited, *_) = AuditLog(bot.chatbot.database).page(ADA)[0]
    assert retired.action == "retire answer"
    assert (edited.person, edited.action, edited.subject) == (ADA.id, "edit answer", "lamp 2.0")
    # The log is kept for good, and holds no words of anybody.
    assert edited.details == {"pair": wrong.id, "characters": 3, "citations": 1}


def test_an_answer_that_cannot_be_kept_changes_nothing(curated: Bot) -> None:
    bot, curation = curated, Curation(curated.chatbot, ADA)
    before = [(pair.id, pair.answer) for pair in bot.pairs]
    pair = bot.pairs[0].id
    with pytest.raises(BadInput, match="The answer is empty"):
        curation.edit(pair, " [1] ")
    with pytest.raises(BadInput, match="the limit is 20,000: shorten it"):
        curation.edit(pair, "x" * (LONGEST_ANSWER + 1))
    administration = ReleaseAdministration(bot.chatbot.database)
    administration.change_release("lamp", "2.0", ReleaseSettings(hidden=True))
    with pytest.raises(BadInput, match="There is no documentation of lamp"):
        curation.edit(pair, "It gives light.")
    assert [(pair.id, pair.answer) for pair in bot.pairs] == before


def test_only_admins_see_the_memory_filtered(curated: Bot) -> None:
    bot = curated
    user = Person("user@example.org", "User", is_admin=False)
    for refused in (Curation, Exchange, lambda chatbot, by: Overview(chatbot.database, by)):
        with pytest.raises(NotAllowed):
            refused(bot.chatbot, user)
    overview = Overview(bot.chatbot.database, ADA)
    suspend(bot.chatbot.database, bot.pairs[1].id)
    for wanted, number in (
        (PairFilter(), 3),
        (PairFilter(worth=Worth.GOOD), 1),
        (PairFilter(worth=Worth.POOR), 1),
        (PairFilter(worth=Worth.SUSPENDED), 1),
        (PairFilter(words="DIM_STEP"), 1),
        (PairFilter(words="100%"), 0),
        (PairFilter(ReleaseFilter("lamp", "1.0")), 0),
    ):
        assert overview.count(wanted) == len(overview.pairs(wanted)) == number
    newest = [pair.row.id for pair in overview.pairs(PairFilter(), offset=1, limit=2)]
    assert newest == [pair.id for pair in bot.pairs][1::-1]
    assert [p.row.id for p in overview.every(PairFilter())] == [p.id for p in bot.pairs]


def test_an_answer_of_the_team_without_a_page_says_so(curated: Bot) -> None:
    Curation(curated.chatbot, ADA).edit(curated.pairs[0].id, "Ask Ada.")
    reply = curated.ask("How bright is the lamp?", product="lamp", release="2.0").content
    assert (reply.route, reply.answer, reply.citations) == ("reuse", "Ask Ada.", ())
    assert reply.warnings == (UNCITED,)
