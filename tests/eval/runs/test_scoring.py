"""What one answer of a run is worth, by hand."""

from typing import Any

import numpy as np
import pytest

from chatbot.reply import Reply
from corpora.indexing.embedding import TokenVectors
from eval.gold import GoldQuestion
from eval.judging.judge import UNREADABLE, JudgeScore
from eval.likeness import alike_by
from eval.runs.folder import AnswerRecord, ContextText, FoundPage
from eval.runs.measures import MEASURES
from eval.runs.scoring import Scorer, figures, score_record, wrong_release
from tests.eval.made_gold import gold

SCORER = Scorer(
    page_text=lambda product, citation: "",
    alike=alike_by(
        lambda texts: [TokenVectors((), np.empty((0, 1), np.float32)) for _ in texts],
        lambda texts: np.ones((len(texts), 1), np.float32),
    ),
    newest={"router": "2.0"},
)


def cite(release: str) -> dict[str, Any]:
    place = {"document": "Guide", "file": "guide.pdf", "page": 4, "section": "", "anchor": None}
    return {**place, "release": release, "quote": "60 s", "page_id": 1}


def given(release: str) -> ContextText:
    return ContextText(release=release, file="guide.pdf", page=4, text="The timeout is 60 s.")


def answered(*context: str, **reply: Any) -> AnswerRecord:
    said = {"answer": "60 seconds [1].", "citations": [], **reply}
    return AnswerRecord(
        id="q-1",
        reply=Reply.model_validate(said),
        context=tuple(map(given, context)),
        retrieved=(FoundPage(release="2.0", file="guide.pdf", page=4),),
        calls=2,
        prompt_tokens=300,
    )


@pytest.mark.parametrize(
    ("record", "wrong"),
    [
        (answered("1.0", "2.0", citations=[cite("1.0")]), True),
        (answered("1.0", "2.0", citations=[cite("2.0")]), False),
        # It says something of the release that is meant, and `cited_wrong_release` says the rest.
        (answered(citations=[cite("1.0"), cite("2.0")]), False),
        # What cites nothing rests on all that it was given, if it does not say more.
        (answered("1.0", "1.0"), True),
        (answered("1.0", "2.0"), False),
        (answered("1.0", "2.0", release="1.0"), True),
        (answered(), False),
        (answered("1.0", answer="I don't know.", abstained=True), False),
        (AnswerRecord(id="q-1", error="out of memory"), None),
    ],
)
def test_an_answer_is_from_a_wrong_release_if_it_rests_on_no_other(
    record: AnswerRecord, wrong: bool | None
) -> None:
    assert wrong_release(gold(), record) is wrong


def test_what_may_rest_on_any_release_is_from_no_wrong_one() -> None:
    since = gold(asks="since_when", kind="no_release", release=None)
    assert wrong_release(since, answered(citations=[cite("1.0")])) is None


@pytest.mark.parametrize(
    ("said", "share"),
    [
        ("It is 300 ms, for 5 minutes.", 1),
        ("It is `300ms`, for 5 min", 1),
        ("It is 300 s, for 5 minutes.", 0.5),
        ("It is 1300 ms and 5 h.", 0),
        ("It is short.", 0),
    ],
)
def test_a_figure_is_matched_with_its_unit(said: str, share: float) -> None:
    asked = gold(gold_answer="300 ms, for at most 5 min.")
    assert figures(asked, Reply(answer=said)).ratio == share
    assert figures(gold(gold_answer="It is off."), Reply(answer=said)).ratio is None
    assert figures(asked, Reply(answer=said, abstained=True)).ratio == 0


@pytest.mark.parametrize(
    ("asked", "column"),
    [
        (gold(release="1.0"), "right_older"),
        (gold(), "right_newest"),
        (gold(release=None), "right_newest"),
        (gold(kind="unanswerable"), "right_held_out"),
        (gold(kind="compare", releases=["1.0", "2.0"]), None),
    ],
)
def test_a_question_is_in_one_column_of_lockdocs(asked: GoldQuestion, column: str | None) -> None:
    values = SCORER.values(asked, answered(citations=[cite("2.0")]))
    columns = ("right_older", "right_newest", "right_held_out")
    assert [name for name in columns if values[name] is not None] == ([column] if column else [])


def test_everything_that_is_scored_has_a_name() -> None:
    values = SCORER.values(gold(), answered("2.0", "1.0", "1.0", citations=[cite("2.0")]))
    assert values.keys() <= MEASURES.keys()
    by_rule = {name for name, measure in MEASURES.items() if measure.group != "judge"}
    assert values.keys() == by_rule
    assert values["context_other_release"] == pytest.approx(2 / 3)
    assert (values["correct"], values["model_calls"], values["mrr"]) == (1, 2, 1)


def test_a_judge_is_shown_releases_and_what_each_sentence_cites() -> None:
    asked = gold(history=[["Is there a timer?", "Yes."]], facts=[{"says": "60 s", "pattern": "60"}])
    record = answered("2.0", answer="60 seconds [1]. It beeps.", citations=[cite("2.0")])
    judged = SCORER.judged(asked, record)
    assert judged.question == "user: Is there a timer?\nassistant: Yes.\ntimeout in 2.0?"
    assert judged.context == ("Release 2.0 › guide.pdf:\nThe timeout is 60 s.",)
    assert judged.facts == ("60 s",)
    assert [(text, len(texts)) for text, texts in judged.cited] == [
        ("60 seconds.", 1),
        ("It beeps.", 0),
    ]


def test_what_a_judge_cannot_say_is_told_apart_from_what_does_not_apply() -> None:
    judged = (
        JudgeScore("faithfulness", 0.5, "one of two"),
        JudgeScore("nuggets", None, unscored=f"{UNREADABLE}: no JSON"),
        JudgeScore("attribution", None, unscored="does not apply: no sentence has a mark"),
    )
    record = score_record("naive", answered(), {"correct": 1.0}, judged)
    assert record.values == {
        "correct": 1.0,
        "faithfulness": 0.5,
        "nuggets": None,
        "attribution": None,
    }
    assert record.unscored == {"nuggets": f"{UNREADABLE}: no JSON"}
    assert record.reasons == {"faithfulness": "one of two"}
