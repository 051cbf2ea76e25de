"""Questions that the tables of the parameters answer by themselves, and those that it passes on."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from chatbot.chatbot import AnsweredTurn, Chatbot
from chatbot.turn import Origin, Route
from tests.chatbot.conftest import ingested, opened

Ask = Callable[..., AnsweredTurn]
TIMERS = """# Timers

## Parameters of a line

| Parameter | Default | Unit | Range |
| --- | --- | --- | --- |
| `hold-off` | {hold} | ms | 0 to 1,000 |
| `{second}` | 5 | min | 0 to 12 |

## Parameters of a client

| Parameter | Default | Unit |
| --- | --- | --- |
| `hold-off` | 9 | ms |

## log_level

Default: info

{since}
"""
NOTES = """# Release notes

- The way back is timed by `wait-to-restore` instead of `restore-time`.
"""


@pytest.fixture(scope="module")
def ask(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Ask]:
    """Asks a chatbot without a model on three releases."""
    old, new = "restore-time", "wait-to-restore"
    since = "New in version 1.5."
    files = {
        "1.0": {"timers.md": TIMERS.format(hold=50, second=old, since="")},
        "2.0": {
            "timers.md": TIMERS.format(hold=70, second=new, since=since),
            "release-notes.md": NOTES,
        },
        "3.0": {"timers.md": TIMERS.format(hold=80, second=new, since=since)},
    }
    settings = ingested(tmp_path_factory.mktemp("valve"), "valve", files)
    with opened(settings) as chatbot:
        yield chatbot.ask


def cited(chatbot: Ask, reply: AnsweredTurn) -> set[str]:
    """The releases that are cited; every quotation stands on its page."""
    owner: Chatbot = chatbot.__self__  # type: ignore[attr-defined]
    for citation in reply.content.citations:
        assert citation.origin is Origin.GRAPH
        page = owner.corpora.corpus("valve", citation.release).page(citation.page_id)
        assert citation.quote in page.text
    return {citation.release for citation in reply.content.citations}


def test_every_parameter_of_a_section_is_listed_with_its_default(ask: Ask) -> None:
    reply = ask("List the parameters of a line with their defaults in 2.0")
    assert reply.turn.route is Route.GRAPH
    assert "has 2 parameters in 2.0" in reply.content.answer
    assert "| `hold-off` | 70 ms | 0 to 1,000 | [1] |" in reply.content.answer
    assert "| `wait-to-restore` | 5 min | 0 to 12 | [2] |" in reply.content.answer
    assert cited(ask, reply) == {"2.0"}


def test_what_replaced_a_parameter_is_told_by_the_release_that_says_so(ask: Ask) -> None:
    for question in ("What replaced restore-time?", "what do I use instead of `restore-time`"):
        reply = ask(question)
        assert reply.content.answer.startswith(
            "In 2.0, `wait-to-restore` takes the place of `restore-time` [1]."
        )
        assert reply.content.release == "2.0"
        assert cited(ask, reply) == {"2.0"}


def test_a_question_that_names_a_release_is_not_answered_from_another(ask: Ask) -> None:
    assert ask("What replaced restore-time in 3.0?").turn.route is not Route.GRAPH


def test_since_when_a_parameter_is_there_is_looked_up_in_every_release(ask: Ask) -> None:
    reply = ask("Since when is there log_level?")
    assert reply.turn.route is Route.COMPARE
    assert "2.0 [2] and 3.0 [3]" in reply.content.answer
    assert "3.0 says under “log_level”: New in version 1.5 [4]." in reply.content.answer


@pytest.mark.parametrize(
    "question",
    [
        "What replaced the operator?",
        "List all parameters of the universe",
        "How do I set the parameters of a line?",
        "What is the default of hold-off?",
        "How long does the valve wait?",
    ],
)
def test_what_the_graph_does_not_know_is_answered_as_before(ask: Ask, question: str) -> None:
    assert ask(question).turn.route is not Route.GRAPH
