from __future__ import annotations

import pytest

from eval.likeness import Fact, entities, entity_jaccard, fact_overlap, facts

GOLD = "The default of hold_time is 300 s."


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("hold_time is 300 s, or 300s.", {"hold_time", "300s"}),
        ("9,216 bytes, e.g. for `Query.update()`", {"9216bytes", "query.update"}),
        ("Pass --force to TextSelect over HTTP 2.0.", {"--force", "textselect", "http", "2.0"}),
        ("Port XF-2 sends UTF-8, which is read-only.", {"xf-2", "utf-8"}),
        ("A major alarm is raised.", set()),
    ],
)
def test_entities_are_names_and_figures(text: str, found: set[str]) -> None:
    assert entities(text) == found


@pytest.mark.parametrize(
    ("answer", "overlap"),
    [
        ("`hold_time` defaults to 300 s.", 1),
        ("hold_time is 5 s.", 1 / 3),
        ("hold_time is 300 s, lock_time 5 s.", 2 / 4),
        ("It is five minutes.", 0),
        ("", 0),
    ],
)
def test_jaccard_is_what_both_have_of_what_either_has(answer: str, overlap: float) -> None:
    assert entity_jaccard(answer, GOLD) == pytest.approx(overlap)


def test_a_gold_answer_without_entities_and_facts_measures_neither() -> None:
    assert entity_jaccard("hold_time", "Major.") is None
    assert fact_overlap("hold_time is 300 s.", "300 s.") is None


def test_a_fact_is_two_entities_of_a_sentence_with_what_relates_them() -> None:
    relation = frozenset({"default"})
    both = {Fact("hold_time", relation, "300s"), Fact("300s", relation, "hold_time")}
    assert facts(f"{GOLD} XF-2 is a line.") == both
    assert facts("hold_time is long. Five times 300 s are long.") == set()
    assert len(facts("hold_time is 300 s, lock_time 5 s.")) == 4 * 3


@pytest.mark.parametrize(
    ("answer", "overlap"),
    [
        ("`hold_time` is 300 s by default. XF-1 runs at 10 Gbit/s.", 1),
        # The gold has the relation without a word of its own, which contradicts nothing.
        ("hold_time is 300 s.", 1),
        # hold_time → 5 s is comparable and wrong; 5 s → hold_time has no head in the gold.
        ("The default of hold_time is 5 s.", 0),
        # Right both ways, and one of the two wrong figures can be compared.
        ("The default of hold_time is 300 s. The default of hold_time is 5 s.", 2 / 3),
        ("hold_time rises to 300 s.", 0),
        ("XF-1 runs at 10 Gbit/s.", 0),
        ("", 0),
    ],
)
def test_facts_count_where_the_gold_has_their_head_and_relation(
    answer: str, overlap: float
) -> None:
    assert fact_overlap(answer, GOLD) == pytest.approx(overlap)
