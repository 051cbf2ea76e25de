import pytest

from chatbot.conversations.feedback import DOWN, LONGEST_COMMENT, UP, Feedback
from chatbot.errors import BadInput
from corpora.database.engine import Database
from tests.chatbot.asked import asked
from tests.ui.payloads import PAYLOADS

pytestmark = pytest.mark.database


def told(feedback: Feedback, *turns: int) -> dict[int, tuple[int, str, str]]:
    found = feedback.of(turns)
    return {turn: (said.thumbs, said.reason, said.comment) for turn, said in found.items()}


def test_an_opinion_is_kept_replaced_and_withdrawn(database: Database) -> None:
    feedback = Feedback(database)
    turn, other = asked(database, "What is hold_time?"), asked(database, "And now?")
    feedback.give(turn, UP)
    assert told(feedback, turn, other) == {turn: (UP, "", "")}
    feedback.give(turn, DOWN, "wrong release", " It is from 17.10. ")
    assert told(feedback, turn) == {turn: (DOWN, "wrong release", "It is from 17.10.")}
    feedback.withdraw(turn)
    feedback.withdraw(turn)
    assert feedback.of([turn, other]) == {}


def test_what_cannot_be_kept_says_why_and_changes_nothing(database: Database) -> None:
    feedback = Feedback(database)
    turn = asked(database, "What is hold_time?")
    feedback.give(turn, UP, comment="x" * LONGEST_COMMENT)
    for wrong, why in (
        ((0,), "thumbs are 1 or -1, not 0"),
        ((DOWN, "boring"), "no reason 'boring': choose one of wrong release, wrong answer"),
        ((UP, "incomplete"), "it goes with thumbs down"),
        ((DOWN, "other", "x" * (LONGEST_COMMENT + 1)), "2,001 characters, the limit is 2,000"),
    ):
        with pytest.raises(BadInput, match=why):
            feedback.give(turn, *wrong)  # type: ignore[arg-type]
    assert told(feedback, turn) == {turn: (UP, "", "x" * LONGEST_COMMENT)}


def test_hostile_comments_are_kept_as_text_without_what_nobody_sees(database: Database) -> None:
    feedback = Feedback(database)
    turn = asked(database, "What is hold_time?")
    for payload in (*PAYLOADS, "nul\x00 and \u202eturned"):
        feedback.give(turn, DOWN, "other", payload[:LONGEST_COMMENT])
        kept = feedback.of([turn])[turn].comment
        assert kept.isprintable() or set(kept) & set("\n\t")
    assert kept == "nul and turned"
