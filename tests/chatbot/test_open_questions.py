import subprocess
import sys
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import update

from chatbot.conversations.conversations import Conversations
from chatbot.conversations.open_questions import WITH_ITS_SERVER, OpenQuestions, Question, State
from corpora.database.engine import Database
from corpora.database.history_tables import OpenQuestionRow
from corpora.generations.processes import DEAD_AFTER_SECONDS, has_ended, this_process
from tests.chatbot.asked import answer

pytestmark = pytest.mark.database

REPLY = answer()
ELSEWHERE = "another-machine/17/1700000000.0"


@pytest.fixture
def questions(database: Database) -> OpenQuestions:
    return OpenQuestions(database)


@pytest.fixture
def own(database: Database) -> Conversations:
    return Conversations(database, "ada")


@pytest.fixture
def question(own: Conversations) -> Question:
    return Question("How long?", own.start("valve", "How long?"), "ada")


def test_questions_stand_behind_what_there_is_and_what_still_runs(
    questions: OpenQuestions, own: Conversations, question: Question
) -> None:
    own.add(question.conversation, "before", REPLY)
    second = replace(question, text="And then?", afresh=True)
    first, second = questions.add(question), questions.add(second)
    assert (first.after, second.after) == (1, 2)
    assert questions.of(question.conversation, "ada") == (first, second)
    assert first.question == question
    assert first.state.is_running
    # An answer and the end of its question are one.
    own.add(question.conversation, question.text, REPLY, open_question=first.id)
    (left,) = questions.of(question.conversation, "ada")
    assert left.id == second.id


def test_what_was_stopped_or_failed_is_kept_until_it_is_removed(
    questions: OpenQuestions, question: Question, database: Database
) -> None:
    identity = questions.add(question).id
    questions.end(identity, State.FAILED, "too long", refused=True)
    kept = OpenQuestions(database, ELSEWHERE).of(question.conversation, "ada")
    assert [(q.state, q.message, q.refused) for q in kept] == [(State.FAILED, "too long", True)]
    questions.remove(identity)
    assert questions.of(question.conversation, "ada") == ()


def test_what_ran_in_a_process_that_is_gone_counts_as_stopped(
    questions: OpenQuestions, question: Question, database: Database
) -> None:
    told = (
        "from corpora.generations.processes import this_process; "
        "print(this_process(), flush=True); input()"
    )
    with subprocess.Popen(
        [sys.executable, "-c", told], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout
        OpenQuestions(database, process.stdout.readline().strip()).add(question)
        assert questions.of(question.conversation, "ada")[0].state is State.RUNNING
        process.kill()
    left = questions.of(question.conversation, "ada")[0]
    assert (left.state, left.message) == (State.STOPPED, WITH_ITS_SERVER)
    assert questions.add(question).after == 0


def test_a_process_number_that_was_given_again_is_another_process() -> None:
    host, number, began = this_process().rsplit("/", 2)
    assert not has_ended(this_process())
    assert has_ended(f"{host}/{number}/{float(began) - 100}")
    assert not has_ended(ELSEWHERE)


def test_a_server_on_another_machine_counts_as_gone_when_nothing_is_heard_of_it(
    questions: OpenQuestions, question: Question, database: Database
) -> None:
    there, here = OpenQuestions(database, ELSEWHERE), questions
    there.add(question)
    long_ago = datetime.now(UTC) - timedelta(seconds=2 * DEAD_AFTER_SECONDS)
    with database.writing() as session:
        session.execute(update(OpenQuestionRow).values(seen=long_ago))
    assert here.of(question.conversation, "ada")[0].state is State.STOPPED
    there.wanted()
    assert here.of(question.conversation, "ada")[0].state is State.RUNNING


def test_a_question_goes_on_until_it_is_stopped_or_its_conversation_deleted(
    questions: OpenQuestions, own: Conversations, question: Question, database: Database
) -> None:
    elsewhere = OpenQuestions(database, ELSEWHERE)
    stopped, kept = questions.add(question).id, questions.add(question).id
    assert questions.wanted() == {stopped, kept}
    assert elsewhere.wanted() == frozenset()
    elsewhere.stop(stopped)
    assert questions.wanted() == {kept}
    assert questions.of(question.conversation, "ada")[0].state is State.STOPPING
    own.delete(question.conversation)
    assert questions.wanted() == frozenset()


def test_a_turn_that_is_asked_anew_stands_before_its_question(
    questions: OpenQuestions, own: Conversations, question: Question
) -> None:
    first, _ = (own.add(question.conversation, text, REPLY) for text in ("first", "second"))
    anew = questions.add(replace(question, instead_of=first))
    assert (anew.after, anew.question.instead_of) == (1, first)
    behind = questions.add(replace(question, instead_of=first))
    assert behind.question.instead_of is None, "the first one is about to replace it"
    own.add(question.conversation, "better", REPLY, instead_of=first)
    late = questions.add(replace(question, instead_of=first))
    assert late.question.instead_of is None, "it was replaced"
