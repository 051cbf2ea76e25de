from __future__ import annotations

from dataclasses import replace

import pytest

from chatbot.memory.scoring.measuring import NOTHING, Measured, measure, measure_turn
from chatbot.memory.scoring.statements import is_told
from chatbot.models.files import EMBEDDING, TOKENIZER
from chatbot.settings import Settings
from chatbot.turn import ModelCall, Record, Turn
from corpora.indexing.embedding import MiniLM
from tests.chatbot.scored_turns import FAN, HOLD_OFF, RESTORE, REVERTIVE, SWITCH, answered

HOW_LONG = "After a repair, how long until traffic returns to the working path by default?"
GAMMA = Settings().memory_gamma


@pytest.fixture(scope="module")
def embedder() -> MiniLM:
    models = Settings().models_dir
    return MiniLM(EMBEDDING.path_in(models), TOKENIZER.path_in(models))


def test_the_right_value_with_its_row_scores_high(embedder: MiniLM) -> None:
    right = measure_turn(answered(HOW_LONG, "5 min", RESTORE), embedder)
    assert right.faithfulness == 1
    assert right.relevancy > 0.8
    assert right.value == min(right.faithfulness, right.relevancy) > GAMMA


@pytest.mark.parametrize(
    ("value", "cited"),
    [("100 ms", HOLD_OFF), ("50 ms", SWITCH), ("yes", REVERTIVE), ("fan", FAN)],
)
def test_a_value_of_another_row_is_not_relevant(
    embedder: MiniLM, value: str, cited: Record
) -> None:
    wrong = measure_turn(answered(HOW_LONG, value, cited, RESTORE), embedder)
    assert wrong.faithfulness == 1
    assert wrong.value < GAMMA


def test_another_cell_of_the_right_row_is_not_relevant(embedder: MiniLM) -> None:
    wrong = measure_turn(answered(HOW_LONG, "1 to 12", RESTORE), embedder)
    assert wrong.value < GAMMA
    asked = "In which range can I set the time until traffic returns to the working path?"
    assert measure_turn(answered(asked, "1 to 12", RESTORE), embedder).value > GAMMA


def test_a_value_of_another_release_is_not_faithful(embedder: MiniLM) -> None:
    wrong = measure_turn(answered(HOW_LONG, "10 min", RESTORE), embedder)
    assert wrong.faithfulness == 0
    assert wrong.value < GAMMA


@pytest.mark.parametrize("value", ["5 minutes", "300 s", "After 5 min."])
def test_the_same_quantity_in_another_form_is_faithful(embedder: MiniLM, value: str) -> None:
    assert measure_turn(answered(HOW_LONG, value, RESTORE), embedder).faithfulness > 0.5


def test_the_same_figure_with_another_unit_is_not(embedder: MiniLM) -> None:
    assert measure_turn(answered(HOW_LONG, "5 hours", RESTORE), embedder).faithfulness == 0


def test_sentences_are_held_against_words_and_vectors(embedder: MiniLM) -> None:
    question = "May I take out the fan?"
    told = "The fan must not be taken out while it is running."
    invented = "The fan is painted blue and comes from a supplier abroad."
    good = measure_turn(answered(question, told, FAN), embedder)
    half = measure_turn(answered(question, f"{told} {invented}", FAN), embedder)
    bad = measure_turn(answered(question, invented, FAN), embedder)
    assert good.faithfulness > 0.5
    # One sentence that nothing bears is enough.
    assert half.faithfulness == bad.faithfulness == half.value == 0


def test_a_denial_that_no_passage_makes_counts_half(embedder: MiniLM) -> None:
    question = "How fast does the group switch?"
    says = measure_turn(answered(question, "The group switches within 50 ms.", SWITCH), embedder)
    denies = measure_turn(
        answered(question, "The group does not switch within 50 ms.", SWITCH), embedder
    )
    assert denies.faithfulness < 0.6 * says.faithfulness


@pytest.mark.parametrize(
    ("told", "good"),
    [
        ("No, the fan must not be removed while it runs.", True),
        ("Yes, the fan may be removed while it runs.", False),
        ("No, the fan may be removed while it runs.", False),
    ],
)
def test_a_verdict_says_what_its_passage_says(embedder: MiniLM, told: str, good: bool) -> None:
    turn = answered("May the fan be removed while it runs?", told, FAN)
    assert (measure_turn(turn, embedder).relevancy > 0) is good


