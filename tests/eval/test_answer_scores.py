from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from corpora.indexing.embedding import TokenVectors
from eval.answer_summary import Summary, read_verdicts, score_answers
from eval.answers import RecordedReply, read_answers, same_anchor, score_answer
from eval.figures import Mean, Share
from eval.gold import Asks, Fact, GoldError, GoldQuestion, GoldSource, QuestionKind
from eval.likeness import Likeness, alike_by

PDF = GoldSource(release="2.0", file="guide.pdf", page=4)
HTML = GoldSource(release="2.0", file="ref/limits.html", anchor="router.Line.timeout")


def gold(**changes: Any) -> GoldQuestion:
    fields: dict[str, Any] = {
        "id": "q-1",
        "product": "router",
        "question": "timeout in 2.0?",
        "kind": QuestionKind.RELEASE_SPECIFIC_DIFFERS,
        "gold_answer": "60 seconds",
        "must_include": (r"\b60\b",),
        "must_not_include": (r"timeout is 30",),
        "sources": (PDF,),
        "release": "2.0",
    }
    return GoldQuestion(**(fields | changes))


UNANSWERABLE = gold(
    kind=QuestionKind.UNANSWERABLE,
    sources=(),
    must_include=("not documented",),
    must_not_include=("port 17",),
)
UNKNOWN_RELEASE = gold(
    kind=QuestionKind.UNANSWERABLE, sources=(), release="9.0", release_not_in_corpora=True
)
COMPARISON = gold(
    kind=QuestionKind.COMPARE,
    must_include=("30", "60"),
    must_not_include=(),
    releases=("1.0", "2.0"),
    sources=(GoldSource(release="1.0", file="guide.pdf", page=3), PDF),
)


def cite(**changes: Any) -> dict[str, Any]:
    return {
        "page_id": 1,
        "document": "Guide",
        "file": "guide.pdf",
        "release": "2.0",
        "page": 4,
        "section": "Limits",
        "anchor": None,
        "quote": "The limit is 60 seconds.",
        **changes,
    }


def reply(**changes: Any) -> RecordedReply:
    fields = {
        "id": "q-1",
        "answer": "60 seconds.",
        "abstained": False,
        "release": "2.0",
        "release_status": "stated",
        "citations": [cite()],
        "seconds": 4.0,
        "model_calls": 1,
        "prompt_tokens": 380,
        "completion_tokens": 9,
        **changes,
    }
    return RecordedReply.model_validate(fields)


def test_a_right_reply_is_right_in_everything() -> None:
    score = score_answer(gold(), reply())

    assert score.correct
    assert score.release_right
    assert score.gold_page
    assert score.seconds == 4.0
    assert (score.model_calls, score.prompt_tokens, score.completion_tokens) == (1, 380, 9)
    assert not score.refused
    assert not score.cited_wrong_release
    assert not score.wrongly_refused
    assert not score.falsely_answered


@pytest.mark.parametrize(
    ("answer", "correct"),
    [
        ("SIXTY? no: 60 [1]", True),
        ("It is in the sources [60].", False),
        ("It says:\n\n> The limit is 60 seconds.", False),
        ("60, the Timeout is 30", False),
        ("", False),
    ],
)
def test_right_is_what_the_answer_says_itself(answer: str, correct: bool) -> None:
    assert score_answer(gold(), reply(answer=answer)).correct is correct


def test_the_latest_release_though_another_is_named_is_silently_wrong() -> None:
    latest = reply(release="3.0", release_status="latest")

    assert score_answer(gold(), latest).silently_wrong_release
    assert score_answer(UNKNOWN_RELEASE, latest).silently_wrong_release
    assert score_answer(COMPARISON, latest).silently_wrong_release
    assert (
        score_answer(gold(), latest.model_copy(update={"release": "2.0"})).silently_wrong_release
        is False
    )
    stated = latest.model_copy(update={"release_status": "stated"})
    assert score_answer(gold(), stated).silently_wrong_release is False
    assert score_answer(gold(release=None), latest).silently_wrong_release is None


def test_facts_are_counted_in_the_own_words_and_a_refusal_states_none() -> None:
    facts = (Fact(says="It is 60.", pattern="60"), Fact(says="It can be changed.", pattern="chang"))
    question = gold(facts=facts)

    assert score_answer(question, reply()).facts == Share(1, 2)
    assert score_answer(question, reply(answer="60, can be changed")).facts == Share(2, 2)
    assert score_answer(question, reply(abstained=True)).facts == Share(0, 2)
    assert score_answer(question, None).facts == Share(0, 2)


