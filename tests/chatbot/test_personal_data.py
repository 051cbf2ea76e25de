import json
from datetime import timedelta

import pytest
from sqlalchemy import update

from chatbot.accounts.limits import UsageLimits
from chatbot.accounts.people import LOCAL, Account, Person, note_groups, person_of_account
from chatbot.accounts.preferences import choose_language, chosen_language
from chatbot.conversations.conversations import Conversations, turns_with
from chatbot.conversations.feedback import DOWN, Feedback
from chatbot.conversations.personal_data import (
    delete_person,
    export_person,
    fingerprint,
    people,
    sweep,
)
from chatbot.errors import UnknownPerson
from chatbot.reply import Trace
from chatbot.review.ratings import Ratings
from chatbot.settings import Settings
from chatbot.turn import Citation
from corpora.database.engine import Database
from corpora.database.history_tables import (
    ConversationRow,
    FeedbackRow,
    OpenQuestionRow,
    PersonRow,
    ReviewRow,
    TurnCitationRow,
    TurnRow,
    TurnTextRow,
    TurnTraceRow,
    UseRow,
)
from corpora.database.tables import Base
from tests.chatbot.asked import NOW, answer
from tests.data_folders import counts

pytestmark = pytest.mark.database

KEPT: tuple[type[Base], ...] = (
    *(ConversationRow, TurnRow, TurnTextRow, TurnTraceRow, TurnCitationRow),
    *(OpenQuestionRow, FeedbackRow, ReviewRow, PersonRow, UseRow),
)
BO, CY = "bo@example.org", "cy@example.org"


def test_somebody_who_has_only_signed_in_is_known(database: Database) -> None:
    note_groups(database, Person(BO, "Bo", is_admin=False, groups=frozenset({"field"})))
    choose_language(database, CY, "de")
    assert {BO, CY} <= {owner for owner, _ in people(database)}
    assert export_person(database, BO)["groups"] == ["field"]
    assert export_person(database, CY)["language"] == "de"
    for owner in (BO, CY):
        assert delete_person(database, owner) == 0
        with pytest.raises(UnknownPerson):
            export_person(database, owner)


def talk(database: Database, owner: str, question: str, *, days_ago: float = 0) -> str:
    """A conversation with everything that may hang on one."""
    conversations = Conversations(database, owner)
    identity = conversations.start("relay", question)
    cited = Citation("Guide", "relay.html", "17.20", 1, "", None, "", 1)
    reply = answer(answer=f"{question} – yes.", citations=[cited])
    turn = conversations.add(identity, question, reply, trace=Trace(value=question))
    at = NOW - timedelta(days=days_ago)
    Feedback(database, owner).give(turn, DOWN, "other", "no")
    Ratings(database).change(LOCAL, turn, rating="bad")
    with database.writing() as session:
        session.execute(
            update(ConversationRow).where(ConversationRow.id == identity).values(updated=at)
        )
    return identity


def rows(database: Database) -> dict[str, int]:
    return counts(database, KEPT)


def found(database: Database, word: str) -> int:
    with database.reading() as session:
        turns = turns_with(session, word)
        assert turns is not None
        return len(session.scalars(turns).all())


def sign_in(database: Database, address: str) -> None:
    person_of_account(database, Account(f"https://id#{address}", address, address, False))
    UsageLimits(database, 9, 9).question(address)


def test_a_person_is_deleted_with_all_that_is_kept_of_them(database: Database) -> None:
    sign_in(database, CY)
    talk(database, CY, "Does the breaker trip?")
    before = rows(database)
    sign_in(database, BO)
    assert people(database) == ((BO, 0), (CY, 1))
    talk(database, BO, "Does the relay latch?")
    talk(database, BO, "Does the relay click?")
    assert found(database, "relay") == 2

    choose_language(database, BO, "ja")
    assert export_person(database, BO)["language"] == "ja"
    assert delete_person(database, BO) == 2
    assert chosen_language(database, BO) == ""

    assert rows(database) == before
    assert (found(database, "relay"), found(database, "breaker")) == (0, 1)
    with pytest.raises(UnknownPerson):
        delete_person(database, BO)
    # What is logged of it names nobody.
    assert fingerprint(BO) == fingerprint(BO) != fingerprint(CY)
    assert "bo" not in fingerprint(BO).removeprefix("person")


def test_a_person_takes_along_what_they_asked_and_said(database: Database) -> None:
    sign_in(database, BO)
    talk(database, CY, "Does the breaker trip?")
    identity = talk(database, BO, "Does the relay latch?")
    exported = json.loads(json.dumps(export_person(database, BO)))
    assert (exported["person"], exported["signed_in_as"]) == (BO, [f"https://id#{BO}"])
    (conversation,) = exported["conversations"]
    told = (conversation["conversation"], conversation["title"])
    assert told == (identity, "Does the relay latch?")
    (turn,) = conversation["turns"]
    assert turn["reply"]["answer"] == "Does the relay latch? – yes."
    assert (turn["replaced"], turn["feedback"]["comment"]) == (False, "no")
    with pytest.raises(UnknownPerson, match=r"di@example\.org"):
        export_person(database, "di@example.org")


def test_old_conversations_go_and_others_stay(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    # More go than one transaction deletes.
    monkeypatch.setattr("chatbot.conversations.personal_data.AT_ONCE", 2)
    for _ in range(5):
        talk(database, BO, "Does the relay latch?", days_ago=31)
    young = talk(database, BO, "Does the relay click?", days_ago=29)
    assert sweep(database, Settings(), NOW) == 0
    assert sweep(database, Settings(keep_conversations=30), NOW) == 5
    assert [c.id for c in Conversations(database, BO).recent()] == [young]
    assert found(database, "latch") == 0
    assert rows(database)["turn_traces"] == 1
