"""The text of an answer on the page, as Markdown and listings to copy."""

import streamlit as st

from chatbot.text.markdown import AnswerMarkdown, Escaping
from ui.wording.escaping import as_code, as_text, inline, visible


def show_text(text: str, citations: int = 0, turn: int | None = None) -> None:
    """Show the text of an answer (`chatbot.text.markdown`).

    The marks up to the number of its `citations` stand out; those of a `turn` are links that
    `ui.chat.page_script` hears of.
    """

    def mark(number: int) -> str:
        if turn is None:
            return f":primary[\\[{number}\\]]"
        return f"[\\[{number}\\]](#source-{turn}-{number})"

    markdown = AnswerMarkdown(Escaping(inline, as_code, as_text, mark), citations)
    for piece in markdown.pieces(visible(text)):
        if piece.is_code:
            st.code(piece.text, language=None, wrap_lines=True)
        else:
            st.markdown(piece.text)
