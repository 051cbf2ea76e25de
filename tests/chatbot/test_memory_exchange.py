from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from chatbot.accounts.audit import AuditLog
from chatbot.accounts.people import LOCAL, Person
from chatbot.administration.exchange import Exchange, ImportReport
from chatbot.administration.faq_file import parse_faq
from chatbot.administration.overview import EVERYTHING, ReleaseFilter
from chatbot.errors import NotAllowed
from chatbot.memory.suspending import page_hash
from chatbot.review.exports import Format
from chatbot.settings import Settings
from corpora.catalog.release_settings import ReleaseAdministration, ReleaseSettings
from corpora.database.memory_tables import MemoryPageRow, MemoryPairRow
from corpora.database.tables import PageRow
from tests.chatbot.memory_bots import Bot, remembering

pytestmark = pytest.mark.database

ADA = Person("ada@example.org", "Ada", is_admin=True)
USER = Person("user@example.org", "User", is_admin=False)

BRIGHT = {"question": "How bright is the lamp?", "answer": "It gives 600 lumen.", "release": "1.0"}
STEP = {"question": "What is the default of dim_step?", "answer": "5 %", "release": "2.0"}
HOUSE = {"question": "Who may climb the ladder?", "answer": "Two grown-ups.", "release": "2.0"}


@pytest.fixture
def bot(lamp_settings: Settings, tmp_path: Path) -> Iterator[Bot]:
    bot = remembering(lamp_settings, tmp_path)
    yield bot
    bot.close()


def brought_in(bot: Bot, *rows: dict[str, Any], person: Person = ADA) -> ImportReport:
    data = "\n".join(map(json.dumps, rows)).encode()
    return Exchange(bot.chatbot, person).bring_in(parse_faq(data, "faq.jsonl", "lamp"))


def exported(bot: Bot, form: Format = Format.JSONL, within: ReleaseFilter = EVERYTHING) -> bytes:
    return "".join(Exchange(bot.chatbot, ADA).export(form, within)).encode()


def test_rows_become_good_answers_that_rest_on_pages_of_their_release(bot: Bot) -> None:
    report = brought_in(bot, BRIGHT, STEP, {**HOUSE, "score": 0.9, "links": ["https://e.org"]})
    assert (report.added, report.supported, report.left_out) == (3, 2, [])
    bright, step, house = bot.pairs
    for pair in bot.pairs:
        assert (pair.store, pair.origin, pair.rated_by) == ("high", "imported", "ada@example.org")
    assert bright.answer["text"] == "It gives 600 lumen [1]."
    assert bright.answer["value"] == "It gives 600 lumen."
    (cited,) = bright.answer["citations"]
    assert (cited["file"], cited["release"]) == ("brightness.md", "1.0")
    assert "The lamp gives 600 lumen." in cited["quote"]
    assert "The default of dim_step is 5 %." in step.answer["citations"][0]["quote"]
    assert (house.answer["text"], house.answer["citations"]) == ("Two grown-ups.", [])
    assert (house.score, house.links) == (0.9, ["https://e.org"])
    with bot.chatbot.database.reading() as session:
        page = session.get_one(MemoryPageRow, (bright.id, 0))
        assert page.page_hash == page_hash(session.get_one(PageRow, page.page_id).text)


def test_what_another_release_says_supports_nothing(bot: Bot) -> None:
    # 800 lumen and 5 % are those of 2.0.
    report = brought_in(
        bot,
        {**BRIGHT, "answer": "It gives 800 lumen."},
        {**STEP, "release": "1.0"},
        {
            "question": "How fast does it dim?",
            "answer": "Dimming takes 400 s.",
            "release": "1.0",
        },
    )
    assert (report.added, report.supported) == (3, 0)


def test_lines_of_an_answer_have_their_own_marks(bot: Bot) -> None:
    answer = (
        "Unplug the lamp before you replace the fuse.\n\n"
        "> The fuse is rated 2 A. — Power [7]\n"
        "> It never breaks. [1]"
    )
    brought_in(bot, {"question": "How do I replace the fuse?", "answer": answer, "release": "1.0"})
    # What no page bears is no quotation.
    assert bot.pair.answer["text"] == (
        "Unplug the lamp before you replace the fuse [1].\n\n"
        "The fuse is rated 2 A. — Power [1]\n"
        "It never breaks."
    )
    assert [c["file"] for c in bot.pair.answer["citations"]] == ["power.md"]


def test_a_listing_stays_letter_for_letter(bot: Bot) -> None:
    listing = "```sh\nlamp --port 5540  # ports[1]\n```"
    answer = f"The lamp listens on port 5540 [4]:\n\n{listing}"
    brought_in(bot, {"question": "Which port?", "answer": answer, "release": "2.0"})
    assert listing in bot.pair.answer["text"]
    assert "[4]" not in bot.pair.answer["text"]


def test_a_file_brings_no_markup_and_no_citations_of_its_own(bot: Bot) -> None:
    row = {
        **HOUSE,
        "answer": "Look ![x](https://evil.org/p.png) at [this](https://evil.org) [1].",
        "citations": [{"file": "power.md", "quote": "Two grown-ups."}],
        "origin": "curated",
        "rated_by": "the boss",
    }
    report = brought_in(bot, row)
    assert report.ignored == ()
    pair = bot.pair
    assert pair.answer["text"] == (
        "Look [x] (`https://evil.org/p.png`) at [this] (`https://evil.org`)."
    )
    assert (pair.answer["citations"], pair.origin, pair.rated_by) == ([], "imported", ADA.id)


