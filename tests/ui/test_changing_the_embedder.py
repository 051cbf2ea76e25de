"""The embedder is changed: what serves goes on, and every release is embedded anew behind it."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import update

from chatbot.accounts.people import LOCAL, Person
from chatbot.administration.exchange import Exchange
from chatbot.administration.faq_file import FaqFile, FaqRow
from chatbot.administration.thresholds import TooFewQuestions, propose_thresholds
from chatbot.assembly import open_chatbot
from chatbot.chatbot import NEW, Chatbot
from chatbot.models.embedders import ServedEmbedder, open_embedders
from chatbot.review.model_servers import server_figures
from corpora.catalog.catalog import Catalog
from corpora.database.tables import EmbeddingModelRow
from corpora.documents.embedding_anew import embedded_otherwise, order_embedding
from corpora.errors import EmbedderFailed
from corpora.indexing.onnx_embedder import Form
from corpora.jobs.jobs import JobKind, Jobs, JobState
from tests.job_work import worker
from tests.tiny_embedders import save_onnx_embedder
from tests.ui.conftest import close

pytestmark = pytest.mark.database
QUESTION = "What is the default of hold_time?"
NOWHERE = "http://127.0.0.1:1/v1#small"
WORDS = "what is the default of hold_time hold time seconds valve cover screw torque mount"


@pytest.fixture
def changed(chatbot: Chatbot, tmp_path: Path) -> Iterator[Chatbot]:
    """The same Strata after its setting was changed."""
    folder = save_onnx_embedder(tmp_path / "another", WORDS)
    settings = chatbot.settings.model_copy(update={"embedder": str(folder)})
    made = open_chatbot(settings)
    yield made
    close(made)


def now_of(chatbot: Chatbot, dimension: int, embedder: ServedEmbedder) -> None:
    """Let the vectors of this dimension be those of another embedder."""
    with chatbot.database.writing() as session:
        names = update(EmbeddingModelRow).where(EmbeddingModelRow.dimension == dimension)
        session.execute(names.values(name=embedder.name, setting=embedder.setting))


def work(chatbot: Chatbot) -> None:
    """Do all that waits, as the worker does."""
    settings = chatbot.settings
    embedders = open_embedders(settings, chatbot.database)
    done = worker(chatbot.database, settings.data_dir, embedders)
    while done.do_next():
        pass


def test_what_serves_is_searched_by_its_own_embedder_until_it_is_embedded_anew(
    chatbot: Chatbot, changed: Chatbot
) -> None:
    before = chatbot.ask(QUESTION, product="valve", release="1.0")
    generation = Catalog(chatbot.database).serving("valve", "1.0").generation
    waiting = embedded_otherwise(changed.database, changed.embedder.name)
    assert {s.product for s in waiting} >= {"valve"}

    meanwhile = changed.ask(QUESTION, product="valve", release="1.0", afresh=True)
    assert meanwhile.turn.answer.text == before.turn.answer.text
    assert not meanwhile.turn.answer.abstained

    assert order_embedding(changed.database, changed.embedder.name, "") == len(waiting)
    assert order_embedding(changed.database, changed.embedder.name, "") == 0
    work(changed)
    jobs = Jobs(changed.database).recent()
    assert {(j.kind, j.state) for j in jobs} >= {(JobKind.EMBED, JobState.DONE)}
    assert not embedded_otherwise(changed.database, changed.embedder.name)
    serving = Catalog(changed.database).serving("valve", "1.0").generation
    assert serving > generation
    corpus = changed.corpora.corpus("valve", "1.0")
    assert (corpus.embedder, corpus.dimension) == (changed.embedder.name, 16)
    after = changed.ask(QUESTION, product="valve", release="1.0", afresh=True)
    assert not after.turn.answer.abstained
    assert after.turn.answer.citations[0].page == before.turn.answer.citations[0].page


def test_back_again_nothing_is_embedded_twice(chatbot: Chatbot, changed: Chatbot) -> None:
    order_embedding(changed.database, changed.embedder.name, "")
    work(changed)
    order_embedding(chatbot.database, chatbot.embedder.name, "")
    work(chatbot)
    assert not embedded_otherwise(chatbot.database, chatbot.embedder.name)
    newest = Jobs(chatbot.database).recent()[0]
    assert (newest.state, newest.report["embedded"]) == (JobState.DONE, 0)


@pytest.mark.parametrize("on_a_server", [False, True])
def test_an_embedder_that_is_gone_is_done_without_and_said(
    chatbot: Chatbot, changed: Chatbot, on_a_server: bool
) -> None:
    order_embedding(changed.database, changed.embedder.name, "")
    work(changed)
    if on_a_server:
        now_of(chatbot, 16, ServedEmbedder(NOWHERE, None, Form()))
    else:
        (Path(changed.settings.embedder) / "tokenizer.json").unlink()

    answered = chatbot.ask(QUESTION, product="valve", release="1.0", afresh=True)
    assert not answered.turn.answer.abstained
    assert "searched by words alone" in str(answered.turn.fallbacks)


def test_todays_embedder_is_done_without_while_its_server_is_down_and_counted(
    chatbot: Chatbot,
) -> None:
    before = chatbot.ask(QUESTION, product="valve", release="1.0")
    now_of(chatbot, 384, ServedEmbedder(NOWHERE, None, Form()))
    today = open_chatbot(chatbot.settings.model_copy(update={"embedder": NOWHERE}))
    answered = today.ask(QUESTION, product="valve", release="1.0", conversation=NEW)
    assert answered.turn.answer.text == before.turn.answer.text
    without = {fallback.step: fallback.reason for fallback in answered.turn.fallbacks}
    assert without.keys() == {"memory", "context_retrieval", "context_reduction"}
    assert {"the embedder fails" in reason for reason in without.values()} == {True}
    assert not any("127.0.0.1" in reason for reason in without.values())
    assert answered.kept_as is not None
    today.feedback(LOCAL.id).give(answered.kept_as, 1)
    # One request for all steps of the question, and it failed.
    admin = Person("admin", "Admin", is_admin=True)
    figures = {of.model: of for of in server_figures(today.database, admin)}["small"]
    assert (figures.calls, figures.errors) == (1, (("unreachable", 1),))
    with pytest.raises(EmbedderFailed, match="start it, or set STRATA_EMBEDDER"):
        today.embedder.embed(["a text that is ingested"])
    close(today)


def test_thresholds_are_proposed_from_remembered_questions(
    chatbot: Chatbot, changed: Chatbot
) -> None:
    with pytest.raises(TooFewQuestions, match="import curated answers"):
        propose_thresholds(chatbot.database, chatbot.minilm, changed.embedder)
    rows = [
        FaqRow(n, "valve", "1.0", f"{what} of part {n}?", "Ask the hotline.", 1.0)
        for n, what in enumerate(
            f"{verb} {noun}"
            for verb in ("What is the torque", "How do I mount the cover", "Where is the seat")
            for noun in ("screw", "valve", "spring", "lid", "ring", "nut", "pipe", "rod", "cap",
                         "bolt", "gland")
        )
    ]  # fmt: skip
    Exchange(chatbot, LOCAL).bring_in(FaqFile("faq.csv", tuple(rows), ()))
    asked, same = propose_thresholds(chatbot.database, chatbot.minilm, chatbot.embedder)
    assert asked == len(rows)
    for threshold in same:
        # With MiniLM itself the threshold is the cosine at which it stands, within one pair.
        assert abs(threshold.proposed - threshold.of_minilm) < 0.05
    _, other = propose_thresholds(chatbot.database, chatbot.minilm, changed.embedder)
    assert [t.share for t in other] == [t.share for t in same]
