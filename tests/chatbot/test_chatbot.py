import gc
import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from textwrap import dedent

import pytest
from langchain_core.language_models import BaseChatModel
from langchain_core.language_models.fake_chat_models import FakeListChatModel

from chatbot.chatbot import Chatbot
from chatbot.errors import BadQuestion, GeneratorError
from chatbot.models.scripted import ScriptedChatModel
from chatbot.models.served import ServedChatModel
from chatbot.runtime.concurrency import Stopped
from chatbot.runtime.events import Event, StepFinished, StepStarted, Token
from tests.chatbot import lamp
from tests.chatbot.conftest import ingested, opened
from tests.ui.scripted import Endless

MakeChatbot = Callable[[BaseChatModel | None], Chatbot]

LOG = "How long is the event log kept in 17.20?"


def says(*replies: str) -> FakeListChatModel:
    return FakeListChatModel(responses=list(replies))


def test_without_a_model_the_best_passage_is_shown_and_it_says_so(relay: MakeChatbot) -> None:
    reply = relay(None).ask(LOG)
    assert any("No language model" in warning for warning in reply.content.warnings)
    assert "30 days" in reply.content.answer
    assert reply.content.citations


@pytest.mark.parametrize(
    ("question", "begins"),
    [
        ("What does hold do?", "The passage of the 18.00 documentation that fits best:"),
        (
            "Can a client encrypt the hold by MACsec 999?",
            "The nearest passage in the 18.00 documentation; it lacks `client`, `encrypt` and "
            "`MACsec`:",
        ),
        ("How long is the hold?", "The passage of the 18.00 documentation that fits best:"),
        (
            "How SNMPv3 waits before the relay switches back in seconds?",
            "The nearest passage in the 18.00 documentation; it lacks `SNMPv3`:",
        ),
        ("Is the hold set by SNMPv3?", "The nearest passage in the 18.00 documentation; it lacks"),
    ],
)
def test_a_passage_that_lacks_words_of_the_question_is_not_promised_to_answer_it(
    relay: MakeChatbot, question: str, begins: str
) -> None:
    assert relay(None).ask(question, product="relay").content.answer.startswith(begins)


def test_without_a_model_steps_stand_below_the_sentence_that_was_found(tmp_path: Path) -> None:
    text = """
    # Hub

    Call `GET /lanes` to list the lanes.

    | Lane | Rate |
    |---|---|
    | west | 10 Gbit/s |

    1. Stop the hub.
    2. Start it again.
    """
    settings = ingested(tmp_path, "hub", {"1.0": {"hub.md": dedent(text)}})
    with opened(settings) as chatbot:
        answer = chatbot.ask("How do I list the lanes?").content.answer
    assert answer.index("GET /lanes") < answer.index("1. Stop the hub.")


TASKS = """
<h1>Tasks</h1>
<table><tr><th>Task</th><th>Commands</th><th>Downtime</th></tr>
<tr><td>restart the pump</td><td><pre>cd /opt/pump
pump start</pre></td><td>2 min</td></tr>
<tr><td>light the lamp</td><td>As root: <pre>lamp:
  mode: steady</pre></td><td>none</td></tr></table>
"""
RESTART = "restart the pump – Commands:\n\n```\ncd /opt/pump\npump start\n```"
LIGHT = "light the lamp – Commands:\n\n```\nlamp:\n  mode: steady\n```"
HEAD = "| Task | Commands | Downtime |\n| --- | --- | --- |\n"


@pytest.mark.parametrize(
    ("question", "shown"),
    [
        (
            "Which tasks are there?",
            f"{HEAD}| restart the pump | ↓ | 2 min |\n| light the lamp | As root: ↓ | none |"
            f"\n\n{RESTART}\n\n{LIGHT}",
        ),
        (
            "What is the downtime to light the lamp?",
            f"light the lamp: commands As root: ↓, downtime none [1].\n\n{LIGHT}",
        ),
    ],
)
def test_without_a_model_a_listing_in_a_cell_is_shown_as_it_is_written(
    tmp_path: Path, question: str, shown: str
) -> None:
    with opened(ingested(tmp_path, "hub", {"1.0": {"tasks.html": TASKS}})) as chatbot:
        assert chatbot.ask(question).content.answer.endswith(shown)


WAIT = """
# Hub

| Setting | Default | Meaning |
|---|---|---|
| hold_time | {hold} | seconds before the hub switches back |

Install the package of the hub.
"""
MORE = "\nSee the how-to of your system.\n\n| Setting | Default |\n|---|---|\n| max-retries | 3 |\n"


@pytest.fixture(scope="module")
def hub(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Chatbot]:
    newer = WAIT.format(hold=6) + MORE
    files = {"1.0": {"hub.md": WAIT.format(hold=5)}, "2.0": {"hub.md": newer}}
    with opened(ingested(tmp_path_factory.mktemp("hub"), "hub", files)) as chatbot:
        yield chatbot


def test_words_that_another_release_joins_refuse_where_they_are_a_name_alone(hub: Chatbot) -> None:
    assert "`max-retries`" in hub.ask("How do I set the max retries in 1.0?").content.answer
    assert "how-to" not in hub.ask("how to install the package in 1.0?").content.answer


