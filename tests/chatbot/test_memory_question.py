"""What questions ask for, their vectors in the memory, and the guard before a reuse."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from chatbot.memory.questions.asking import Reader
from chatbot.memory.questions.question import (
    LOWEST_DELTA,
    ProductQuestions,
    QuestionReader,
    asked_text,
    memory_vector,
)
from chatbot.models.files import EMBEDDING, TOKENIZER
from chatbot.settings import Settings
from chatbot.turn import Queries, Turn
from corpora.embedding import MiniLM
from corpora.glossary import Entry
from corpora.glossary_file import read_glossary
from eval.memory_pairs import figures, judge, read_pairs

QUESTIONS = Path(__file__).parents[2] / "eval" / "questions"
PAIRS = QUESTIONS / "memory_pairs.jsonl"
FORMS = QUESTIONS / "memory_forms.jsonl"
GLOSSARY = (
    Entry("wait-to-restore", ("WTR",)),
    Entry("performance monitoring", ("PM", "pm")),
)


def entries(product: str) -> tuple[Entry, ...]:
    return GLOSSARY if product == "relay" else ()


@pytest.fixture(scope="module")
def minilm() -> MiniLM:
    models = Settings().models_dir
    return MiniLM(EMBEDDING.path_in(models), TOKENIZER.path_in(models))


@pytest.fixture(scope="module")
def reader(minilm: MiniLM) -> QuestionReader:
    return QuestionReader(minilm, entries, minilm.knows_word)


@pytest.fixture(scope="module")
def questions(reader: QuestionReader) -> ProductQuestions:
    return reader.of("relay")


@pytest.fixture(scope="module")
def rules(minilm: MiniLM) -> Reader:
    return Reader("relay", entries("relay"), minilm.knows_word)


SAME = (
    ("What is the default of wait-to-restore?", "Which value does the WTR timer have by default?"),
    ("What is the default of wait-to-restore?", "How long is the WTR unless I change it?"),
    ("What is the default of wait-to-restore?", "wait to restore, out of the box?"),
    ("What is the maximum of wait-to-restore?", "How long may WTR be at most?"),
    ("How do I enable ALS?", "How can I turn on ALS?"),
    ("How do I disable ALS?", "How is ALS switched off?"),
    ("What happens after three failed logins?", "What happens after 3 failed logins?"),
    ("What happens after 5 minutes?", "What happens after 300 seconds?"),
    ("What happens after seventy seconds?", "What happens after 70 seconds?"),
    ("What does pool_size do?", "What does pool-size do?"),
    ("Could you please tell me how I restart the agent?", "How do I restart the agent?"),
    ("What is new in R17.2 of the agent?", "what is new in r17.2 of the agent"),
)
DIFFERENT = (
    ("What is the default of wait-to-restore?", "What is the maximum of wait-to-restore?"),
    ("How do I enable ALS?", "How do I disable ALS?"),
    ("What is on port 1/1?", "What is on port 1/2?"),
    ("Which ports are open?", "Which ports are not open?"),
    ("What is done before an upgrade?", "What is done after an upgrade?"),
    ("How do I upgrade from 17.10?", "How do I upgrade to 17.10?"),
    ("Does it work with a proxy?", "Does it work without a proxy?"),
    ("What happens after 5 minutes?", "What happens after 5 hours?"),
    ("What happens after 5 m?", "What happens after 5 MB?"),
    ("Why does X1 restart?", "When does X1 restart?"),
    ("Is IPv4 supported?", "Is IPv6 supported?"),
    ("How do I import users?", "How do I export users?"),
)
REFUSED = (
    ("What is the latency of the relay?", "What is the latency of the relay behind a proxy?"),
    ("Who may see the log of the relay?", "Who may change the log of the relay?"),
    ("Tell me the size of the queue.", "How do we set the size of the queue?"),
    ("What is the size of the queue?", "What becomes of the size of the queue if the relay fails?"),
    ("How do I restart the controller?", "How do I restart the line card?"),
    ("Where are audit logs kept?", "How long are audit logs kept?"),
    ("How do I convert CSV to JSON?", "How do I convert JSON to CSV?"),
    ("How many users can a team have?", "How many teams can a user have?"),
    ("What does Comm.send do?", "What does Comm.Send do?"),
    ("How do I delete a user?", "How do I delete a user's sessions?"),
    ("What is the default timeout?", "What is the default connection timeout?"),
    ("How do I set a timeout for one statement?", "How do I set a timeout for every statement?"),
    ("Can a group contain a user?", "Can a user contain a group?"),
    ("What is a snapshot?", "How do I take a snapshot?"),
)


@pytest.mark.parametrize(("a", "b"), SAME)
def test_questions_that_ask_the_same_are_reused(
    questions: ProductQuestions, a: str, b: str
) -> None:
    assert questions.read(a).asks == questions.read(b).asks
    assert questions.difference(a, b) == ""


@pytest.mark.parametrize(("a", "b"), DIFFERENT)
def test_questions_that_do_not_are_not_near(questions: ProductQuestions, a: str, b: str) -> None:
    one, other = questions.read(a), questions.read(b)
    assert one.asks != other.asks
    assert float(one.vector @ other.vector) < LOWEST_DELTA
    assert questions.difference(a, b)


@pytest.mark.parametrize(("a", "b"), REFUSED)
def test_the_guard_refuses_what_the_key_does_not_tell(
    questions: ProductQuestions, a: str, b: str
) -> None:
    assert questions.difference(a, b)
    assert questions.difference(b, a)


@pytest.mark.parametrize(("a", "b"), [*SAME, *DIFFERENT, *REFUSED])
def test_a_question_asks_the_same_as_itself(questions: ProductQuestions, a: str, b: str) -> None:
    for text in (a, b):
        assert questions.difference(text, text) == ""
        assert questions.difference(text, f"  {text} ") == ""


def test_no_trap_is_reused_and_most_paraphrases_are(minilm: MiniLM) -> None:
    sample = read_glossary(Path(__file__).parents[2] / "examples" / "glossary.csv")
    reader = QuestionReader(
        minilm, lambda product: sample if product == "tessaline" else (), minilm.knows_word
    )
    pairs = read_pairs(PAIRS)
    found = figures(judge(pairs, reader), Settings().memory_delta)
    paraphrases = sum(pair.same for pair in pairs)
    assert paraphrases >= 120
    assert len(pairs) - paraphrases >= 120
    assert found.wrong == 0
    assert found.reused >= 0.8 * paraphrases


def test_what_is_asked_about_a_thing_is_told_apart_whatever_the_thing(minilm: MiniLM) -> None:
    reader = QuestionReader(minilm, lambda product: (), minilm.knows_word)
    pairs = read_pairs(FORMS)
    found = figures(judge(pairs, reader), Settings().memory_delta)
    paraphrases = sum(pair.same for pair in pairs)
    assert (paraphrases, len(pairs) - paraphrases) == (192, 6864)
    assert found.wrong == 0
    assert found.reused >= 0.95 * paraphrases


def test_vectors_are_of_length_one_and_the_same_in_every_process(reader: QuestionReader) -> None:
    question = reader.of("relay").read("What is the default of wait-to-restore?")
    assert question.vector.shape == (reader.dimension,)
    assert question.vector.dtype == np.float32
    assert float(np.linalg.norm(question.vector)) == pytest.approx(1, abs=1e-6)
    program = (
        "import numpy as np\n"
        "from chatbot.memory.questions.asking import Reader\n"
        "from chatbot.memory.questions.question import memory_vector\n"
        "asked = Reader('', (), lambda w: True).read('Is port 1/1 not up by default?')\n"
        "v = memory_vector(np.full(384, 384 ** -0.5, np.float32), asked)\n"
        "print(asked.key, v.tobytes().hex()[:4000])\n"
    )
    seen = {
        subprocess.run(
            [sys.executable, "-c", program],
            env={"PYTHONHASHSEED": seed, "PATH": ""},
            cwd=Path(__file__).parents[2],
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(seen) == 1


def test_the_name_of_the_embedding_tells_model_and_rules(reader: QuestionReader) -> None:
    assert reader.embedding.startswith("all-minilm-l6-v2-int8/asks-")
    assert reader.of("relay").read("Hello?").embedding == reader.embedding


def test_a_key_has_what_two_questions_must_agree_in(rules: Reader) -> None:
    asked = rules.read("Why is WTR not 5 minutes on port 1/1 of the TX8 by default?")
    assert asked.key == "WHY DEFAULT NOT 1/1 300000ms tx8 wait-to-restore"


def test_circumstances_are_told_apart_from_what_is_asked(rules: Reader) -> None:
    asked = rules.read("We lost our admin last week. How do I add an administrator?")
    assert "last week" not in asked.sentence
    assert [word.written for word in asked.words] == ["add", "administrator"]
    pointing = rules.read("We lost our admin last week. How do I replace them?")
    assert "week" in pointing.sentence


def test_the_glossary_is_read_once_for_all_that_is_compared(minilm: MiniLM) -> None:
    read: list[str] = []

    def counted(product: str) -> tuple[Entry, ...]:
        read.append(product)
        return entries(product)

    questions = QuestionReader(minilm, counted, minilm.knows_word).of("relay")
    assert questions.difference(*SAME[0]) == ""
    assert questions.difference(*REFUSED[0])
    assert read == ["relay"]


@pytest.mark.parametrize("text", ["", "?", "...", "\ue100\ue101", "💥", "x" * 4000, "-- --- a--b"])
def test_any_text_can_be_read(questions: ProductQuestions, text: str) -> None:
    question = questions.read(text)
    assert float(np.linalg.norm(question.vector)) == pytest.approx(1, abs=1e-6)
    assert questions.difference(text, text) == ""


@pytest.mark.parametrize("word", ["turn ", "if not ", "how many ", "a_", "1/", "| ", "when was "])
def test_a_long_text_is_read_in_time(rules: Reader, word: str) -> None:
    import time

    text = (word * 4000)[:4000]
    started = time.perf_counter()
    rules.read(text)
    assert time.perf_counter() - started < 2


def test_what_is_asked_is_the_subject_of_a_turn() -> None:
    turn = Turn("And in 18.00?")
    assert asked_text(turn) == "And in 18.00?"
    queries = Queries("b", "f", None, subject="What is the default of WTR?", known="300 s")
    assert asked_text(Turn("x", queries=queries)) == "What is the default of WTR?"


def test_the_settings_keep_delta_above_what_other_questions_reach() -> None:
    settings = Settings()
    assert settings.memory_tau < settings.memory_delta
    assert settings.memory_delta >= LOWEST_DELTA
    with pytest.raises(ValueError, match="memory_delta"):
        Settings(memory_delta=LOWEST_DELTA - 0.01)


def test_questions_that_do_not_ask_the_same_stay_below_any_delta(rules: Reader) -> None:
    sentence = np.full(384, 384**-0.5, np.float32)
    vectors = np.stack(
        [memory_vector(sentence, rules.read(f"What is port 1/{n}?")) for n in range(300)]
    )
    cosines = vectors @ vectors.T - np.eye(300)
    assert cosines.max() < LOWEST_DELTA