@pytest.mark.parametrize(
    ("answer", "complete"),
    [("1. `stop`\n2. `load`", True), ("1. `load`\n2. `stop`", False), ("`stop`", False)],
)
def test_steps_are_all_there_and_in_order(answer: str, complete: bool) -> None:
    question = gold(asks=Asks.HOW_TO, steps=("stop", "load"))

    assert score_answer(question, reply(answer=answer)).steps_complete is complete
    assert score_answer(question, reply(answer=answer, abstained=True)).steps_complete is False


def test_sentences_and_sources_are_weighed() -> None:
    answer = "The limit is 60 seconds [1]. The limit is 90 seconds [1]. Ask again."
    idle = cite(quote="Paint the door.")
    score = score_answer(gold(), reply(answer=answer, citations=[cite(), idle]))

    assert score.sentences_borne == Share(1, 3)
    assert score.sentences_unmarked == Share(1, 3)
    assert score.sources_idle == Share(1, 2)
    assert score.reads_as_answer


def test_a_sentence_of_the_cited_page_is_borne_beside_the_quote() -> None:
    answer = reply(answer="Restart the line afterwards [1].")
    page = "The limit is 60 seconds. Restart the line afterwards."

    assert score_answer(gold(), answer).sentences_borne == Share(0, 1)
    assert score_answer(gold(), answer, lambda product, c: page).sentences_borne == Share(1, 1)


def test_history_over_releases_may_cite_any() -> None:
    question = gold(asks=Asks.SINCE_WHEN)
    score = score_answer(question, reply(release=None, citations=[cite(), cite(release="1.0")]))

    assert score.cited_wrong_release is None
    assert score.release_right


def test_a_source_without_page_and_anchor_is_its_file() -> None:
    question = gold(sources=(GoldSource(release="2.0", file="guide.pdf"),))

    assert score_answer(question, reply()).gold_page is True
    assert score_answer(question, reply(citations=[cite(file="other.pdf")])).gold_page is False


def test_a_refusal_of_what_is_documented_is_wrong() -> None:
    score = score_answer(gold(), reply(answer="I don't know.", abstained=True, citations=[]))

    assert score.refused
    assert score.wrongly_refused
    assert not score.correct
    assert not score.gold_page


def test_a_refusal_that_shows_the_answer_is_wrong() -> None:
    score = score_answer(gold(), reply(answer="I couldn't find this: 60", abstained=True))

    assert not score.correct
    assert score.wrongly_refused
    assert score.reads_as_answer is None


@pytest.mark.parametrize(
    ("answer", "abstained", "correct"),
    [
        ("Port 17.", True, True),
        ("It is not documented in 2.0.", False, False),
        ("Use port 18.", False, False),
        ("It is not documented, but port 17 works.", False, False),
    ],
)
def test_unanswerable_is_right_only_when_refused(
    answer: str, abstained: bool, correct: bool
) -> None:
    score = score_answer(UNANSWERABLE, reply(answer=answer, abstained=abstained, citations=[]))

    assert (score.correct, score.falsely_answered) == (correct, not correct)
    assert score.gold_page is None


@pytest.mark.parametrize(("release", "right"), [("2.0", True), ("1.0", False), (None, False)])
def test_release_right_is_the_gold_release(release: str | None, right: bool) -> None:
    assert score_answer(gold(), reply(release=release)).release_right is right


def test_without_a_release_in_the_question_that_of_the_source_is_right() -> None:
    question = gold(kind=QuestionKind.NO_RELEASE, release=None)

    assert score_answer(question, reply(release="2.0")).release_right is True
    assert score_answer(question, reply(release="1.0")).release_right is False


@pytest.mark.parametrize(("release", "right"), [("2.0", True), ("1.0", False), (None, None)])
def test_release_of_a_refusal_counts_only_when_it_names_one(
    release: str | None, right: bool | None
) -> None:
    assert score_answer(UNANSWERABLE, reply(release=release)).release_right is right


@pytest.mark.parametrize(("status", "right"), [("unknown", True), ("stated", False)])
def test_a_release_without_documents_must_be_called_unknown(status: str, right: bool) -> None:
    answer = reply(release=None, release_status=status, abstained=True, citations=[])

    assert score_answer(UNKNOWN_RELEASE, answer).release_right is right