def test_what_the_first_question_needs_is_there_before_it(relay: MakeChatbot) -> None:
    model = ServedChatModel(url="http://127.0.0.1:9/v1", model="m")
    gc.unfreeze()
    relay(model).warm_up()
    for thread in threading.enumerate():
        if thread.name == "warm-up":
            thread.join()
    assert model._provider == "openai"
    # A collection in the middle of an answer does not walk it.
    assert gc.get_freeze_count() > 100_000


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("In which releases is hold_time 6?", "`hold_time`: default 6"),
        ("In welchen Versionen ist hold_time 6?", "`hold_time`: default 6"),
        ("Which releases have a hold_time in seconds?", "is documented in 1.0 [1] and 2.0 [2]"),
    ],
)
def test_a_value_in_a_question_for_releases_is_told_of_each(
    hub: Chatbot, question: str, told: str
) -> None:
    assert told in hub.ask(question).content.answer


def test_what_several_products_are_asked_is_counted_and_told(tmp_path: Path) -> None:
    files = {release: {"hub.md": WAIT.format(hold=5)} for release in ("1.0", "2.0")}
    ingested(tmp_path, "hub", files)
    settings = ingested(tmp_path, "lane", {"3.1": {"lane.md": WAIT.format(hold=60)}})
    model = ScriptedChatModel(otherwise="It is 5 [1].")
    with opened(settings) as chatbot:
        direct = settings.model_copy(update={"profile": "direct"})
        asking = replace(chatbot, settings=direct, model=model)
        reply = asking.ask("What is hold_time in hub 1.0 and hub 2.0, and in lane 3.1?").content
        read = lamp.reading("Is hub faster?", ("2.0", "2.0"), product="hub", search="hold_time")
        asking = replace(asking, model=lamp.model(read, lamp.answer("It is 5 [1].")))
        alone = asking.ask("Is hub 2.0 faster than lane?").content
    assert reply.compared_releases == ("hub 1.0", "hub 2.0", "lane 3.1")
    assert reply.model_calls == len(model.calls) > 2
    assert alone.release_explanation == 'you said "2.0"; hub alone was searched, not lane'


def test_a_conversation_keeps_its_release_and_subject(relay: MakeChatbot) -> None:
    chatbot = relay(says("10 Gbit/s"))
    conversation = chatbot.conversations.start("relay", "ports")
    chatbot.ask("What rate has port XF-1 in 17.20?", conversation=conversation)
    chatbot.ask("And XF-2?", conversation=conversation)
    third = chatbot.ask("and in 17.10?", conversation=conversation)
    turns = relay(None).conversations.turns(conversation)
    assert [t.reply.release for t in turns] == ["17.20", "17.20", "17.10"]
    assert turns[1].reply.release_status == "conversation"
    assert "XF-2" in third.content.queries.base


@pytest.mark.parametrize("question", ["", "  \n ", "x" * 50_000])
def test_a_question_that_cannot_be_asked_says_why(relay: MakeChatbot, question: str) -> None:
    with pytest.raises(BadQuestion, match=r"empty|50,000 characters.*limit"):
        relay(ScriptedChatModel()).ask(question)


def test_a_listener_hears_the_steps_and_the_tokens(relay: MakeChatbot) -> None:
    heard: list[Event] = []
    relay(says("30 days")).ask(LOG, listener=heard.append)
    started = [e.step for e in heard if isinstance(e, StepStarted)]
    assert started == [e.step for e in heard if isinstance(e, StepFinished)]
    assert started[:3] == ["small_talk", "clarification", "inventory"]
    assert started[-1] == "answer_generation"
    assert "".join(e.text for e in heard if isinstance(e, Token)) == "30 days"


def test_a_stopped_question_ends_and_is_not_kept_as_answered(relay: MakeChatbot) -> None:
    chatbot = relay(Endless())
    conversation = chatbot.conversations.start("relay", "ports")
    heard: list[Event] = []
    with pytest.raises(Stopped):
        chatbot.ask(
            LOG,
            conversation=conversation,
            listener=heard.append,
            stopped=lambda: any(isinstance(e, Token) for e in heard),
        )
    written = len(heard)
    assert chatbot.conversations.turns(conversation) == ()
    assert chatbot.ask("What is the default of hold_time in 17.20?").content.release == "17.20"
    assert len(heard) <= written + 1


def test_another_question_of_the_same_model_is_served_after_a_failure(relay: MakeChatbot) -> None:
    chatbot = relay(ScriptedChatModel())
    with pytest.raises(GeneratorError, match="no reply"):
        chatbot.ask(LOG)
    assert chatbot.ask("Which releases are there?").content.route == "inventory"


def test_a_question_that_waits_for_another_can_be_stopped(relay: MakeChatbot) -> None:
    chatbot = relay(says("30 days"))
    inside, go_on = threading.Event(), threading.Event()

    def hold(event: Event) -> None:
        inside.set()
        go_on.wait(30)

    first = threading.Thread(target=chatbot.ask, args=(LOG,), kwargs={"listener": hold})
    first.start()
    assert inside.wait(30)
    with pytest.raises(Stopped):
        chatbot.ask(LOG, stopped=lambda: True)
    go_on.set()
    first.join()
