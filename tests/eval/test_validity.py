"""Right answers damaged on purpose, and judges that see it or not."""

import json

import pytest

from chatbot.models.scripted import Rule, ScriptedChatModel
from eval.gold import GoldError, GoldQuestion
from eval.judging.damage import DAMAGES
from eval.judging.judge import Judge
from eval.judging.validity import check_validity, damaged_cases, figures, most_answers, unseen


def gold(answer: str, *must: str, **fields: object) -> GoldQuestion:
    row = {
        "id": answer[:20],
        "product": "lamp",
        "question": "How long, in 2.0, with 3 lamps?",
        "kind": "same_in_all",
        "gold_answer": answer,
        "must_include": must or (r"\w",),
        "release": "2.0",
        **fields,
    }
    return GoldQuestion.model_validate(row)


OTHER = gold("It is so.", id="other", release="1.0")


@pytest.mark.parametrize(
    ("kind", "question", "damaged"),
    [
        ("unit", gold("It takes 300 ms.", r"\b300\b"), "It takes 300 s."),
        ("unit", gold("With 12 V it takes 3 hours.", "3 hours"), "With 12 V it takes 3 days."),
        ("unit", gold("Three."), None),
        ("figure", gold("In 2.0 it takes 300 ms.", r"\b300\b"), "In 2.0 it takes 450 ms."),
        ("figure", gold("1. Wait.\n2. Set 0.0 dBm.", r"\b0\.0"), "1. Wait.\n2. Set 1.5 dBm."),
        ("figure", gold("1.2.0 or later.", r"1\.2\.0"), "1.3.0 or later."),
        ("figure", gold("With 3 lamps."), None),
        (
            "release",
            gold("After 300 s.", r"\b300\b", must_not_include=(r"\b600\b",)),
            "After 600 s.",
        ),
        ("release", gold("In 2.0 it is so."), "In 1.0 it is so."),
        ("release", gold("It is so."), None),
        (
            "part",
            gold("1. Stop it. 2. Start it.", steps=("Stop", "Start")),
            "1. Stop it.",
        ),
        ("part", gold("Run `a; b` to stop."), None),
        ("sense", gold("Yes, it is."), "No, it is."),
        ("sense", gold("It is enabled."), "It is disabled."),
        ("sense", gold("It is not here."), "It is here."),
        ("sense", gold("It is `enabled`."), "It is not `enabled`."),
        ("sense", gold("30 s."), None),
    ],
)
def test_an_answer_is_damaged(kind: str, question: GoldQuestion, damaged: str | None) -> None:
    assert DAMAGES[kind].damaged(question, (question, OTHER)) == damaged


def test_a_damaged_answer_is_the_same_each_time() -> None:
    questions = [gold("It takes 300 ms.", r"\b300\b"), OTHER]
    assert damaged_cases(questions, 5) == damaged_cases(questions, 5)
    assert len(damaged_cases(questions, 1)) < len(damaged_cases(questions, 5))


RIGHT = {"steps": ["correct"] * 8, "reason": "", "score": 5}
WRONG = {"steps": ["incorrect"] * 8, "reason": "another value", "score": 0}
ALONE = Rule(contains="score alone", reply="5")


def attributed(*words: str) -> str:
    made = [{"number": i, "verdict": word, "reason": ""} for i, word in enumerate(words, 1)]
    return json.dumps({"verdicts": made})


SEES_INVENTIONS = (
    Rule(step="judge_attribution", contains="17 days", reply=attributed("full", "none")),
    Rule(step="judge_attribution", reply=attributed("full")),
)


def test_a_judge_that_sees_everything_passes() -> None:
    right = r"<answer>\n(?:Thank you[^<]*)?It takes 300 ms"
    model = ScriptedChatModel(
        rules=(
            ALONE,
            *SEES_INVENTIONS,
            Rule(step="judge_correctness", matches=right, reply=json.dumps(RIGHT)),
            Rule(step="judge_correctness", reply=json.dumps(WRONG)),
        )
    )
    questions = [gold("It takes 300 ms.", r"\b300\b")]
    cases = damaged_cases(questions, 5)
    scored = check_validity(Judge(model), questions, cases)
    found = {name: seen.of for name, seen in figures(scored).items() if seen.of}
    assert found == {"unit": 1, "figure": 1, "invented": 1, "padded": 1}
    assert unseen(scored, 1.0) == []
    # The right answer is judged once, and the first call of all shows there are no probabilities.
    assert len(model.calls) == most_answers(cases) + 1


def test_a_judge_that_likes_everything_fails() -> None:
    model = ScriptedChatModel(
        rules=(
            ALONE,
            Rule(step="judge_correctness", reply=json.dumps(RIGHT)),
            Rule(step="judge_attribution", contains="17 days", reply=attributed("full", "full")),
            *SEES_INVENTIONS,
        )
    )
    questions = [gold("It takes 300 ms.", r"\b300\b")]
    cases = check_validity(Judge(model), questions, damaged_cases(questions, 5))
    assert unseen(cases, 0.8) == ["unit", "figure", "invented"]


def test_a_judge_that_dislikes_length_fails() -> None:
    model = ScriptedChatModel(
        rules=(
            ALONE,
            *SEES_INVENTIONS,
            Rule(step="judge_correctness", contains="Thank you", reply=json.dumps(WRONG)),
            Rule(step="judge_correctness", reply=json.dumps(RIGHT)),
        )
    )
    questions = [gold("Three.")]
    cases = check_validity(Judge(model), questions, damaged_cases(questions, 5))
    assert unseen(cases, 0.8) == ["padded"]


def test_a_judge_that_nobody_can_read_sees_nothing() -> None:
    model = ScriptedChatModel(otherwise="lovely")
    questions = [gold("It takes 300 ms.", r"\b300\b")]
    cases = check_validity(Judge(model), questions, damaged_cases(questions, 5))
    assert {case.seen for case in cases} == {None}
    assert all(case.reason.startswith("unreadable") for case in cases)
    assert {seen.of for seen in figures(cases).values()} == {0}
    assert set(unseen(cases, 0.8)) == {"unit", "figure", "invented", "padded"}


def test_there_has_to_be_an_answer_to_damage() -> None:
    nothing = gold("It is not said.", kind="unanswerable")
    with pytest.raises(GoldError, match="none of the questions"):
        damaged_cases([nothing], 5)


def test_the_judge_sees_the_conversation_before_the_question() -> None:
    follow_up = gold("It takes 300 ms.", r"\b300\b", history=(("Which lamp?", "The blue one."),))
    model = ScriptedChatModel(otherwise="no form")
    check_validity(Judge(model), [follow_up], damaged_cases([follow_up], 1))
    asked = [call.messages[-1][1] for call in model.calls if "<question>" in call.messages[-1][1]]
    shown = [text for text in asked if "user: Which lamp?\nassistant: The blue one.\n" in text]
    assert shown == [text for text in asked if "<gold_answer>" in text] != []
