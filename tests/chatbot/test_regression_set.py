import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chatbot.chatbot import Chatbot
from chatbot.errors import NoGold
from chatbot.review.ratings import Ratings
from chatbot.review.regression_set import RegressionSet, must_include
from eval.answer_summary import Summary, score_answers
from eval.answers import read_answers
from eval.asking import ask_all
from eval.gold import GoldQuestion, gold_lines, read_gold
from eval.sets.regression import regression_set
from tests.chatbot.test_review_turns import ADMIN, own

RATE = "What rate has port XF-1 in 17.20?"
DEFAULT = "What rate has port XF-1?"
GONE = "How do I turn warp_drive on in 17.10?"
NOWHERE = "What rate has port XF-1 in 5.5?"
BOTH = "What rate has port XF-1 in 17.10 and in 17.20?"
LOG = "How long is the event log kept in 17.20?"


@dataclass
class Reviewed:
    """A chatbot whose answers are rated, and what came of them."""

    chatbot: Chatbot
    folder: Path

    @property
    def set(self) -> RegressionSet:
        return RegressionSet(self.chatbot.database)

    def ask(self, *questions: str) -> int:
        """Ask questions in a conversation of their own; return the last turn."""
        conversation = self.chatbot.conversations.start("relay", questions[0])
        for question in questions:
            turn = self.chatbot.ask(question, conversation=conversation).kept_as
        assert turn is not None
        return turn

    def rate(self, turn: int, rating: str = "good", **more: str) -> int:
        Ratings(self.chatbot.database).change(ADMIN, turn, rating=rating, **more)
        self.set.add(ADMIN, turn)
        return turn

    def gold(self) -> tuple[GoldQuestion, ...]:
        """The set as `strata eval answers` reads it."""
        file = self.folder / "set.jsonl"
        # The history lies in a database of its own, in which no page serves.
        kept = regression_set(self.chatbot.database, stale=True)
        file.write_text("".join(gold_lines(kept)), "utf-8")
        return read_gold(file)

    def evaluated(self) -> Summary:
        """Ask the set anew, and score it, as `strata eval answers` does."""
        gold, replies = self.gold(), self.folder / "replies.jsonl"
        ask_all(self.chatbot, gold, replies, lambda progress: None)
        return score_answers(gold, read_answers(replies))


@pytest.fixture
def reviewed(relay: Callable[[Any], Chatbot], tmp_path: Path) -> Iterator[Reviewed]:
    chatbot = own(relay(None), tmp_path)
    yield Reviewed(chatbot, tmp_path)
    chatbot.database.close()


def test_what_was_rated_good_passes_the_evaluation_of_the_exported_file(reviewed: Reviewed) -> None:
    for questions in ((RATE,), (DEFAULT,), (GONE,), (NOWHERE,), (BOTH,), (RATE, "And XF-2?")):
        reviewed.rate(reviewed.ask(*questions))
    reviewed.rate(reviewed.ask(LOG), "bad", corrected_answer="It is kept for 30 days.")
    summary = reviewed.evaluated()
    overall = summary.overall
    assert str(overall.shares["correct"]) == "7/7"
    assert overall.shares["failed"].hits == 0
    assert overall.shares["release_right"].ratio == 1
    assert overall.shares["rightly_refused"].hits == 2
    assert str(overall.shares["gold_page"]) == "4/4"
    assert len({score.kind for score in summary.scores}) == 5


def test_another_answer_than_the_one_rated_fails(reviewed: Reviewed) -> None:
    turn = reviewed.rate(reviewed.ask(RATE))
    wrong = reviewed.chatbot.ask("What rate has port XF-1 in 17.10?").content
    (score,) = score_answers(reviewed.gold(), {f"regression-turn-{turn}": wrong}).scores
    told = (score.correct, score.release_right, score.cited_wrong_release)
    assert told == (False, False, True)


def test_the_right_release_of_a_wrong_one_is_asked_for(reviewed: Reviewed) -> None:
    turn = reviewed.ask(DEFAULT)
    with pytest.raises(NoGold, match="name the right one first"):
        reviewed.rate(turn, "wrong release", corrected_answer="10 Gbit/s")
    reviewed.rate(turn, "wrong release", corrected_answer="10 Gbit/s", corrected_release="17.20")
    question = reviewed.gold()[0]
    assert (question.release, question.sources) == ("17.20", ())
    assert reviewed.evaluated().scores[0].release_right is False


@pytest.mark.parametrize(
    ("questions", "rating", "reason"),
    [
        ((RATE,), "", "rate it first"),
        ((RATE,), "bad", "write the corrected one first"),
        (("Which releases are there?",), "good", "of no single release"),
    ],
)
def test_what_the_evaluation_could_not_check_is_refused(
    reviewed: Reviewed, questions: tuple[str, ...], rating: str, reason: str
) -> None:
    turn = reviewed.ask(*questions)
    with pytest.raises(NoGold, match=reason):
        reviewed.rate(turn, rating)
    assert regression_set(reviewed.chatbot.database) == ()


@given(st.text(max_size=200))
def test_patterns_are_found_in_the_text_they_are_made_of(text: str) -> None:
    for pattern in must_include(text):
        assert re.search(pattern, text, re.IGNORECASE)


@pytest.mark.parametrize(
    ("text", "accepted", "refused"),
    [
        ("300 s", "It is 300 seconds.", "It is 3000 s."),
        ("hold_time is 2.5", "2.5 (hold_time)", "hold_time is 2.51"),
        ("client", "The port is for a client.", "It is for lines."),
        ("XF-1: 10 Gbit/s", "xf-1 runs at 10 Gbit/s", "xf-2 runs at 10 Gbit/s"),
    ],
)
def test_what_has_to_be_said_are_figures_and_names(text: str, accepted: str, refused: str) -> None:
    def has_all(answer: str) -> bool:
        return all(re.search(p, answer, re.IGNORECASE) for p in must_include(text))

    assert has_all(accepted)
    assert not has_all(refused)


# A line of the file ends only with its question, whatever stands in it.
ODD = '10 Gbit/s\u2028and \x85 \x0c \U0001f600 "quoted", but only with the XF-1L card.'


@pytest.mark.parametrize(("corrected", "answerable"), [(ODD, True), ("I don't know", False)])
def test_a_corrected_answer_is_what_counts(
    reviewed: Reviewed, corrected: str, answerable: bool
) -> None:
    reviewed.rate(reviewed.ask(RATE), "incomplete", corrected_answer=corrected)
    (question,) = reviewed.gold()
    score = reviewed.evaluated().scores[0]
    assert score.answerable is answerable
    assert not (score.correct and "XF-1L" in corrected)
    assert score.rightly_refused is (None if answerable else False)
    assert question.gold_answer == corrected or not answerable


def test_a_turn_can_be_taken_out(reviewed: Reviewed) -> None:
    turn = reviewed.rate(reviewed.ask(RATE))
    (question,) = reviewed.gold()
    assert (question.question, question.product) == (RATE, "relay")
    assert reviewed.set.remove(ADMIN, turn).rating == "good"
    assert regression_set(reviewed.chatbot.database) == ()
