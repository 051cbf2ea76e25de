"""Buttons that hand out a conversation as a file."""

from __future__ import annotations

import re
from functools import partial

import streamlit as st

from chatbot.conversations.export import conversation_json, conversation_markdown
from ui.serving import services

_LONGEST_NAME = 60


def show_export(conversation: str) -> None:
    """Offer an own conversation as Markdown and as JSON; the file is made when it is wanted.

    Raises UnknownConversation for one that is not there or another's.
    """
    # The owner is told apart now: a download runs outside of the session.
    own = services.conversations()
    name = _file_name(own.get(conversation).title)
    for label, write, suffix, mime in (
        ("Export as Markdown", conversation_markdown, "md", "text/markdown"),
        ("Export as JSON", conversation_json, "json", "application/json"),
    ):
        st.download_button(
            label,
            partial(write, own, conversation),
            file_name=f"{name}.{suffix}",
            mime=mime,
            icon=":material/download:",
            key=f"export-{suffix}-{conversation}",
            on_click="ignore",
            width="stretch",
        )


def _file_name(title: str) -> str:
    """A name that every file system takes."""
    words = re.sub(r"[^a-z0-9.]+", "-", title.lower())[:_LONGEST_NAME].strip("-.")
    return words or "conversation"
