from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from chatbot.accounts.people import LOCAL, Account
from chatbot.accounts.preferences import choose_language, chosen_language
from chatbot.accounts.program_keys import ProgramKeys, Scope
from chatbot.chatbot import Chatbot
from chatbot.settings import Settings
from tests.chatbot.asked import answer
from tests.chatbot.test_sign_in import OIDC
from tests.ui.admin_pages import open_admin_page, shown
from tests.ui.conftest import MakeChatbot
from tests.ui.pages import button, go_to, open_page, texts

NAME = "Bo <b>[x](javascript:alert(1))</b>"


def with_sign_in(settings: Settings, **given: Any) -> Settings:
    return Settings(**settings.model_dump(exclude_defaults=True) | given)


def account_page() -> AppTest:
    return open_admin_page("account")


@pytest.fixture
def bo(valve: MakeChatbot, valve_settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    """Bo has signed in and had one conversation."""
    chatbot = valve(None, with_sign_in(valve_settings, **OIDC, keep_conversations=30))
    who = Account("https://id#7", "bo@example.org", NAME, is_admin=False)
    monkeypatch.setattr("ui.serving.services._account", lambda settings: who)
    own = chatbot.conversations.of("bo@example.org")
    if not own.recent():
        own.add(own.start("relay", "Mine?"), "Mine?", answer())


@pytest.mark.usefixtures("bo")
def test_a_person_sees_who_they_are_and_gives_a_key_what_anybody_may() -> None:
    page = account_page()
    assert r"Signed in as **Bo \<b\>\[x\]\(javascript\:alert\(1\)\)\<\/b\>**" in texts(page)
    assert ":gray-badge[user]" in texts(page)
    assert "Language model" not in texts(page)
    assert page.button_group[0].options == ["Ask questions", "Search and read pages"]
    (limit,) = page.number_input
    assert (limit.min, limit.max) == (1, 20)
    button(page, "Delete all …")
    assert next(b for b in page.button if b.label == "Delete").disabled


def test_without_sign_in_nobody_from_elsewhere_is_the_admin(
    valve: MakeChatbot, monkeypatch: pytest.MonkeyPatch
) -> None:
    valve(None)
    monkeypatch.setattr(
        "streamlit.runtime.context.ContextProxy.ip_address", property(lambda self: "10.0.0.7")
    )
    page = open_page()
    assert "can be used on its own machine only" in texts(page)
    assert not page.chat_input


def test_a_key_has_a_name_and_is_shown_once(chatbot: Chatbot) -> None:
    page = button(account_page(), "Create key")
    assert page.error
    assert ProgramKeys(chatbot.database).seen_by(LOCAL) == ()
    next(t for t in page.text_input if t.label == "Name").set_value("editor *of* Ann")
    button(page, "Create key")
    program = ProgramKeys(chatbot.database).program(page.code[0].value)
    assert (program.name, program.scopes) == ("editor *of* Ann", [Scope.ASK, Scope.SEARCH])
    assert r"The key of editor \*of\* Ann." in texts(page)
    button(page, "Done")
    assert not page.code
    assert page.dataframe[0].value["Name"].tolist() == ["editor *of* Ann"]


def test_the_language_that_is_chosen_is_kept(chatbot: Chatbot) -> None:
    page = account_page()
    next(s for s in page.selectbox if s.label == "Language").set_value("de").run()
    try:
        assert page.title[0].value == "Konto"
        assert chosen_language(chatbot.database, LOCAL.id) == "de"
        assert open_page().title[0].value == "Fragen zu valve"
        documents = open_admin_page("documents")
        assert documents.title[0].value == "Dokumente"
        assert " Dokumente · veröffentlicht " in shown(documents)
        assert go_to(documents, "chat").run().title[0].value == "Fragen zu valve"
    finally:
        choose_language(chatbot.database, LOCAL.id, "")
    assert open_page().title[0].value == "Ask about valve"
