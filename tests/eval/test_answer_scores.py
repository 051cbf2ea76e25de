"""What is right and wrong about a reply to a question, and how that is counted and shown."""

import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from rich.console import Console

from chatbot.tuning.instructions import Instruction, Split
from corpora.indexing.embedding import TokenVectors
from eval.answer_summary import answer_tables, read_verdicts, score_answers
from eval.answers import RecordedReply, read_answers, score_answer
from eval.figures import Mean, Share
from eval.gold import GoldError, GoldQuestion
from eval.likeness import Likeness, alike_by
from eval.own_words import own_words, sentences
from eval.tuned import figures, score_reply
from tests.chatbot.tuning.made_instruction import made_instruction
from tests.eval.made_gold import gold

PDF = {"release": "2.0", "file": "guide.pdf", "page": 4}
HTML = {"release": "2.0", "file": "ref/limits.html", "anchor": "Line.timeout"}


UNANSWERABLE = gold(kind="unanswerable", sources=[], must_include=["not documented"])
UNKNOWN_RELEASE = gold(kind="unanswerable", sources=[], release="9.0", release_not_in_corpora=True)
COMPARISON = gold(
    kind="compare",
    must_include=["30", "60"],
    must_not_include=[],
    releases=["1.0", "2.0"],
    sources=[{"release": "1.0", "file": "guide.pdf", "page": 3}, PDF],
)
NO_RELEASE = gold(kind="no_release", release=None)
SINCE_WHEN = gold(asks="since_when")
IN_HTML = gold(sources=[HTML])
IN_FILE = gold(sources=[{"release": "2.0", "file": "guide.pdf"}])
STATED_FACTS = [{"says": "It is 60.", "pattern": "60"}, {"says": "It varies.", "pattern": "chang"}]
FACTS, STEPS = gold(facts=STATED_FACTS), gold(asks="how_to", steps=["stop", "load"])


def cite(**changes: Any) -> dict[str, Any]:
    place = {"file": "guide.pdf", "release": "2.0", "page": 4, "section": "Limits", "anchor": None}
    quote = "The limit is 60 seconds."
    return {"page_id": 1, "document": "Guide", "quote": quote, **place, **changes}


def reply(**changes: Any) -> RecordedReply:
    fields = {"id": "q-1", "answer": "60 seconds.", "abstained": False, "citations": [cite()]}
    fields |= {"release": "2.0", "release_status": "stated"}
    fields |= {"seconds": 4.0, "model_calls": 1, "prompt_tokens": 380}
    return RecordedReply.model_validate(fields | changes)


REFUSED = {"answer": "60, but I don't know.", "abstained": True}
LATEST = {"release": "3.0", "release_status": "latest"}
COMPARED = {
    "answer": "30, then 60",
    "release": None,
    "release_status": "compared",
    "citations": [cite(), cite(release="1.0", page=3)],
}
SECTION = {"file": "ref/limits.html", "anchor": "Line.timeout"}


