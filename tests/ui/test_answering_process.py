"""Questions that another process answers: its events and errors, and what becomes of its end."""

import pickle
from collections.abc import Iterator

import pytest

from chatbot import errors
from chatbot.assembly import open_chatbot
from chatbot.errors import AnsweringEnded, BadQuestion, UnknownConversation
from chatbot.runtime.concurrency import Stopped
from chatbot.runtime.events import Event, StepStarted, Token
from chatbot.settings import Settings
from corpora import errors as of_corpora
from corpora.database.sight import Sight
from ingestion.errors import StrataError
from tests.chatbot.conftest import close
from tests.chatbot.small_server import SmallServer, endless, serving, words
from tests.ui.conftest import forget_people
from tests.ui.valve_corpus import LATEST
from ui.serving.answering import AnsweredElsewhere, answered_elsewhere

SAID = "The pressure log is kept for 90 days [1]."


@pytest.fixture
def model() -> Iterator[SmallServer]:
    """A model's server."""
    with serving(words(SAID)) as server:
        yield server


@pytest.fixture
def elsewhere(valve_settings: Settings, model: SmallServer) -> Iterator[AnsweredElsewhere]:
    """A chatbot whose questions another process answers, in one call each."""
    chosen = {"backend": "server", "model": "m", "server_url": model.url, "profile": "embedded"}
    chatbot = answered_elsewhere(open_chatbot(valve_settings.model_copy(update=chosen)))
    chatbot.warm_up()
    yield chatbot
    forget_people(chatbot)
    child, door = chatbot.process.start()
    door.close()
    assert child.wait(20) == 0
    close(chatbot)


def test_what_is_asked_and_searched_elsewhere_is_what_it_is_here(
    elsewhere: AnsweredElsewhere, model: SmallServer
) -> None:
    heard: list[Event] = []
    there = elsewhere.ask(LATEST, conversation="new", listener=heard.append)
    here = open_chatbot(elsewhere.settings)
    assert there.content.answer == here.ask(LATEST, afresh=True).content.answer
    assert (there.content.model, len(model.bodies)) == ("m", 2)
    assert "".join(e.text for e in heard if isinstance(e, Token)).startswith("The pressure log")
    assert StepStarted("context_retrieval") in heard
    assert there.conversation is not None
    assert [t.id for t in elsewhere.conversations.turns(there.conversation)] == [there.kept_as]
    found = elsewhere.search("pressure log", product="valve", release="2.0")
    assert found.selected == here.search("pressure log", product="valve", release="2.0").selected
    nothing = elsewhere.limited(Sight((), (1,), (1, 2), ("valve",)))
    assert nothing.products() == ()
    assert nothing.ask(LATEST).content.abstained
    close(here)


def test_errors_and_a_stop_come_as_they_are_here(
    elsewhere: AnsweredElsewhere, model: SmallServer
) -> None:
    with pytest.raises(UnknownConversation, match="There is no conversation 'gone'"):
        elsewhere.ask(LATEST, conversation="gone")
    with pytest.raises(BadQuestion) as refused:
        elsewhere.ask("?" * 60_000)
    assert "_answer" in "".join(refused.value.__notes__)

    model.answers[:] = [endless]
    heard: list[Event] = []
    with pytest.raises(Stopped):
        elsewhere.ask(
            LATEST, listener=heard.append, stopped=lambda: any(type(e) is Token for e in heard)
        )
    assert model.left.wait(10)


def test_an_end_in_the_middle_is_told_and_the_next_question_is_answered(
    elsewhere: AnsweredElsewhere, model: SmallServer
) -> None:
    model.answers[:] = [endless, words(SAID)]
    child, _ = elsewhere.process.start()

    def kill(event: Event) -> None:
        if isinstance(event, Token):
            child.kill()

    with pytest.raises(AnsweringEnded, match="Ask again"):
        elsewhere.ask(LATEST, listener=kill)
    child.wait(10)
    assert "90 days" in elsewhere.ask(LATEST).content.answer


@pytest.mark.parametrize(
    "kind",
    [
        kind
        for module in (errors, of_corpora)
        for kind in vars(module).values()
        if isinstance(kind, type)
        and issubclass(kind, StrataError)
        and kind is not errors.UnknownTurn
    ],
)
def test_every_error_can_be_sent(kind: type[StrataError]) -> None:
    error = kind("nothing in {release}", release="2.0")
    error.add_note("where")
    sent = pickle.loads(pickle.dumps(error))
    assert (type(sent), str(sent), sent.__notes__) == (kind, "nothing in 2.0", ["where"])
    assert sent.args[0].values == {"release": "2.0"}
