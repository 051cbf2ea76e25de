"""The regression set: what was accepted or rated, as long as its pages say the same."""

from dataclasses import replace
from pathlib import Path

import pytest
from sqlalchemy import select

from chatbot.accounts.people import LOCAL
from chatbot.administration.curation import Curation, ratings
from chatbot.chatbot import Chatbot
from chatbot.conversations.feedback import DOWN, UP
from chatbot.reply import Reply
from chatbot.review.regression_set import RegressionSet
from corpora.catalog.release_settings import ReleaseAdministration
from corpora.database.engine import Database
from corpora.database.memory_tables import MemoryPairRow
from eval.gold import GoldQuestion
from eval.sets.adding import add_imported
from eval.sets.drafting import propose
from eval.sets.importing import Defaults, import_questions
from eval.sets.proposals import Proposals, State
from eval.sets.regression import Member, gather, regression_set
from eval.sets.rows import read_rows
from tests.eval.sets.conftest import FILES, ingest_again

pytestmark = pytest.mark.database

HOLD = "What is the default of hold_time in 2.0?"
LOG = "How long is the event log kept in 2.0?"


def ask(chatbot: Chatbot, question: str) -> int:
    conversation = chatbot.conversations.start("relay", question)
    turn = chatbot.ask(question, conversation=conversation).kept_as
    assert turn is not None
    return turn


def members(database: Database) -> tuple[Member, ...]:
    return gather(database).members


def questions(gold: tuple[GoldQuestion, ...]) -> list[str]:
    return [question.question for question in gold]


def accept_all(chatbot: Chatbot) -> list[str]:
    propose(chatbot, LOCAL, "relay", "2.0")
    kept = Proposals(chatbot.database)
    proposals = kept.page(LOCAL, State.PROPOSED)
    for proposal in proposals:
        kept.decide(LOCAL, proposal.id, State.ACCEPTED)
    return [proposal.draft.gold.question for proposal in proposals]


def test_accepted_questions_are_in_it_and_others_are_not(relay: Chatbot) -> None:
    propose(relay, LOCAL, "relay", "2.0")
    assert regression_set(relay.database) == ()
    accepted = accept_all(relay)
    assert questions(regression_set(relay.database)) == accepted
    assert questions(regression_set(relay.database, "relay")) == accepted
    assert regression_set(relay.database, "lamp") == ()


def test_a_question_whose_page_has_changed_is_stale_until_it_is_back(
    relay: Chatbot, tmp_path: Path
) -> None:
    accepted = accept_all(relay)
    first = FILES["2.0"]["guide.md"]
    ingest_again(relay, "2.0", tmp_path, guide=first, more="# More\n\nNothing that matters.\n")
    assert questions(regression_set(relay.database)) == accepted
    changed = tmp_path / "changed"
    changed.mkdir()
    ingest_again(relay, "2.0", changed, guide=first.replace("60 days", "90 days"))
    assert regression_set(relay.database) == ()
    assert questions(regression_set(relay.database, stale=True)) == accepted
    assert {m.stale for m in members(relay.database)} == {"the page 1 of guide.md has changed"}
    back = tmp_path / "back"
    back.mkdir()
    ingest_again(relay, "2.0", back, guide=first)
    assert questions(regression_set(relay.database)) == accepted


def test_a_hidden_release_is_stale(relay: Chatbot) -> None:
    accept_all(relay)
    administration = ReleaseAdministration(relay.database)
    administration.revise_release("relay", "2.0", lambda old: replace(old, hidden=True))
    assert regression_set(relay.database) == ()


def test_answers_that_are_liked_are_in_it_unless_an_admin_objects(relay: Chatbot) -> None:
    liked, disliked, unrated = ask(relay, HOLD), ask(relay, LOG), ask(relay, "hold_time in 1.0?")
    relay.feedback(LOCAL.id).give(liked, UP)
    relay.feedback(LOCAL.id).give(disliked, DOWN, "wrong answer")
    (member,) = members(relay.database)
    assert (member.gold.id, member.came_from) == (f"regression-turn-{liked}", f"answer {liked}")
    assert (member.gold.release, member.gold.question) == ("2.0", HOLD)
    assert member.gold.sources
    assert member.pages
    ratings(relay).change(LOCAL, liked, rating="bad")
    assert regression_set(relay.database) == ()
    ratings(relay).change(LOCAL, unrated, rating="good")
    assert regression_set(relay.database) == ()
    RegressionSet(relay.database).add(LOCAL, unrated)
    assert questions(regression_set(relay.database)) == ["hold_time in 1.0?"]


def test_a_liked_answer_whose_page_has_changed_is_stale(relay: Chatbot, tmp_path: Path) -> None:
    relay.feedback(LOCAL.id).give(ask(relay, HOLD), UP)
    assert len(regression_set(relay.database)) == 1
    ingest_again(relay, "2.0", tmp_path, guide=FILES["2.0"]["guide.md"].replace("300", "301"))
    assert regression_set(relay.database) == ()
    assert len(regression_set(relay.database, stale=True)) == 1


