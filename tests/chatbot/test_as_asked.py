"""What admins read as the title of a gap and of a saved answer: the words of whoever asked."""

import csv
from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import update

from chatbot.accounts.people import LOCAL
from chatbot.administration.exchange import Exchange
from chatbot.administration.overview import Overview, PairFilter
from chatbot.models.embedders import open_embedder
from chatbot.review.as_asked import AsAsked
from chatbot.review.gaps import ContentGaps, gap_rows
from chatbot.review.turns import ANY
from chatbot.settings import Settings
from corpora.database.history_tables import TurnRow
from tests.chatbot.memory_bots import Bot, remembering, says

pytestmark = pytest.mark.database

BRIGHT = "Hi, how bright is the lamp in 2.0?"
THEN = "and in 1.0?"
AT_LAST = "and in 2.0 again?"


@pytest.fixture
def bot(lamp_settings: Settings, tmp_path: Path) -> Iterator[Bot]:
    model = says("The lamp gives 800 lumen.", "The lamp gives 600 lumen.")
    bot = remembering(lamp_settings, tmp_path, model)
    yield bot
    bot.close()


def told(bot: Bot, *questions: str) -> None:
    """Ask in one conversation."""
    conversation = bot.chatbot.conversations.of("").start("lamp", questions[0])
    for question in questions:
        bot.chatbot.ask(question, conversation=conversation, owner="")


def test_saved_answers_bear_the_words_that_were_typed(bot: Bot) -> None:
    told(bot, BRIGHT, THEN)
    first, second = Overview(bot.chatbot.database, LOCAL).every(PairFilter())
    assert (first.asked, second.asked) == (AsAsked(BRIGHT), AsAsked(THEN, BRIGHT))
    assert str(second.asked) == f"{THEN} · after “{BRIGHT}”"
    # They are found by these words, and by those that are compared.
    for words, pairs in (("in 1.0", [second]), (second.row.question, [second, first])):
        found = Overview(bot.chatbot.database, LOCAL).pairs(PairFilter(words=words))
        assert [pair.row.id for pair in found] == [pair.row.id for pair in pairs]
    *_, line = csv.DictReader("".join(Exchange(bot.chatbot, LOCAL).export()).splitlines())
    assert (line["asked"], line["after"]) == (THEN, BRIGHT)
    # What is imported again has to say by itself what it asks.
    assert "bright" in line["question"]


def test_what_was_asked_about_another_product_is_not_told(bot: Bot) -> None:
    told(bot, BRIGHT, THEN)
    with bot.chatbot.database.writing() as session:
        session.execute(update(TurnRow).where(TurnRow.position == 0).values(product="buoy"))
    _, second = Overview(bot.chatbot.database, LOCAL).every(PairFilter())
    assert second.asked == AsAsked(THEN)


def test_an_imported_answer_bears_its_question(bot: Bot) -> None:
    bot.answered_before("How bright?", "800 lumen", "2.0", "lamp")
    (pair,) = Overview(bot.chatbot.database, LOCAL).pairs(PairFilter())
    assert pair.asked == AsAsked("How bright?")


def test_a_gap_says_which_question_a_follow_up_goes_on_from(bot: Bot) -> None:
    colour = "Which colour does the flux capacitor of the lamp have in 2.0?"
    told(bot, BRIGHT, colour, THEN, AT_LAST)
    gaps = ContentGaps(bot.chatbot.database, open_embedder(Settings())).report(LOCAL, ANY).gaps
    asked = [question.asked for gap in gaps for question in gap.questions]
    # What was asked in between adds nothing to say.
    assert set(asked) == {AsAsked(colour), AsAsked(THEN, colour), AsAsked(AT_LAST, colour)}
    rows = list(gap_rows(gaps))
    assert {(row["question"], row["after"]) for row in rows} <= set(map(tuple, asked))
