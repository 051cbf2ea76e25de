"""What the pages work with, opened once for the whole process."""

from __future__ import annotations

import streamlit as st

from chatbot.accounts.people import Person
from chatbot.administration import curation
from chatbot.administration.administration import Administration
from chatbot.assembly import Chatbot
from chatbot.conversations.conversations import Conversations
from chatbot.conversations.feedback import Feedback
from chatbot.review.gaps import ContentGaps
from chatbot.review.ratings import Ratings
from ui.serving.asking import Askings
from ui.serving.identity import person_of_session
from ui.serving.opened import opened_chatbot


@st.cache_resource(show_spinner="Opening the documentation …")
def chatbot() -> Chatbot:
    """The chatbot over the data folder of the settings."""
    return opened_chatbot()


@st.cache_resource(show_spinner=False)
def open_questions() -> Askings:
    """The questions that have no answer yet."""
    return Askings(chatbot())


@st.cache_resource(show_spinner=False)
def content_gaps() -> ContentGaps:
    """The content gaps; it knows the vectors of questions that it has seen."""
    return ContentGaps(chatbot().database, chatbot().embedder)


def current_person() -> Person:
    """The person of this session; raises what `person_of_session` raises."""
    return person_of_session(chatbot().database, chatbot().settings)


def conversations() -> Conversations:
    """The conversations of the person of this session."""
    return chatbot().conversations.of(current_person().id)


def feedback() -> Feedback:
    """What the person of this session thinks of the answers they got."""
    return chatbot().feedback(current_person().id)


def ratings() -> Ratings:
    """What admins think of answers."""
    return curation.ratings(chatbot())


def administration() -> Administration:
    """What the person of this session may change as an admin."""
    return Administration(chatbot().database, current_person(), chatbot().limits)
