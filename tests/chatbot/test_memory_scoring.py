"""How good an answer is, by its model and by people; and whether two questions ask the same."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chatbot.accounts.people import LOCAL
from chatbot.memory.questions import as_typed, evident_difference, normalized
from chatbot.memory.scoring import AGREEING, DOUBT_LIMIT, agreed, relevancy
from chatbot.turn import ModelCall

people = st.sampled_from(["ada", "ben", "cem", "dua", "program:1", "program:2", "program:3"])


def test_nothing_is_good_by_measure_but_what_a_capable_model_did_not_doubt() -> None:
    doubted = [ModelCall("answer", (), "", doubt=DOUBT_LIMIT)]
    assert relevancy([], by_capable=False) is None
    assert relevancy([], by_capable=True) == 1
    assert relevancy(doubted, by_capable=True) == relevancy(doubted, by_capable=False) == 0


@given(st.dictionaries(people, st.sampled_from([1, -1])))
def test_people_make_an_answer_good_or_bad_for_all_only_together(thumbs: dict[str, int]) -> None:
    downs = [person for person, thumb in thumbs.items() if thumb < 0]
    signed_in = [person for person in downs if not person.startswith("program")]
    is_bad = len(signed_in) >= AGREEING
    is_good = not is_bad and len(thumbs) > 2 * len(downs)
    assert agreed(thumbs) == (False if is_bad else True if is_good else None)
    assert agreed(thumbs | {LOCAL.id: -1}) is False, "where nobody signs in"


@given(st.text("aB2 -_.", min_size=1).filter(str.strip), st.sampled_from(["", " ", "?", " ?"]))
def test_a_question_is_its_words(text: str, end: str) -> None:
    words = normalized(text, "")
    assert normalized(f"{text}{end}", "") == normalized(f" {text} in the valve{end}", "valve")
    assert words.split()[1:] == text.rstrip(" ?!.").split()[1:]


@pytest.mark.parametrize(
    ("left", "kept"),
    [
        (", at which interval is it changed?", "at which interval is it changed?"),
        ("Which color has pin 11,?", "Which color has pin 11?"),
        (": the REST port ?", "the REST port?"),
        ("::leaf of the tree.", "::leaf of the tree."),
        ("10:30, or 11:00?", "10:30, or 11:00?"),
    ],
)
def test_a_question_without_its_release_begins_and_ends_as_people_write(
    left: str, kept: str
) -> None:
    assert as_typed(left) == kept


@pytest.mark.parametrize(
    ("one", "other", "differ"),
    [
        ("Which port does the pump use?", "what port is used by the pump", False),
        ("How long is the log kept?", "log retention time", False),
        ("How do I open 2 valves?", "how to open two valves", False),
        ("What is XF-1's rate?", "What rate has XF-1?", False),
        ("How do I open 2 valves?", "How do I open 3 valves?", True),
        ("Which port does SSH use?", "Which port does NETCONF use?", True),
        ("What does the flag -i do?", "What does the flag -I do?", True),
        ("What does `valve.reread` do?", "What does `valve.reload` do?", True),
        ("What opens if the pump runs?", "What opens if the pump doesn't run?", True),
        ("What can I open?", "What cannot I open?", True),
        ("What is the pump?", "What is the default of the pump?", True),
        ("Why are the jobs run twice?", "How do I run the jobs twice?", True),
    ],
)
def test_a_figure_a_name_or_the_kind_of_answer_tells_two_questions_apart(
    one: str, other: str, *, differ: bool
) -> None:
    assert evident_difference(one, other, "") == evident_difference(other, one, "") == differ
