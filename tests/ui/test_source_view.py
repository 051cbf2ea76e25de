from __future__ import annotations

from dataclasses import replace

import pytest
from streamlit.testing.v1 import AppTest

from chatbot.assembly import open_chatbot
from chatbot.chatbot import Chatbot
from chatbot.settings import Settings
from chatbot.turn import Citation
from corpora.building.building import Builder
from corpora.indexing.pages import StoredPage
from tests.hash_embedder import HashEmbedder
from tests.ingestion.office_files import deck, paragraph, saved, slide, word
from tests.ui.conftest import MakeChatbot
from tests.ui.hostile_drawings import drawing
from tests.ui.pages import button, texts
from tests.ui.valve_corpus import write_sources

RELEASES = ("1.0", "2.0", "3.0")
GUIDE = "The seal is greased with silicone every second year."
TRAINING = "The seal is pressed in with a stamp of wood."
LONE = "# Spare parts\n\nThe seal set is ordered as VX-77 and lasts for ten years.\n"


@pytest.fixture(scope="module")
def settings(tmp_path_factory: pytest.TempPathFactory) -> Settings:
    """The valve with a drawing; one of its pages is in release 2.0 alone."""
    folder = tmp_path_factory.mktemp("sources")
    settings = Settings(data_dir=folder / "data", generator="none")
    chatbot = open_chatbot(settings)
    for release, hold in zip(RELEASES, ("20", "45", "45"), strict=True):
        source = write_sources(folder, release, hold, "30")
        label = f'<text x="60" y="50">Valve {hold} bar</text><script>alert(1)</script>'
        (source / "front.svg").write_bytes(drawing(f"<title>Front</title>{label}"))
        if release == "2.0":
            (source / "spare.md").write_text(LONE, "utf-8")
            (source / "guide.docx").write_bytes(word(paragraph(GUIDE)))
            made = deck()
            slide(made, "Valve")
            slide(made, "Seals", [(0, TRAINING)])
            (source / "training.pptx").write_bytes(saved(made))
        Builder(chatbot.database, settings.data_dir, HashEmbedder(), workers=1).ingest(
            [source], product="valve", release=release
        )
    chatbot.database.close()
    return settings


@pytest.fixture
def chatbot(settings: Settings, valve: MakeChatbot) -> Chatbot:
    return valve(None, settings)


def page_with(chatbot: Chatbot, release: str, words: str) -> StoredPage:
    corpus = chatbot.corpora.corpus("valve", release)
    return next(
        page
        for document in corpus.documents()
        for page in corpus.pages_of(document.id)
        if words in page.text
    )


def citation(chatbot: Chatbot, release: str, quote: str, words: str = "") -> Citation:
    page = page_with(chatbot, release, words or quote)
    return Citation(
        document=page.document.title,
        file=page.document.file,
        release=release,
        page=page.number,
        section="",
        anchor=None,
        quote=quote,
        page_id=page.id,
    )


def panel(cited: Citation) -> AppTest:
    """The panel alone, without the chat below it."""

    def script() -> None:
        import streamlit as st

        from ui.sources.source_view import source_panel

        source_panel("valve", st.session_state["cited"])

    opened = AppTest.from_function(script, default_timeout=30)
    opened.session_state["cited"] = cited
    opened.run()
    assert not opened.exception
    return opened


def to_release(opened: AppTest, release: str) -> AppTest:
    opened.segmented_control[0].set_value(release).run()
    assert not opened.exception
    return opened


@pytest.mark.parametrize(
    ("quote", "marked", "place", "pictures"),
    [
        ("hold_time — 45 — s", ":yellow-background[45]", "reference\\.html", 0),
        (GUIDE, ":yellow-background[The seal is greased", "guide\\.docx", 0),
        (TRAINING, ":yellow-background[The seal is pressed", "training\\.pptx › slide 2", 0),
        ("The cover screw needs a torque of 4.5 N m.", "", "mounting\\.pdf › page 2", 1),
    ],
)
def test_a_page_is_clean_text_with_the_quote_marked_or_a_picture(
    chatbot: Chatbot, quote: str, marked: str, place: str, pictures: int
) -> None:
    opened = panel(citation(chatbot, "2.0", quote))
    assert ":primary-badge[valve 2\\.0]" in texts(opened)
    assert marked in texts(opened)
    assert place in texts(opened)
    assert len(opened.get("image")) == pictures


def test_going_on_in_another_release_stays_there(chatbot: Chatbot) -> None:
    opened = panel(citation(chatbot, "2.0", "The cover screw needs a torque of 4.5 N m."))
    button(to_release(opened, "1.0"), "Previous page")
    assert ":orange-badge[valve 1\\.0]" in texts(opened)
    assert "mounting\\.pdf › page 1" in texts(opened)
    assert opened.segmented_control[0].value == "1.0"
    button(opened, "Back to the source")
    assert ":primary-badge[valve 2\\.0]" in texts(opened)
    assert "mounting\\.pdf › page 2" in texts(opened)


def test_a_page_that_is_gone_is_told(chatbot: Chatbot) -> None:
    cited = replace(citation(chatbot, "2.0", "hold_time — 45 — s"), page_id=99_999)
    assert "has no page 99999" in panel(cited).error[0].value.replace("\\", "")


def test_a_file_that_is_gone_leaves_the_text(chatbot: Chatbot) -> None:
    page = page_with(chatbot, "2.0", "cover screw")
    corpus = chatbot.corpora.corpus("valve", "2.0")

    def gone(content_hash: str) -> bytes:
        raise LookupError(f"valve 2.0 has no file {content_hash}.")

    corpus.original = gone  # type: ignore[method-assign]
    opened = panel(citation(chatbot, "2.0", "", page.text[:12]))
    assert "has no file" in opened.info[0].value
    assert "cover screw" in texts(opened)