@pytest.mark.parametrize(
    ("question", "changes", "scored"),
    [
        (
            gold(),
            {},
            {"correct": True, "release_right": True, "gold_page": True, "refused": False}
            | {"silently_wrong_release": False, "cited_wrong_release": False, "seconds": 4.0},
        ),
        # Right is what the answer says itself.
        (gold(), {"answer": "SIXTY? no: 60 [1]"}, {"correct": True}),
        (gold(), {"answer": "It is in the sources [60]."}, {"correct": False}),
        (gold(), {"answer": "It says:\n\n> The limit is 60 seconds."}, {"correct": False}),
        (gold(), {"answer": "60, the Timeout is 30"}, {"correct": False}),
        # Refusals.
        (gold(), REFUSED, {"correct": False, "wrongly_refused": True, "rightly_refused": None}),
        (UNANSWERABLE, REFUSED, {"correct": True, "rightly_refused": True, "gold_page": None}),
        (UNANSWERABLE, {"answer": "not documented"}, {"correct": False, "rightly_refused": False}),
        # The release.
        (gold(), LATEST, {"silently_wrong_release": True, "release_right": False}),
        (gold(), {**LATEST, "release": "2.0"}, {"silently_wrong_release": False}),
        (gold(), {"release": "3.0"}, {"silently_wrong_release": False, "release_right": False}),
        (UNKNOWN_RELEASE, LATEST, {"silently_wrong_release": True, "release_right": False}),
        (UNKNOWN_RELEASE, {"release_status": "unknown"}, {"release_right": True}),
        (UNANSWERABLE, {"release": None}, {"release_right": None}),
        (NO_RELEASE, {**LATEST, "release": "2.0"}, {"release_right": True}),
        (NO_RELEASE, LATEST, {"silently_wrong_release": None, "release_right": False}),
        (COMPARISON, LATEST, {"silently_wrong_release": True}),
        (COMPARISON, COMPARED, {"correct": True, "release_right": True, "gold_page": True}),
        (COMPARISON, {**COMPARED, "release_status": "stated"}, {"release_right": False}),
        (COMPARISON, {**COMPARED, "citations": [cite()]}, {"release_right": False}),
        (
            COMPARISON,
            {**COMPARED, "citations": [cite()], "compared_releases": ["1.0", "2.0"]},
            {"release_right": True, "gold_page": False},
        ),
        # What is cited.
        (gold(), {"citations": [cite(), cite(release="1.0")]}, {"cited_wrong_release": True}),
        (COMPARISON, {"citations": [cite(release="3.0")]}, {"cited_wrong_release": True}),
        (
            SINCE_WHEN,
            {"release": None, "citations": [cite(), cite(release="1.0")]},
            {"cited_wrong_release": None, "release_right": True},
        ),
        (gold(), {"citations": [cite(file="router/2.0/guide.pdf")]}, {"gold_page": True}),
        (gold(), {"citations": [cite(page=5)]}, {"gold_page": False}),
        (gold(), {"citations": [cite(file="my-guide.pdf")]}, {"gold_page": False}),
        (gold(), {"citations": [cite(release="1.0")]}, {"gold_page": False}),
        (IN_HTML, {"citations": [cite(), cite(**SECTION)]}, {"gold_page": True}),
        (IN_HTML, {"citations": [cite(**SECTION | {"anchor": None})]}, {"gold_page": False}),
        (IN_HTML, {"citations": [cite(**SECTION | {"anchor": "Line"})]}, {"gold_page": True}),
        (IN_HTML, {"citations": [cite(**SECTION | {"anchor": "Line.time"})]}, {"gold_page": False}),
        (IN_FILE, {"citations": [cite(page=9)]}, {"gold_page": True}),
        # Facts and steps.
        (FACTS, {}, {"facts": Share(1, 2)}),
        (FACTS, {"answer": "60, can be changed"}, {"facts": Share(2, 2)}),
        (FACTS, REFUSED, {"facts": Share(0, 2)}),
        (STEPS, {"answer": "1. `stop`\n2. `load`"}, {"steps_complete": True}),
        (STEPS, {"answer": "1. `load`\n2. `stop`"}, {"steps_complete": False}),
        (STEPS, {"answer": "stop, load", "abstained": True}, {"steps_complete": False}),
    ],
)
def test_a_reply_is_scored(
    question: GoldQuestion, changes: dict[str, Any], scored: dict[str, Any]
) -> None:
    score = score_answer(question, reply(**changes))
    assert {name: getattr(score, name) for name in scored} == scored


def test_each_sentence_is_held_against_what_it_cites() -> None:
    answer = "The limit is 60 seconds [1]. The limit is 90 seconds [1]. Set it to 5 s, 7 s [2]."
    citations = [cite(), cite(quote="Set it.")]
    score = score_answer(gold(), reply(answer=f"{answer} Ask again.", citations=citations))
    assert score.sentences_unsupported == Share(2, 4)
    assert score.sentences_unmarked == Share(1, 4)

    page = "Set it. It goes from 5 s to 7 s."
    scored = score_answer(gold(), reply(answer=answer, citations=citations), lambda p, c: page)
    assert scored.sentences_unsupported == Share(1, 3)


@pytest.mark.parametrize("failed", [None, RecordedReply(id="q-1", error="out of memory")])
def test_a_failed_reply_is_right_in_nothing(failed: RecordedReply | None) -> None:
    for question in (gold(), UNANSWERABLE, UNKNOWN_RELEASE):
        score = score_answer(question, failed)
        assert score.error
        assert not any((score.correct, score.refused))
    assert score_answer(gold(), failed).release_right is False


def words(texts: Sequence[str]) -> list[TokenVectors]:
    return [TokenVectors(tuple(t.split()), np.ones((len(t.split()), 1), np.float32)) for t in texts]


ALIKE = alike_by(words, lambda texts: np.ones((len(texts), 1), np.float32))


