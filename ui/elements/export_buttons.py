"""Buttons that write an export when they are pressed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import TYPE_CHECKING

import streamlit as st

if TYPE_CHECKING:
    from chatbot.review.exports import Format

Export = Callable[["Format"], Iterator[str]]
"""Records an export and returns its text in pieces.

It is called outside a run of the page, where Streamlit knows neither person nor session.
"""


def export_buttons(name: str, export: Export) -> None:
    """Offer a download in each format; nothing is read, nor recorded, before one is pressed."""
    from chatbot.review.exports import Format

    with st.container(horizontal=True, key=f"export-{name}", gap="small"):
        for form in Format:
            st.download_button(
                form.upper(),
                partial(written, export, form),
                file_name=f"strata-{name}.{form}",
                mime="text/csv" if form is Format.CSV else "application/jsonl",
                key=f"export-{name}-{form}",
                icon=":material/download:",
                help=f"Download as {form.upper()}. The audit log records each download.",
                on_click="ignore",
            )


def written(export: Export, form: Format) -> bytes:
    """The whole file."""
    return "".join(export(form)).encode()