@pytest.mark.parametrize(
    ("question", "told", "good"),
    [
        ("Must the fan stay?", "The fan must not be removed while it runs.", True),
        ("Why must the fan stay?", "The fan must not be removed while it runs.", False),
        ("How do I remove the fan?", "The fan must not be removed.", False),
        ("List all of the parts that must stay.", "The fan must not be removed.", False),
    ],
)
def test_a_good_answer_has_the_form_that_is_asked_for(
    embedder: MiniLM, question: str, told: str, good: bool
) -> None:
    measured = measure_turn(answered(question, told, FAN), embedder)
    assert (measured != NOTHING) is good


def test_the_words_of_the_asker_alone_bear_nothing(embedder: MiniLM) -> None:
    question = "Which default compression algorithm do new groups of relays use?"
    told = "The default compression algorithm of new groups is 50 ms."
    measured = measure_turn(answered(question, told, SWITCH), embedder)
    assert measured.faithfulness > 0.5
    assert measured.value == 0


def test_what_the_model_doubted_waits_for_somebody_to_say_that_it_is_good(
    embedder: MiniLM,
) -> None:
    turn = answered(HOW_LONG, "5 min", RESTORE)
    doubted = replace(turn, calls=(ModelCall("answer_generation", (), "5 min", doubt=0.2),))
    assert measure_turn(doubted, embedder) == Measured(1.0, 0.0)


def test_what_the_asker_said_need_not_stand_in_a_passage(embedder: MiniLM) -> None:
    told = "The TX9 with 2.0 returns traffic after a repair."
    asked = measure_turn(answered("Is the TX9 revertive?", told, REVERTIVE), embedder)
    assert asked.faithfulness > 0.6
    assert measure_turn(answered("Is it revertive?", told, REVERTIVE), embedder).faithfulness == 0


def test_an_answer_that_only_quotes_is_faithful_and_as_relevant_as_its_quote(
    embedder: MiniLM,
) -> None:
    right = measure_turn(answered(HOW_LONG, "", RESTORE), embedder)
    wrong = measure_turn(answered(HOW_LONG, "", FAN), embedder)
    assert right.faithfulness == wrong.faithfulness == 1
    assert right.value > GAMMA > wrong.value


def test_an_answer_that_repeats_the_question_answers_nothing(embedder: MiniLM) -> None:
    question = "What is the wait-to-restore?"
    echo = measure_turn(answered(question, "wait-to-restore", RESTORE), embedder)
    assert echo.value < measure_turn(answered(question, "5 min", RESTORE), embedder).value
    choice = "Is the default of revertive yes or no?"
    assert measure_turn(answered(choice, "yes", REVERTIVE), embedder).value > GAMMA


@pytest.mark.parametrize(
    "turn",
    [
        answered(HOW_LONG, "5 min", RESTORE, warnings=("the model's answer was withheld",)),
        answered(HOW_LONG, "5 min", RESTORE, abstained=True),
        answered(HOW_LONG, "5 min"),
    ],
)
def test_what_is_withheld_or_cites_nothing_is_worth_nothing(embedder: MiniLM, turn: Turn) -> None:
    assert measure_turn(turn, embedder) == NOTHING


def test_a_citation_of_another_release_is_worth_nothing(embedder: MiniLM) -> None:
    turn = answered(HOW_LONG, "5 min", RESTORE)
    assert turn.answer is not None
    (citation,) = turn.answer.citations
    answer = replace(turn.answer, citations=(replace(citation, release="1.0"),))
    assert measure_turn(replace(turn, answer=answer), embedder) == NOTHING


def test_without_evidence_the_citations_are_looked_at(embedder: MiniLM) -> None:
    turn = answered(HOW_LONG, "5 min", RESTORE)
    assert turn.answer is not None
    alone = measure(HOW_LONG, ("relay", "2.0"), turn.answer, (), embedder)
    assert alone.value > GAMMA
    wrong = replace(turn.answer, value="7 min")
    assert measure(HOW_LONG, ("relay", "2.0"), wrong, (), embedder).faithfulness == 0


@pytest.mark.parametrize(
    ("value", "told"),
    [("300", False), ("300 ms.", False), ("reset card SLOT warm", False), ("It is 300 ms.", True)],
)
def test_only_full_sentences_are_told(value: str, told: bool) -> None:
    assert is_told(value) == told


def test_a_question_without_words_is_met_by_nothing_and_breaks_nothing(embedder: MiniLM) -> None:
    measured = measure_turn(answered("?", "5 min", RESTORE), embedder)
    assert isinstance(measured, Measured)
    assert 0 <= measured.value <= 1


def test_only_an_answered_turn_can_be_measured(embedder: MiniLM) -> None:
    with pytest.raises(ValueError, match="only an answered question"):
        measure_turn(Turn("How long?"), embedder)