def test_rows_that_cannot_be_taken_are_told_with_their_lines(bot: Bot) -> None:
    report = brought_in(
        bot,
        BRIGHT,
        {**BRIGHT, "release": "3.0"},
        {**BRIGHT, "product": "torch"},
        {**BRIGHT, "question": "how bright is the LAMP?", "answer": "Very."},
        {**BRIGHT, "question": ""},
        {**BRIGHT, "question": "What is it?", "answer": "![]()"},
        STEP,
    )
    assert report.added == 2
    assert [(left.line, left.reason) for left in report.left_out] == [
        (2, "there is no release '3.0' of lamp; there is: 1.0, 2.0"),
        (3, "there is no product 'torch'; there is: lamp"),
        (4, "the question stands in line 1 too: put its answers into one row"),
        (5, "the question is empty"),
        (6, "the answer has no words"),
    ]


def test_a_release_has_other_names_and_one_that_is_hidden_takes_nothing(bot: Bot) -> None:
    administration = ReleaseAdministration(bot.chatbot.database)
    administration.change_release("lamp", "1.0", ReleaseSettings(("Aurora",)))
    administration.change_release("lamp", "2.0", ReleaseSettings(hidden=True))
    report = brought_in(bot, {**BRIGHT, "release": "aurora", "product": "LAMP"}, STEP)
    assert (report.added, len(report.left_out)) == (1, 1)
    assert report.left_out[0].reason == "there is no release '2.0' of lamp; there is: 1.0"


def test_what_is_there_already_stays_as_it_is(bot: Bot) -> None:
    brought_in(bot, BRIGHT, STEP, HOUSE)
    before = [(pair.id, pair.rated) for pair in bot.pairs]
    again = brought_in(bot, BRIGHT, STEP, HOUSE)
    assert (again.added, again.known, again.outdone) == (0, 3, 0)
    assert [(pair.id, pair.rated) for pair in bot.pairs] == before

    # Another score is no other answer, and the release in a question no part of what is asked.
    assert (
        brought_in(bot, {**BRIGHT, "question": "how bright is the lamp", "score": 0.7}).known == 1
    )
    assert brought_in(bot, {**BRIGHT, "question": "How bright is the lamp in 1.0?"}).added == 0


@pytest.mark.parametrize("form", list(Format))
def test_an_export_is_an_import(
    bot: Bot, lamp_settings: Settings, tmp_path: Path, form: Format
) -> None:
    brought_in(
        bot,
        {**BRIGHT, "links": ["https://e.org/a", "https://e.org/b"]},
        {**STEP, "score": 0.75},
        {**HOUSE, "answer": '=1+1 grown-ups,\n- two "big" ones; `rm -rf`\n- or -5 °C'},
    )
    data = exported(bot, form)
    other = remembering(lamp_settings, tmp_path / "other")
    report = Exchange(other.chatbot, LOCAL).bring_in(parse_faq(data, f"faq.{form}"))
    assert (report.added, report.supported, report.left_out, report.ignored) == (3, 2, [], ())
    assert [told(pair) for pair in other.pairs] == [told(pair) for pair in bot.pairs]
    assert exported(other, form, ReleaseFilter("lamp", "1.0")).count(b"600 lumen") >= 1
    other.close()

    again = Exchange(bot.chatbot, LOCAL).bring_in(parse_faq(data, f"faq.{form}"))
    assert (again.added, again.known) == (0, 3)


def told(pair: MemoryPairRow) -> tuple[Any, ...]:
    return pair.question, pair.answer["text"], pair.answer["value"], pair.score, pair.links


def test_a_table_that_a_spreadsheet_opens_calculates_nothing(bot: Bot) -> None:
    brought_in(bot, {**HOUSE, "question": '=HYPERLINK("https://evil.org")'})
    (row,) = csv.DictReader(io.StringIO(exported(bot, Format.CSV).decode()))
    assert row["question"] == '\'=HYPERLINK("https://evil.org")'


def test_an_import_that_is_stopped_goes_on_where_it_was(bot: Bot) -> None:
    class Stopped(Exception):
        pass

    def stop(done: int, total: int) -> None:
        assert total == 3
        if done == 2:
            raise Stopped

    data = "\n".join(map(json.dumps, (BRIGHT, STEP, HOUSE))).encode()
    faq = parse_faq(data, "faq.jsonl", "lamp")
    with pytest.raises(Stopped):
        Exchange(bot.chatbot, ADA).bring_in(faq, stop)
    assert len(bot.pairs) == 2
    report = Exchange(bot.chatbot, ADA).bring_in(faq)
    assert (report.added, report.known) == (1, 2)


def test_only_admins_import_and_export_and_both_are_recorded(bot: Bot) -> None:
    with pytest.raises(NotAllowed):
        brought_in(bot, BRIGHT, person=USER)
    with pytest.raises(NotAllowed):
        Exchange(bot.chatbot, USER).export(Format.CSV)
    assert not bot.pairs
    brought_in(bot, BRIGHT, STEP, {**STEP, "release": "9"})
    exported(bot, Format.CSV, ReleaseFilter("lamp"))
    export, done = AuditLog(bot.chatbot.database).page(LOCAL)[0]
    assert (done.person, done.action, done.subject) == (
        ADA.id,
        "import answers",
        "lamp 1.0, lamp 2.0",
    )
    assert (done.details["added"], done.details["left_out"]) == (2, 1)
    assert (export.action, export.subject) == ("export", "remembered answers")
    assert export.details == {"format": "csv", "product": "lamp"}
