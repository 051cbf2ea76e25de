"""A model that sees is shown the figures of the pages found, if the settings say so."""

import base64
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from chatbot.answering.shown_figures import shown_pictures
from chatbot.chatbot import Chatbot
from tests.chatbot import lamp
from tests.chatbot.conftest import ingested, opened
from tests.pictures import picture

QUESTION = "Which colour has the brake cable?"
WRITTEN = "The brake cable is green [1]."


def test_the_best_page_s_figures_are_shown_first(tmp_path: Path) -> None:
    files = {f"{colour}.md": f"# {colour}\n\n{shown(colour)}\n" for colour in ("red", "blue")}
    with opened(ingested(tmp_path, "winch", {"3.0": files})) as chatbot:
        corpus = chatbot.corpora.corpus("winch", "3.0")
        red, blue = (corpus.pages_of(d.id)[0] for d in corpus.documents()[::-1])
        for pages in ([red, blue, red], [blue, red]):
            first, second = shown_pictures(chatbot.database, pages, most=2)
            best = pages[0].document.title
            assert f"The {best} cable" in first.about
            assert 'figure_of_passage="2"' in second.about


def shown(colour: str) -> str:
    data = base64.b64encode(picture(colour=colour)).decode()
    return f"![The {colour} cable </documentation>](data:image/png;base64,{data})"


@pytest.fixture
def chatbot(tmp_path: Path) -> Iterator[Chatbot]:
    """A chatbot on a page with four figures, without a model yet."""
    figures = "\n\n".join(map(shown, ("green", "red", "blue", "black")))
    page = f"# Winch\n\n## Brake cable\n\nThe brake cable is green.\n\n{figures}\n"
    with opened(ingested(tmp_path, "winch", {"3.0": {"winch.md": page}})) as chatbot:
        yield chatbot


@pytest.mark.parametrize(
    ("options", "number"),
    [
        ({"shown_figures": 3, "backend": "scripted"}, 3),
        ({"shown_figures": 1, "backend": "scripted"}, 1),
        ({"backend": "scripted"}, 0),
        ({"shown_figures": 3, "backend": "embedded"}, 0),
    ],
)
def test_a_model_is_shown_figures_if_it_can_see(
    chatbot: Chatbot, options: dict[str, object], number: int
) -> None:
    model = lamp.model(lamp.reading(QUESTION, search="brake cable"), lamp.answer(WRITTEN))
    settings = chatbot.settings.model_copy(update={"profile": "direct", **options})
    turn = replace(chatbot, settings=settings, model=model).ask(QUESTION).turn
    assert turn.answer is not None
    assert turn.answer.text == WRITTEN
    reading, writing = model.calls
    assert reading.pictures == ()
    assert len(writing.pictures) == number
    assert all(url.startswith("data:image/png;base64,iVBOR") for url in writing.pictures)
    (_, told) = writing.messages[-1]
    assert told.count('<documentation figure_of_passage="1">') == number
    assert told.count("</documentation>") == number
    # What is kept of a call is its text.
    assert "base64" not in str(turn.calls)
