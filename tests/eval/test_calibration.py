"""A judge held against labels of people, by figures computed by hand."""

import json
from pathlib import Path

import pytest

from eval.gold import GoldError
from eval.judging.calibration import Label, best_threshold, calibrate, read_labels
from eval.judging.judge import JudgeScore


def labels(*human: float) -> list[Label]:
    return [Label(question="q", answer="a", human=label) for label in human]


def scores(*given: float | None) -> list[JudgeScore]:
    return [
        JudgeScore("m", score, unscored="" if score is not None else "unreadable: no JSON")
        for score in given
    ]


def test_correlations_are_those_of_the_textbook() -> None:
    """x = 0, 0.5, 1, 0.5 and y = 0, 0, 1, 1: r = 0.5 / √(0.5 · 1), ranks tie in pairs."""
    found = calibrate(labels(0, 0, 1, 1), scores(0, 0.5, 1, 0.5))
    assert found.pearson == pytest.approx(0.5**0.5)
    # Ranks 1, 2.5, 4, 2.5 and 1.5, 1.5, 3.5, 3.5 are as linear as the values themselves.
    assert found.spearman == pytest.approx(0.5**0.5)
    assert found.interval is not None
    low, high = found.interval
    assert low < 0.5**0.5 < high


def test_an_unscored_answer_is_counted_and_left_out() -> None:
    found = calibrate(labels(0, 1, 1, 0, 1), scores(0, 1, 1, 0, None))
    assert (found.labels, found.scored, found.unreadable) == (5, 4, 1)
    assert found.pearson == pytest.approx(1)


def test_no_correlation_where_all_say_the_same() -> None:
    found = calibrate(labels(1, 1, 1, 1), scores(0.2, 0.4, 1, 1))
    assert (found.pearson, found.interval, found.spearman) == (None, None, None)


def test_few_scores_say_nothing() -> None:
    with pytest.raises(GoldError, match="3 of 4 labels"):
        calibrate(labels(0, 1, 1, 0), scores(0, 1, 1, None))


@pytest.mark.parametrize(
    ("given", "good", "threshold", "agreed"),
    [
        ([0.0, 0.4, 0.8, 1.0], [False, False, True, True], 0.6, 4),
        ([0.0, 0.8, 0.8, 1.0], [False, False, True, True], 0.9, 3),
        ([0.2, 0.4], [True, True], 0.2, 2),
    ],
)
def test_the_threshold_is_where_most_agree(
    given: list[float], good: list[bool], threshold: float, agreed: int
) -> None:
    at, agreement = best_threshold(given, good)
    assert at == pytest.approx(threshold)
    assert (agreement.hits, agreement.of) == (agreed, len(given))


def test_what_is_good_on_a_scale_is_its_upper_half_or_what_is_said() -> None:
    scale = labels(1, 2, 4, 5), scores(0, 0.3, 0.8, 1)
    assert calibrate(*scale).good_from == 3
    said = calibrate(*scale, good_from=5)
    assert said.threshold == pytest.approx(0.9)
    assert (said.usual.hits, said.usual.of) == (3, 4)


def test_fields_are_found_where_they_are_said_to_stand(tmp_path: Path) -> None:
    file = tmp_path / "labels.jsonl"
    row = {
        "question": "q",
        "gold_answer": "g",
        "expert": {"answer": "a", "adequate": True, "scores": {"x": 0.8}},
    }
    file.write_text(json.dumps(row))
    fields = {"answer": "expert.answer", "human": "expert.adequate", "judge": "expert.scores.x"}
    (label,) = read_labels(file, fields)
    assert (label.answer, label.human, label.judge, label.gold_answer) == ("a", 1.0, 0.8, "g")
    with pytest.raises(GoldError, match=r"line 1: expert\.good: Field required"):
        read_labels(file, {**fields, "human": "expert.good"})
    with pytest.raises(GoldError, match="no field colour"):
        read_labels(file, {"colour": "x"})


def test_a_refusal_is_known_as_one() -> None:
    assert Label(question="q", answer="I don't know.", human=0).judged.refused
    assert not Label(question="q", answer="I don't know of any but B.", human=1).judged.refused