def test_everything_is_counted_shown_and_json(tmp_path: Path) -> None:
    questions = [gold(id=f"a-{n}", asks="value" if n == 1 else None) for n in range(10)]
    questions.append(gold(id="u-1", kind="unanswerable", sources=[]))
    replies = {f"a-{n}": reply(seconds=float(n)) for n in range(1, 10)}
    replies["a-1"] = reply(**REFUSED, seconds=1.0)
    replies["u-1"] = reply(answer="17", seconds=10.0, citations=[cite(release="1.0")])
    path = tmp_path / "verdicts.jsonl"
    path.write_text('{"id": "a-2", "right": true, "reads_well": false, "note": "no unit"}\n')
    summary = score_answers(questions, replies, verdicts=read_verdicts(path), alike=ALIKE)

    overall = summary.overall
    names = "silently_wrong_release correct judged reads_well facts steps_complete"
    names += " sentences_unsupported sentences_unmarked rightly_refused wrongly_refused"
    names += " release_right cited_wrong_release gold_page failed"
    counted = "0/10 8/11 1/1 0/1 – – 1/9 9/9 0/1 1/10 10/11 1/11 9/10 1/11"
    assert [*overall.shares] == names.split()
    assert [str(share) for share in overall.shares.values()] == counted.split()
    assert (overall.median_seconds, overall.p90_seconds, overall.timed) == (5.5, 9.0, 10)
    assert (overall.model_calls, overall.prompt_tokens) == (10, 3800)
    assert [(group.name, str(group.shares["correct"])) for group in summary.kinds] == [
        ("release_specific_differs", "8/10"),
        ("unanswerable", "0/1"),
    ]
    assert [group.name for group in summary.asks] == ["value"]
    # A refusal and a missing reply say nothing; likeness is of the own words and decides nothing.
    assert overall.likeness["rouge_1"] == Mean(0.8, 10)
    nothing = Likeness(0, 0, 0, entity_jaccard=0, bleu=0, sim=0)
    assert [score.likeness for score in summary.scores[:2]] == [nothing, nothing]
    assert json.loads(json.dumps(asdict(summary)))["scores"][1]["kind"] == questions[1].kind

    console = Console(width=80, no_color=True, record=True)
    console.print(answer_tables(summary))
    assert "72.7%" in console.export_text()


@pytest.mark.parametrize("line", ["{", "[]", '{"answer": "60"}'])
def test_a_broken_line_of_answers_is_named(tmp_path: Path, line: str) -> None:
    path = tmp_path / "answers.jsonl"
    path.write_text(f'{{"id": "q-1"}}\n{line}\n')
    with pytest.raises(GoldError, match=r"answers\.jsonl, line 2: "):
        read_answers(path)
    path.write_text('{"id": "q-1", "error": "busy"}\n\n{"id": "q-1", "answer": "60"}\n')
    assert read_answers(path) == {"q-1": RecordedReply(id="q-1", answer="60")}
    with pytest.raises(GoldError, match="none of the answers"):
        score_answers([gold()], {"other": reply()})


ANSWER = """The timer is `set timer`[1]. It takes 5 s. [2]

Do this: [1]

1. Stop.
2. Start [2].

```
row[1] = 2
```

> The timer is 5 s.
"""


def test_the_own_words_have_no_marks_and_no_quotations() -> None:
    words = own_words(ANSWER)
    assert "[2]" not in words
    assert ">" not in words
    assert "row[1] = 2" in words


def test_a_block_carries_the_mark_of_what_leads_in() -> None:
    assert [(s.text, s.cited) for s in sentences(ANSWER)] == [
        ("The timer is `set timer`.", (1,)),
        ("It takes 5 s.", (2,)),
        ("Do this:", (1,)),
        ("Stop.", (1,)),
        ("Start.", (2,)),
        ("row[1] = 2", (1,)),
    ]


EVIDENCE = "<chunk>The port runs at 10 Gbit/s. The fuse is rated 2 A.</chunk> How fast is the port?"
RIGHT = "The port runs at 10 Gbit/s."


def instruction(reply: str) -> Instruction:
    return made_instruction(EVIDENCE, reply, Split.HELD_BACK)


def test_a_refusal_is_right_where_nothing_is_known_and_wrong_elsewhere() -> None:
    wrong = score_reply(instruction(RIGHT), "I don't know.")
    assert (wrong.wrongly_refused, wrong.facts.hits, wrong.sentences_unsupported.of) == (True, 0, 0)
    right = score_reply(instruction("I don't know"), "I don't know")
    made_up = score_reply(instruction("I don't know"), RIGHT)
    assert (right.rightly_refused, made_up.rightly_refused) == (True, False)
    found = figures([wrong, right, made_up])
    assert found["refused, rightly"] == Share(1, 2)
    assert found["refused, wrongly"] == Share(1, 1)


def test_a_right_reply_has_its_facts_and_is_supported_and_a_wrong_one_neither() -> None:
    right = score_reply(instruction(RIGHT), "At full speed the port runs at 10 Gbit/s.")
    assert right.facts.hits == right.facts.of > 0
    assert (right.rightly_refused, right.wrongly_refused) == (None, False)
    wrong = score_reply(instruction(RIGHT), "The port runs at 40 Gbit/s.")
    assert wrong.facts.hits < wrong.facts.of
    assert (right.sentences_unsupported, wrong.sentences_unsupported) == (Share(0, 1), Share(1, 1))
