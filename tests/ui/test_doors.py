"""Every door to another person's data, and to what only admins may do, is tried by a user."""

import importlib
import inspect
import pkgutil
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from types import FunctionType, GeneratorType, SimpleNamespace

import pytest
from streamlit.testing.v1 import AppTest

from chatbot import administration, memory, review
from chatbot.accounts.audit import AuditLog
from chatbot.accounts.people import Person
from chatbot.conversations.conversations import Conversations
from chatbot.conversations.export import conversation_json, conversation_markdown
from chatbot.conversations.feedback import UP, Feedback
from chatbot.conversations.open_questions import OpenQuestions, Question
from chatbot.conversations.personal_data import export_person
from chatbot.errors import LimitReached, NotAllowed, UnknownConversation, UnknownPerson
from corpora.database.engine import Database
from eval import sets
from eval.sets.adding import add_imported
from eval.sets.drafting import propose
from tests.chatbot.asked import answer
from tests.ui.conftest import MakeChatbot, SignIn
from tests.ui.pages import open_page
from tests.ui.valve_corpus import QUESTION
from ui.documents.page import documents
from ui.evaluation.page import evaluation
from ui.glossary import glossary
from ui.review.audit_page import audit
from ui.review.gaps_page import gaps
from ui.review.history_page import history
from ui.review.numbers_page import numbers
from ui.serving import gate
from ui.syncing.page import sources

BO = Person("bo@example.org", "Bo", is_admin=False)
CY = Person("cy@example.org", "Cy", is_admin=False)
SECRET = "Does the relay latch?"
PAGES = (documents, sources, glossary, history, gaps, numbers, evaluation, audit)
FOR_EVERYBODY = {"", "account", "releases"}


def talk(database: Database, person: Person, question: str = SECRET) -> tuple[str, int]:
    """A conversation of a person, and its one turn."""
    own = Conversations(database, person.id)
    conversation = own.start("relay", question)
    return conversation, own.add(conversation, question, answer(answer=f"{question} – yes."))


DOORS: dict[str, Callable[[Database, str, int], object]] = {
    "open": lambda db, c, t: Conversations(db, CY.id).get(c),
    "read": lambda db, c, t: Conversations(db, CY.id).turns(c),
    "rename": lambda db, c, t: Conversations(db, CY.id).rename(c, "mine"),
    "delete": lambda db, c, t: Conversations(db, CY.id).delete(c),
    "continue": lambda db, c, t: Conversations(db, CY.id).add(c, "and?", answer()),
    "replace a turn": lambda db, c, t: Conversations(db, CY.id).add(
        talk(db, CY, "Mine?")[0], "and?", answer(), instead_of=t
    ),
    "ask in it": lambda db, c, t: OpenQuestions(db).add(Question("and?", c, CY.id)),
    "export as Markdown": lambda db, c, t: conversation_markdown(Conversations(db, CY.id), c),
    "export as JSON": lambda db, c, t: conversation_json(Conversations(db, CY.id), c),
    "rate": lambda db, c, t: Feedback(db, CY.id).give(t, UP),
    "withdraw a rating": lambda db, c, t: Feedback(db, CY.id).withdraw(t),
}


@pytest.mark.parametrize("door", DOORS)
def test_another_s_conversation_is_as_unknown_as_none(database: Database, door: str) -> None:
    conversation, turn = talk(database, BO)
    Feedback(database, BO.id).give(turn, UP, comment="good")
    with pytest.raises(UnknownConversation) as refused:
        DOORS[door](database, conversation, turn)
    with pytest.raises(UnknownConversation) as not_there:
        DOORS[door](database, "0" * 32, 987_654)
    assert _without_ids(refused.value) == _without_ids(not_there.value)

    own = Conversations(database, BO.id)
    assert own.get(conversation).title == SECRET
    assert [t.question for t in own.turns(conversation)] == [SECRET]
    assert Feedback(database, BO.id).of([turn])[turn].comment == "good"


def _without_ids(error: Exception) -> str:
    return re.sub("[0-9a-f]{32}|[0-9]+", "…", str(error))


def test_lists_and_searches_hold_only_one_s_own(database: Database) -> None:
    conversation, turn = talk(database, BO)
    mine, _ = talk(database, CY, "Does the breaker trip?")
    own = Conversations(database, CY.id)
    for wanted in ("", "relay", "latch", SECRET, 'relay" OR "breaker', "* OR relay", "%", "_"):
        assert {c.id for c in own.recent(wanted=wanted)} <= {mine}
    assert Feedback(database, CY.id).of([turn]) == {}
    assert OpenQuestions(database).of(conversation, CY.id) == ()
    assert SECRET not in str(export_person(database, CY.id))
    with pytest.raises(UnknownPerson):
        export_person(database, "")


def test_an_open_question_of_another_is_not_answered_away(database: Database) -> None:
    conversation, _ = talk(database, BO)
    waiting = OpenQuestions(database).add(Question("And then?", conversation, BO.id))
    mine, _ = talk(database, CY)
    Conversations(database, CY.id).add(mine, "x", answer(), open_question=waiting.id)
    assert [q.id for q in OpenQuestions(database).of(conversation, BO.id)] == [waiting.id]


