"""An answer's text as Markdown for the page."""

from __future__ import annotations

from chatbot.answer_markdown import AnswerMarkdown, Escaping
from ui.escaping import as_code, as_text, inline, visible

_ON_THE_PAGE = Escaping(
    line=inline, code=as_code, block=as_text, mark=lambda number: f":primary[\\[{number}\\]]"
)


def answer_markdown(text: str, citations: int = 0) -> str:
    """Turn the text of an answer into Markdown (`chatbot.answer_markdown`).

    The marks up to the number of its `citations` stand out.
    """
    return AnswerMarkdown(_ON_THE_PAGE, citations).whole(visible(text))


def answer_line(text: str, citations: int = 0) -> str:
    """The same for a part of a line, which holds no invisible character."""
    return AnswerMarkdown(_ON_THE_PAGE, citations).line(text)