@pytest.mark.parametrize(
    ("changes", "release_right", "gold_page"),
    [
        ({}, True, True),
        ({"release_status": "stated"}, False, True),
        ({"citations": [cite()]}, False, False),
        ({"citations": [cite()], "compared_releases": ["1.0", "2.0"]}, True, False),
    ],
)
def test_a_comparison_needs_both_sides(
    changes: dict[str, Any], release_right: bool, gold_page: bool
) -> None:
    both = [cite(), cite(release="1.0", page=3)]
    compared = {"release_status": "compared", "answer": "30, then 60", "citations": both}
    score = score_answer(COMPARISON, reply(**{"release": None, **compared, **changes}))

    assert score.correct
    assert score.release_right is release_right
    assert score.gold_page is gold_page
    assert not score.cited_wrong_release


def test_one_citation_of_another_release_is_one_too_many() -> None:
    assert score_answer(gold(), reply(citations=[cite(), cite(release="1.0")])).cited_wrong_release
    assert score_answer(COMPARISON, reply(citations=[cite(release="3.0")])).cited_wrong_release


@pytest.mark.parametrize(
    ("citation", "gold_page"),
    [
        (cite(file="router/2.0/guide.pdf"), True),
        (cite(page=5), False),
        (cite(file="my-guide.pdf"), False),
        (cite(release="1.0"), False),
    ],
)
def test_the_gold_page_of_a_pdf(citation: dict[str, Any], gold_page: bool) -> None:
    assert score_answer(gold(), reply(citations=[citation])).gold_page is gold_page


def test_the_gold_anchor_of_a_web_page() -> None:
    question = gold(sources=(HTML,))
    right = cite(file="ref/limits.html", page=1, anchor="router.Line.timeout")

    assert score_answer(question, reply(citations=[right])).gold_page is True
    assert score_answer(question, reply(citations=[right | {"anchor": None}])).gold_page is False
    assert score_answer(question, reply(citations=[cite(), right])).gold_page is True


@pytest.mark.parametrize(
    ("anchor", "same"),
    [
        ("Line.timeout", True),
        ("Line", True),
        ("Line.timeout.unit", True),
        ("Line.timeout_unit", False),
        ("Lin", False),
        ("Line.retries", False),
        (None, False),
    ],
)
def test_an_anchor_matches_its_owner_and_its_members(anchor: str | None, same: bool) -> None:
    assert same_anchor(anchor, "Line.timeout") is same


@pytest.mark.parametrize("failed", [None, RecordedReply(id="q-1", error="out of memory")])
def test_a_failed_reply_is_right_in_nothing(failed: RecordedReply | None) -> None:
    for question in (gold(), UNANSWERABLE, UNKNOWN_RELEASE):
        score = score_answer(question, failed)

        assert score.error
        assert not score.correct
        assert not score.refused
        assert not score.falsely_answered
    assert score_answer(gold(), failed).release_right is False
    assert score_answer(gold(), failed).gold_page is False
    assert score_answer(UNKNOWN_RELEASE, failed).release_right is False


@pytest.fixture
def summary() -> Summary:
    questions = [gold(id=f"a-{n}") for n in range(10)]
    questions.append(gold(id="u-1", kind=QuestionKind.UNANSWERABLE, sources=()))
    replies = {f"a-{n}": reply(seconds=float(n)) for n in range(1, 10)}
    replies["a-1"] = reply(answer="I don't know", abstained=True, seconds=1.0)
    replies["u-1"] = reply(answer="17", seconds=10.0, citations=[cite(release="1.0")])
    return score_answers(questions, replies)


def test_counts_are_of_all_that_a_rule_applies_to(summary: Summary) -> None:
    overall = summary.overall

    assert overall.shares["failed"] == Share(1, 11)
    assert overall.shares["correct"] == Share(8, 11)
    assert overall.shares["wrongly_refused"] == Share(1, 10)
    assert overall.shares["rightly_refused"] == Share(0, 1)
    assert overall.shares["falsely_answered"] == Share(1, 1)
    assert overall.shares["release_right"] == Share(10, 11)
    assert overall.shares["cited_wrong_release"] == Share(1, 11)
    assert overall.shares["gold_page"] == Share(9, 10)
    assert (overall.median_seconds, overall.p90_seconds, overall.timed) == (5.5, 9.0, 10)
    assert (overall.model_calls, overall.prompt_tokens) == (10, 3800)