def test_a_correction_is_in_it_once_and_without_its_turn_as_a_saved_answer(relay: Chatbot) -> None:
    turn = ask(relay, HOLD)
    ratings(relay).change(LOCAL, turn, rating="bad", corrected_answer="It is 300 s.")
    (curated,) = members(relay.database)
    assert curated.came_from.startswith("saved answer")
    assert "2.0" in curated.gold.question
    assert (curated.gold.gold_answer, curated.gold.release) == ("It is 300 s.", "2.0")
    assert curated.gold.accepts("300") is True
    RegressionSet(relay.database).add(LOCAL, turn)
    assert [m.came_from for m in members(relay.database)] == [f"answer {turn}"]


def test_a_saved_answer_that_is_suspended_is_stale(relay: Chatbot, tmp_path: Path) -> None:
    ratings(relay).change(LOCAL, ask(relay, HOLD), rating="bad", corrected_answer="It is 300 s.")
    assert Curation(relay, LOCAL)
    ingest_again(relay, "2.0", tmp_path, guide=FILES["2.0"]["guide.md"].replace("300", "301"))
    assert regression_set(relay.database) == ()
    assert "changed" in members(relay.database)[0].stale


@pytest.mark.parametrize("edited", [False, True])
def test_what_an_admin_corrected_or_edited_goes_with_the_conversation(
    relay: Chatbot, *, edited: bool
) -> None:
    conversation = relay.conversations.start("relay", HOLD)
    turn = relay.ask(HOLD, conversation=conversation).kept_as
    assert turn is not None
    ratings(relay).change(LOCAL, turn, rating="bad", corrected_answer="It is 300 s.")
    if edited:
        with relay.database.reading() as session:
            pair = session.scalars(select(MemoryPairRow.id)).one()
        Curation(relay, LOCAL).edit(pair, "The hold_time is 300 s.")
    assert len(members(relay.database)) == 1
    relay.conversations.delete(conversation)
    assert members(relay.database) == ()
    with relay.database.reading() as session:
        assert session.scalars(select(MemoryPairRow)).all() == []


def test_a_like_does_not_stand_before_what_an_admin_says(relay: Chatbot) -> None:
    liked, corrected = ask(relay, HOLD), ask(relay, HOLD)
    relay.feedback(LOCAL.id).give(liked, UP)
    ratings(relay).change(LOCAL, corrected, rating="bad", corrected_answer="It is 301 s.")
    RegressionSet(relay.database).add(LOCAL, corrected)
    assert [m.came_from for m in members(relay.database)] == [f"answer {corrected}"]


def test_of_a_liked_turn_the_answer_that_an_admin_wrote_is_in_it(relay: Chatbot) -> None:
    liked = ask(relay, HOLD)
    relay.feedback(LOCAL.id).give(liked, UP)
    ratings(relay).change(LOCAL, liked, corrected_answer="It is 301 s.")
    (member,) = members(relay.database)
    assert member.came_from.startswith("saved answer")


def test_only_the_newest_likes_are_in_it(relay: Chatbot, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("eval.sets.regression.MOST_LIKED", 1)
    for turn in (old := ask(relay, HOLD)), (new := ask(relay, LOG)):
        relay.feedback(LOCAL.id).give(turn, UP)
    assert [m.came_from for m in members(relay.database)] == [f"answer {new}"]
    RegressionSet(relay.database).add(LOCAL, old)
    assert len(members(relay.database)) == 2


def test_the_history_of_a_question_is_as_long_as_can_be_asked(relay: Chatbot) -> None:
    conversation = relay.conversations.start("relay", HOLD)
    for n in range(60):
        said = Reply(answer="x" * (n == 50 and 200_000), release="2.0", product="relay")
        relay.conversations.add(conversation, f"Question {n}", said)
    turn = relay.ask(HOLD, conversation=conversation).kept_as
    assert turn is not None
    relay.feedback(LOCAL.id).give(turn, UP)
    (member,) = members(relay.database)
    assert [user for user, _ in member.gold.history] == [f"Question {n}" for n in range(51, 60)]


def test_an_imported_question_is_in_it_with_the_page_that_it_names(
    relay: Chatbot, tmp_path: Path
) -> None:
    rows = (
        "question,answer,release,file,page\n"
        "How long is the log kept?,60 days,2.0,guide.md,1\n"
        "Why?,Because.,2.0,nowhere.md,3\n"
    )
    read = import_questions(
        read_rows(rows.encode(), "own.csv"),
        "folder/own.csv",
        defaults=Defaults("relay"),
        products=relay.products(),
    )
    assert add_imported(relay, LOCAL, read) == 2
    assert add_imported(relay, LOCAL, read) == 0
    first, second = members(relay.database)
    assert (first.came_from, [page.file for page in first.pages]) == (
        "the file own.csv",
        ["guide.md"],
    )
    assert second.pages == ()
    ingest_again(
        relay, "2.0", tmp_path, guide=FILES["2.0"]["guide.md"].replace("60 days", "9 days")
    )
    assert [m.gold.question for m in members(relay.database) if m.stale] == [first.gold.question]


def test_every_question_of_the_set_has_an_id_of_its_own(relay: Chatbot) -> None:
    for name, text in (("one.csv", "A?"), ("two.csv", "B?")):
        rows = read_rows(f"id,question,answer,release\n1,{text},5 s,2.0\n".encode(), name)
        add_imported(relay, LOCAL, import_questions(rows, name, defaults=Defaults("relay")))
    accept_all(relay)
    found = [question.id for question in regression_set(relay.database)]
    assert len(set(found)) == len(found) > 3
