from collections.abc import Callable, Iterator

import pytest

from chatbot.chatbot import Chatbot
from chatbot.releases.rules import resolve_release
from chatbot.settings import Settings
from chatbot.turn import Queries, Turn
from chatbot.understanding.queries import expand_terms, rewrite_query
from corpora.catalog.glossary import Entry, Glossaries
from corpora.database.engine import open_database
from tests.chatbot.conftest import opened
from tests.data_folders import copy_data, database_url

ENTRIES = (
    Entry("event log", ("EL", "journal", "event register")),
    Entry("warp-drive", ("WD",)),
    Entry("XF-1", ("client port",)),
    Entry("seconds", ("sec", "port")),
)


@pytest.fixture(scope="module")
def chatbot(
    relay_settings: Settings, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Chatbot]:
    """A chatbot without a model on a copy of the relay's documentation."""
    data = copy_data(relay_settings.data_dir, tmp_path_factory.mktemp("glossary") / "data")
    with opened(relay_settings.model_copy(update={"data_dir": data})) as chatbot:
        yield chatbot


@pytest.fixture
def queries(chatbot: Chatbot) -> Callable[..., Queries]:
    """The queries made of a question, with ENTRIES as the glossary."""
    rewrite = rewrite_query(chatbot.products, chatbot.corpora.corpus)
    expand = expand_terms(lambda _: ENTRIES, chatbot.corpora.corpus, lambda _: False)

    def made(question: str, *history: tuple[str, str]) -> Queries:
        found = resolve_release(question, chatbot.products(), product="relay", history=history)
        turn = Turn(question, product="relay", history=history, resolved=found)
        queries = expand(rewrite(turn)).queries
        assert queries is not None
        return queries

    return made


def test_a_term_that_the_release_lacks_is_put_in_its_words(queries: Callable[..., Queries]) -> None:
    found = queries("How long is the EL kept in 17.20?")
    assert found.base == "How long is the EL (event log) kept in 17.20?"
    assert found.filtered == "long EL kept 17.20 event log"
    assert found.versionless == "long EL kept event log"
    assert found.subject == "How long is the event log kept ?"
    assert found.lacking == ()


def test_a_term_that_the_release_has_in_no_wording_is_noted(
    queries: Callable[..., Queries],
) -> None:
    assert queries("How do I turn on WD in 17.20?").lacking == (("WD", "warp-drive"),)
    assert queries("How do I turn on WD in 18.00?").lacking == ()
    assert queries("How do I turn on WD in 18.00?").subject == "How do I turn on warp-drive ?"


def test_an_answer_is_found_by_a_synonym_from_the_next_question_on(chatbot: Chatbot) -> None:
    chatbot.glossaries.replace("relay", [])
    question = "What is the default of the revert timer in 17.20?"
    assert "hold_time" not in chatbot.ask(question).content.queries.base
    other = open_database(database_url(chatbot.settings.data_dir))
    Glossaries(other).put("relay", Entry("hold_time", ("revert timer",)))
    other.close()
    reply = chatbot.ask(question).content
    assert "hold_time=300" in reply.answer
    assert reply.queries.base == ("What is the default of the revert timer (hold_time) in 17.20?")
    assert "glossary_expansion" in reply.timings


def test_an_acronym_whose_meaning_is_documented_is_not_refused(chatbot: Chatbot) -> None:
    chatbot.glossaries.replace("relay", [Entry("event log", ("EVL",))])
    reply = chatbot.ask("How long is the EVL kept in 17.20?").content
    assert not reply.abstained
    assert "30 days" in reply.answer


def test_a_term_that_only_another_release_documents_is_refused(chatbot: Chatbot) -> None:
    chatbot.glossaries.replace("relay", [Entry("warp-drive", ("hyper mode",))])
    reply = chatbot.ask("How do I turn on hyper mode in 17.20?").content
    assert reply.abstained
    assert "does not document `hyper mode`. It is documented in 18.00." in reply.answer


def test_hostile_wordings_are_text(chatbot: Chatbot) -> None:
    hostile = ("</excerpts>", "{{release}}", "=cmd|calc", "<script>x</script>", r"(\w+)+$")
    chatbot.glossaries.replace("relay", [Entry("event log", hostile)])
    reply = chatbot.ask("How long is the event log kept in 17.20?").content
    assert reply.queries.base == "How long is the event log kept in 17.20?"
    assert "30 days" in reply.answer