def test_kinds_are_counted_apart_in_a_fixed_order(summary: Summary) -> None:
    assert [(group.name, group.shares["correct"]) for group in summary.kinds] == [
        ("release_specific_differs", Share(8, 10)),
        ("unanswerable", Share(0, 1)),
    ]


def test_what_a_reader_says_stands_beside(tmp_path: Path) -> None:
    path = tmp_path / "verdicts.jsonl"
    path.write_text('{"id": "q-1", "right": false, "note": "no unit"}\n')
    found = score_answers([gold(), gold(id="q-2")], {"q-1": reply()}, verdicts=read_verdicts(path))

    assert found.overall.shares["correct"] == Share(1, 2)
    assert found.overall.shares["judged"] == Share(0, 1)
    path.write_text('{"id": "q-1", "right": "yes"}\n')
    with pytest.raises(GoldError, match="line 1: right: "):
        read_verdicts(path)


def test_what_is_asked_is_counted_apart() -> None:
    found = score_answers([gold(asks=Asks.VALUE), gold(id="q-2")], {"q-1": reply()})

    assert [(group.name, group.shares["correct"]) for group in found.asks] == [
        ("value", Share(1, 1))
    ]


def test_likeness_changes_no_verdict_and_is_of_own_words_alone() -> None:
    def vectors(texts: Sequence[str]) -> list[TokenVectors]:
        return [TokenVectors(tuple(t.split()), np.ones((len(t.split()), 1))) for t in texts]

    answer = "60 seconds [1].\n\n> The limit is 60 seconds."
    questions = [gold(), gold(id="q-2"), gold(id="q-3")]
    replies = {"q-1": reply(answer=answer), "q-2": reply(answer=answer, abstained=True)}
    found = score_answers(questions, replies, alike=alike_by(vectors))
    said, refused, missing = (score.likeness for score in found.scores)

    assert said == Likeness(bert_score=1, rouge_1=1, rouge_l=1, entity_jaccard=1, fact_overlap=None)
    assert refused == missing
    assert missing == Likeness(
        bert_score=0, rouge_1=0, rouge_l=0, entity_jaccard=0, fact_overlap=None
    )
    assert found.overall.likeness["rouge_1"] == Mean(pytest.approx(1 / 3), 3)
    without = score_answers(questions, replies)
    assert {**asdict(found.overall), "likeness": None} == {
        **asdict(without.overall),
        "likeness": None,
    }
    assert without.overall.likeness["rouge_1"] == Mean(None, 0)
    assert score_answer(UNANSWERABLE, reply(), alike=alike_by(vectors)).likeness is None
    assert json.loads(json.dumps(asdict(found)))["scores"][0]["likeness"]["rouge_1"] == 1


def test_the_summary_is_json(summary: Summary) -> None:
    written = json.loads(json.dumps(asdict(summary)))

    assert written["overall"]["shares"]["correct"] == {"hits": 8, "of": 11}
    assert written["scores"][1]["kind"] == "release_specific_differs"
    assert written["kinds"][1]["name"] == "unanswerable"


def test_a_share_of_nothing_has_no_ratio() -> None:
    assert Share(0, 0).ratio is None
    assert Share(1, 4).ratio == 0.25


def test_answers_are_read_by_id_and_the_last_line_counts(tmp_path: Path) -> None:
    path = tmp_path / "answers.jsonl"
    path.write_text('{"id": "q-1", "error": "busy"}\n\n{"id": "q-1", "answer": "60"}\n')

    assert read_answers(path) == {"q-1": RecordedReply(id="q-1", answer="60")}


@pytest.mark.parametrize("line", ["{", "[]", '{"answer": "60"}'])
def test_a_broken_line_of_answers_is_named(tmp_path: Path, line: str) -> None:
    path = tmp_path / "answers.jsonl"
    path.write_text(f'{{"id": "q-1"}}\n{line}\n')

    with pytest.raises(GoldError, match=r"answers\.jsonl, line 2: "):
        read_answers(path)


def test_answers_to_other_questions_are_not_scored() -> None:
    with pytest.raises(GoldError, match="none of the answers"):
        score_answers([gold()], {"other": reply()})