def test_nobody_asks_in_another_s_conversation(valve: MakeChatbot) -> None:
    chatbot = valve(None)
    conversation, turn = talk(chatbot.database, BO)
    with pytest.raises(UnknownConversation):
        chatbot.ask(QUESTION, conversation=conversation, owner=CY.id)
    mine, _ = talk(chatbot.database, CY)
    with pytest.raises(UnknownConversation):
        chatbot.ask(QUESTION, conversation=mine, owner=CY.id, instead_of=turn)
    own = chatbot.conversations.of(BO.id)
    assert [t.question for t in own.turns(conversation)] == [SECRET]


def test_who_asks_too_much_is_told_so(valve: MakeChatbot) -> None:
    chatbot = valve(None)
    chatbot = replace(
        chatbot, settings=chatbot.settings.model_copy(update={"questions_per_minute": 1})
    )
    chatbot.ask(QUESTION, owner="di@example.org")
    with pytest.raises(LimitReached, match="1 questions a minute"):
        chatbot.ask(QUESTION, owner="di@example.org")
    for _ in range(2):
        chatbot.ask(QUESTION)


def for_admins() -> Iterator[tuple[type, str]]:
    """Every method of the review that is told who asks, and the making of what works in a name."""
    modules = [
        importlib.import_module(found.name)
        for package in (administration, memory, review, sets)
        for found in pkgutil.walk_packages(package.__path__, f"{package.__name__}.")
    ]
    for module in modules:
        for _, kind in inspect.getmembers(module, inspect.isclass):
            if kind.__module__ != module.__name__:
                continue
            if is_told_who(inspect.get_annotations(kind)):
                yield kind, "__init__"
            for name, method in inspect.getmembers(kind, inspect.isfunction):
                if not name.startswith("_") and is_told_who(inspect.get_annotations(method)):
                    yield kind, name
    yield from ((AuditLog, name) for name in ("page", "choices", "rows"))


@pytest.mark.parametrize("change", [propose, add_imported])
def test_a_user_adds_no_questions(change: Callable[..., object]) -> None:
    needed = inspect.signature(change).parameters.values()
    given = [CY if p.name == "person" else None for p in needed if p.kind is not p.KEYWORD_ONLY]
    with pytest.raises(NotAllowed):
        change(*given)


def is_told_who(annotations: Mapping[str, object]) -> bool:
    return any(told in ("Person", Person) for told in annotations.values())


@pytest.mark.parametrize(
    ("kind", "name"), list(for_admins()), ids=lambda part: getattr(part, "__name__", part)
)
def test_a_user_may_do_nothing_that_is_for_admins(kind: type, name: str) -> None:
    # Nothing is there to work with: who asks is looked at before anything else.
    service = object.__new__(kind)
    method = kind if name == "__init__" else getattr(service, name)
    needed = inspect.signature(method).parameters
    nothing = SimpleNamespace(database=None, sight=None)
    given = {n: CY if is_told_who({n: p.annotation}) else None for n, p in needed.items()}
    given |= {n: nothing for n in given if n == "chatbot"}
    for attribute in ("database", "_database", "chatbot"):
        object.__setattr__(service, attribute, nothing)
    placed = [given.pop(n) for n, p in needed.items() if p.kind is p.POSITIONAL_ONLY]
    with pytest.raises(NotAllowed):
        _begun(method(*placed, **given))


def _begun(result: object) -> object:
    return next(result) if isinstance(result, GeneratorType) else result


def test_what_is_for_admins_was_found() -> None:
    found = {f"{kind.__name__}.{name}" for kind, name in for_admins()}
    assert {"AllTurns.open", "AuditLog.rows", "Ratings.change", "Exports.turns"} <= found
    assert {f"Proposals.{name}" for name in ("add", "page", "count", "decide", "edit")} <= found
    works_in_a_name = ("Administration", "Overview", "Curation", "Exchange")
    assert {f"{kind}.__init__" for kind in works_in_a_name} <= found


def test_every_page_for_admins_is_known(valve: MakeChatbot) -> None:
    valve(None)
    known = open_page().session_state["pages"].keys()
    assert known == FOR_EVERYBODY | {page.__name__ for page in PAGES} == gate.PAGES


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.__name__)
def test_a_page_for_admins_shows_a_user_nothing(
    valve: MakeChatbot, signed_in: SignIn, page: FunctionType
) -> None:
    talk(valve(None).database, BO)
    signed_in(CY)
    script = f"from {page.__module__} import {page.__name__}\n{page.__name__}()"
    shown = AppTest.from_string(script, default_timeout=30).run()
    told = [e.value for e in shown.error] + [e.message for e in shown.exception]
    assert len(told) == 1
    assert "Only admins can do this" in told[0]
    assert not any((shown.markdown, shown.button, shown.dataframe, shown.selectbox, shown.title))


def test_a_link_to_another_s_answer_opens_nothing(valve: MakeChatbot, signed_in: SignIn) -> None:
    chatbot = valve(None)
    conversation = chatbot.conversations.of(BO.id).start("valve", "hold_time")
    turn = chatbot.ask(QUESTION, conversation=conversation, owner=BO.id).kept_as
    signed_in(CY)
    page = open_page(conversation, turn)
    assert "hold_time" not in str(page)
    assert "conversation" not in page.query_params
    signed_in(BO)
    assert "hold_time" in str(open_page(conversation, turn))


@pytest.mark.parametrize("asked_for", [None, "0" * 32])
def test_who_is_not_signed_in_sees_no_page(
    valve: MakeChatbot, signed_in: SignIn, asked_for: str | None
) -> None:
    valve(None)
    signed_in(None)
    page = open_page(asked_for)
    assert not any((page.chat_input, page.sidebar.selectbox, page.chat_message))
    assert "valve" not in str(page)
