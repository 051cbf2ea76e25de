"""Proposed questions in the database: added once, decided on by admins, and in the audit log."""

from typing import Any

import pytest

from chatbot.accounts.audit import AuditLog
from chatbot.accounts.people import LOCAL, Person
from chatbot.conversations.conversations import Conversations
from chatbot.conversations.personal_data import delete_person
from chatbot.errors import BadInput, NotAllowed
from corpora.database.engine import Database
from eval.gold import QuestionKind
from eval.sets.proposals import Draft, Proposals, State, StatedOn
from tests.eval.made_gold import gold

pytestmark = pytest.mark.database

ADA = Person("ada@example.org", "Ada", is_admin=True)
PAGE = StatedOn("2.0", "guide.pdf", 4, 7, "00" * 32, "Timers", None, "Guide", "60 seconds")


def draft(question: str = "timeout in 2.0?", **changes: Any) -> Draft:
    return Draft(gold(question=question, **changes), "a parameter of 2.0", (PAGE,))


def actions(database: Database) -> list[tuple[str, str]]:
    return [(row["action"], row["person"]) for row in AuditLog(database).rows(LOCAL)]


def test_what_is_kept_comes_back_and_is_kept_once(database: Database) -> None:
    kept = Proposals(database)
    (first,) = kept.add(ADA, [draft()])
    assert kept.add(ADA, [draft(), draft("Timeout  in 2.0?"), draft("other in 2.0?")]) != ()
    one, other = kept.page(ADA, State.PROPOSED)
    assert (one.id, one.draft, one.decided_by) == (first, draft(), "")
    assert other.draft.gold.question == "other in 2.0?"
    assert kept.count(ADA, State.PROPOSED) == kept.count(ADA, State.PROPOSED, "router") == 2
    assert kept.count(ADA, State.PROPOSED, "relay") == 0
    assert actions(database) == [("propose questions", ADA.id)] * 2


def test_what_was_dropped_is_not_proposed_again(database: Database) -> None:
    kept = Proposals(database)
    (first,) = kept.add(ADA, [draft()])
    kept.decide(ADA, first, State.DROPPED)
    assert kept.add(ADA, [draft()]) == ()
    assert kept.page(ADA, State.PROPOSED) == ()
    (dropped,) = kept.page(ADA, State.DROPPED)
    assert dropped.decided_by == ADA.id
    kept.decide(ADA, first, State.PROPOSED)
    assert kept.count(ADA, State.PROPOSED) == 1
    assert actions(database)[:2] == [
        ("question proposed", ADA.id),
        ("question dropped", ADA.id),
    ]


def test_who_decided_is_forgotten_with_the_person(database: Database) -> None:
    kept = Proposals(database)
    kept.add(ADA, [draft()], State.ACCEPTED)
    Conversations(database, ADA.id).start("router", "A talk")
    delete_person(database, ADA.id)
    (accepted,) = kept.page(LOCAL, State.ACCEPTED)
    assert accepted.decided_by == ""


def test_an_edited_question_is_accepted_with_patterns_of_its_answer(database: Database) -> None:
    kept = Proposals(database)
    (first,) = kept.add(ADA, [draft(facts=[{"says": "60", "pattern": "60"}])])
    kept.edit(ADA, first, " How long\n is it in 2.0? ", "It is 90 s.")
    (edited,) = kept.page(ADA, State.ACCEPTED)
    question = edited.draft.gold
    assert question.question == "How long is it in 2.0?"
    assert question.accepts("90 s") is True
    assert question.accepts("60 seconds") is False
    assert question.facts == ()
    assert edited.draft.pages == (PAGE,)
    kept.edit(ADA, first, question.question, "Because it is so.")
    assert kept.page(ADA, State.ACCEPTED)[0].draft.gold.must_include == ()
    (row, *_) = AuditLog(database).rows(ADA)
    assert row["details"] == {"question": 22, "gold_answer": 17}


def test_patterns_that_somebody_wrote_stay_with_their_answer(database: Database) -> None:
    kept = Proposals(database)
    (first,) = kept.add(ADA, [draft()])
    kept.edit(ADA, first, "timeout of 2.0?", "60 seconds")
    assert kept.page(ADA, State.ACCEPTED)[0].draft.gold.must_include == (r"\b60\b",)


def test_what_cannot_be_a_question_is_refused_and_changes_nothing(database: Database) -> None:
    kept = Proposals(database)
    first, other = kept.add(ADA, [draft(), draft("other in 2.0?")])
    for question, answer, told in (
        ("", "60", "no question with an answer"),
        ("timeout in 2.0?", " ", "no question with an answer"),
        ("x" * 5_000, "60", "the limit is 4,000"),
        ("Other in 2.0?", "60", f"there already: question {other}"),
    ):
        with pytest.raises(BadInput, match=told):
            kept.edit(ADA, first, question, answer)
    with pytest.raises(BadInput, match="no question 999"):
        kept.decide(ADA, 999, State.ACCEPTED)
    assert kept.page(ADA, State.PROPOSED)[0].draft == draft()


def test_a_refusal_stays_one_whatever_its_answer_says(database: Database) -> None:
    kept = Proposals(database)
    unknown = gold(kind="unanswerable", sources=[], must_include=[])
    (first,) = kept.add(ADA, [Draft(unknown, "gone from 2.0")])
    kept.edit(ADA, first, "timeout in 2.0?", "2.0 has none; 1.0 had 30 s.")
    edited = kept.page(ADA, State.ACCEPTED)[0].draft.gold
    assert (edited.kind, edited.must_include) == (QuestionKind.UNANSWERABLE, ())


def test_only_admins_may(database: Database) -> None:
    user = Person("bo@example.org", "Bo", is_admin=False)
    kept = Proposals(database)
    (first,) = kept.add(ADA, [draft()])
    for call in (
        lambda: kept.add(user, [draft()]),
        lambda: kept.page(user, State.PROPOSED),
        lambda: kept.count(user, State.PROPOSED),
        lambda: kept.decide(user, first, State.ACCEPTED),
        lambda: kept.edit(user, first, "a", "b"),
    ):
        with pytest.raises(NotAllowed):
            call()


def test_many_are_kept_in_portions_and_read_by_the_page(database: Database) -> None:
    kept = Proposals(database)
    added = kept.add(ADA, [draft(f"timeout {number} in 2.0?") for number in range(401)])
    assert len(added) == kept.count(ADA, State.PROPOSED) == 401
    assert [row["details"]["added"] for row in AuditLog(database).rows(ADA)] == [1, 200, 200]
    (last,) = kept.page(ADA, State.PROPOSED, offset=400, limit=10)
    assert last.draft.gold.question == "timeout 400 in 2.0?"
