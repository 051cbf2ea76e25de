"""The services that the pages use, opened once for the process, and the current person."""

import threading

import streamlit as st

from chatbot.accounts.people import LOCAL, Account, Person, note_groups, person_of_account
from chatbot.accounts.sign_in import account_of_claims, account_of_header
from chatbot.administration import curation
from chatbot.administration.administration import Administration
from chatbot.assembly import open_chatbot
from chatbot.chatbot import Chatbot
from chatbot.conversations.conversations import Conversations
from chatbot.conversations.feedback import Feedback
from chatbot.errors import NobodySignedIn, NotSignedIn
from chatbot.review.gaps import ContentGaps
from chatbot.review.ratings import Ratings
from chatbot.settings import Settings, read_settings
from chatbot.text.languages import gettext
from corpora.catalog.rights import Rights
from eval.sets.proposals import Proposals
from ui.serving.answering import answered_elsewhere
from ui.serving.asking import QuestionRunner
from ui.serving.gate import PROXY_GROUPS, PROXY_PERSON

_opening = threading.Lock()
_opened: list[Chatbot] = []


def opened_chatbot() -> Chatbot:
    """The chatbot of this process, whose model pages and programs share.

    What fails is tried again.
    """
    with _opening:
        if not _opened:
            chatbot = open_chatbot(read_settings())
            if chatbot.settings.backend == "server":
                # An embedded model is loaded once, by this process; a server's is beside both.
                chatbot = answered_elsewhere(chatbot)
            chatbot.warm_up()
            _opened.append(chatbot)
        return _opened[0]


@st.cache_resource(show_spinner=False)
def whole() -> Chatbot:
    """The chatbot over the data folder of the settings, with everything that is in it.

    A page takes `chatbot` or `administered`; this is for what is nobody's, such as the settings.
    """
    return opened_chatbot()


def is_open() -> bool:
    """Whether the chatbot of this process is there already; opening it takes seconds."""
    return bool(_opened)


def chatbot() -> Chatbot:
    """The chatbot as the person of this session may see it. Raises NotSignedIn."""
    return whole().seen_by(current_person().viewer)


def administered() -> Chatbot:
    """The chatbot over what the person of this session administers: everything, or products.

    Raises NotAllowed for others.
    """
    person = current_person()
    sight = None if person.is_admin else Rights(whole().database).administered(person.viewer)
    if sight is None:
        person.require_admin()
    return whole().limited(sight)


def administers(person: Person) -> bool:
    """Whether somebody is an admin, of Strata or of products of it."""
    rights = Rights(whole().database)
    return person.is_admin or rights.administered(person.viewer) is not None


def account_administers(account: Account) -> bool:
    """Whether an account is an admin of products."""
    database = opened_chatbot().database
    viewer = person_of_account(database, account).viewer
    return Rights(database).administered(viewer) is not None


@st.cache_resource(show_spinner=False)
def open_questions() -> QuestionRunner:
    """The open questions: those without an answer yet."""
    return QuestionRunner(whole())


@st.cache_resource(show_spinner=False)
def _gaps() -> ContentGaps:
    """The content gaps; they cache the vectors of questions."""
    return ContentGaps(whole().database, whole().embedder)


def content_gaps() -> ContentGaps:
    """The content gaps of what the person of this session administers."""
    return _gaps().over(administered().database)


def current_person() -> Person:
    """The person of this session.

    Raises NotSignedIn where there is none, and NotAllowed where somebody signed in who may not
    come in.
    """
    settings = whole().settings
    if settings.sign_in == "none":
        return _local()
    person = person_of_account(whole().database, _account(settings))
    if settings.has_groups:
        note_groups(whole().database, person)
    return person


def releases(product: str) -> list[str]:
    """The releases of a product that can be asked, the newest first."""
    products = chatbot().products()
    return [r.name for p in products if p.name == product for r in reversed(p.releases)]


def conversations() -> Conversations:
    """The conversations of the person of this session."""
    return chatbot().conversations.of(current_person().id)


def feedback() -> Feedback:
    """The feedback of the person of this session."""
    return chatbot().feedback(current_person().id)


def ratings() -> Ratings:
    """The ratings of answers by admins."""
    return curation.ratings(administered())


def proposals() -> Proposals:
    """The questions that are proposed for the regression set, for admins."""
    return Proposals(administered().database)


def administration() -> Administration:
    """Changes that the person of this session makes as an admin."""
    return Administration(administered().database, current_person(), whole().limits)


def _local() -> Person:
    # The server listens on this machine only, unless somebody started Streamlit by themselves.
    if st.context.ip_address is not None:
        raise NotSignedIn(
            gettext(
                "This Strata has no sign-in, and can be used on its own machine only. "
                "Start it with `strata serve`."
            )
        )
    return LOCAL


def _account(settings: Settings) -> Account:
    if settings.sign_in == "proxy":
        named, groups = (str(st.user.get(name) or "") for name in (PROXY_PERSON, PROXY_GROUPS))
        return account_of_header(named, settings, groups)
    if st.user.get("is_logged_in") is not True:
        raise NobodySignedIn(gettext("Nobody is signed in."))
    return account_of_claims(st.user.to_dict(), settings)
