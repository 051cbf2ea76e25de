"""How good an answer is, by its pages and by people; and whether two questions ask the same."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chatbot.accounts.people import LOCAL
from chatbot.memory.questions import as_typed, evident_difference, normalized
from chatbot.memory.scoring import AGREEING, DOUBT_LIMIT, FAITHFUL, agreed, faithfulness, relevancy
from chatbot.turn import Answer, ModelCall

OWN = "How long until traffic of the TX9 returns in 2.0?"
PAGE = (
    "Parameters of a group\nwait-to-restore — 5 — min — 1 to 12 — Time until traffic returns.\n"
    "A switch of the group takes less than 50 ms.\n"
    "The fan must not be removed while it runs.\nset group wtr 5"
)
PUMP = "The pump runs for 40 hours."
people = st.sampled_from(["ada", "ben", "cem", "dua", "program:1", "program:2", "program:3"])


@pytest.mark.parametrize(
    ("share", "text"),
    [
        (1, "The fan must not be removed while it runs [1]. A switch takes less than 50 ms [1]."),
        (1, "Set it so [1]:\n\n```\nset group wtr 5\n```"),
        (1, "| Parameter | Time |\n|---|---|\n| wait-to-restore | 5 min [1] |"),
        (1, "In 2.0 traffic of the TX9 returns."),
        (1, "Traffic returns after 5 min, and the pump runs for 40 hours [1] [2]."),
        (0.5, "The fan must not be removed [1]. It is painted blue by suppliers abroad."),
        (0, "Traffic returns after 10 min [1]."),
        (0, "Traffic returns after 5 hours [1]."),
        (0, "Traffic of the TX10 returns after 5 min [1]."),
        (0, ""),
    ],
)
def test_an_answer_is_worth_the_share_of_it_that_its_pages_support(share: float, text: str) -> None:
    assert faithfulness(Answer(text, False), [PAGE, PUMP], OWN) == share


def test_nothing_is_good_by_measure_but_what_a_capable_model_did_not_doubt() -> None:
    doubted = [ModelCall("answer", (), "", doubt=DOUBT_LIMIT)]
    assert relevancy([], by_capable=False) is None
    assert relevancy([], by_capable=True) == 1
    assert relevancy(doubted, by_capable=True) == relevancy(doubted, by_capable=False) == 0


@given(st.dictionaries(people, st.sampled_from([1, -1])), st.floats(0, 1))
def test_people_make_an_answer_good_or_bad_for_all_only_together(
    thumbs: dict[str, int], faithful: float
) -> None:
    downs = [person for person, thumb in thumbs.items() if thumb < 0]
    signed_in = [person for person in downs if not person.startswith("program")]
    is_bad = len(signed_in) >= AGREEING
    is_good = not is_bad and len(thumbs) > 2 * len(downs) and faithful >= FAITHFUL
    assert agreed(thumbs, faithful) == (False if is_bad else True if is_good else None)
    assert agreed(thumbs | {LOCAL.id: -1}, faithful) is False, "where nobody signs in"


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
    ("one", "other", "why"),
    [
        ("Which port does the pump use?", "what port is used by the pump", ""),
        ("How long is the log kept?", "log retention time", ""),
        ("How do I open 2 valves?", "how to open two valves", ""),
        ("What is XF-1's rate?", "What rate has XF-1?", ""),
        ("How do I open 2 valves?", "How do I open 3 valves?", "“2”"),
        ("Which port does SSH use?", "Which port does NETCONF use?", "“ssh”"),
        ("What does the flag -i do?", "What does the flag -I do?", "“-i”"),
        ("What does `valve.reread` do?", "What does `valve.reload` do?", "“valve.reread”"),
        ("What opens if the pump runs?", "What opens if the pump doesn't run?", "says no"),
        ("What can I open?", "What cannot I open?", "says no"),
        ("What is the pump?", "What is the default of the pump?", "definition and value"),
        ("Why are the jobs run twice?", "How do I run the jobs twice?", "explanation and steps"),
    ],
)
def test_a_figure_a_name_or_the_kind_of_answer_tells_two_questions_apart(
    one: str, other: str, why: str
) -> None:
    found = evident_difference(one, other, "")
    assert found.endswith(why)
    assert bool(found) == bool(why) == bool(evident_difference(other, one, ""))
