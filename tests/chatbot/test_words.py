from pathlib import Path

import pytest

from chatbot.releases.resolution import ReleaseStatus, Resolution
from chatbot.text.words import filtered, listed, search_terms
from chatbot.turn import Queries, Turn
from chatbot.understanding.queries import correct_spelling
from corpora.building.building import Builder
from corpora.database.engine import Database
from corpora.indexing.corpus import open_corpus
from tests.corpora.beacon import ingest_beacon, write
from tests.hash_embedder import HashEmbedder


def test_a_question_is_searched_for_by_its_topic_and_not_by_the_products_name(
    database: Database, data_dir: Path, tmp_path: Path
) -> None:
    docs = write(tmp_path / "docs", a="# Lever\n\nThe lever of the beacon is by its hinge.\n")
    ingest_beacon(database, docs, data_dir=data_dir)
    corpus = open_corpus(database, data_dir, "Beacon", "17.10")
    terms = search_terms("what is the lever of beacon", "its hinge", corpus)
    assert terms == {"lever": 1.0, "hing": 0.3}
    corpus.close()


def test_stop_words_are_those_of_english_and_of_the_documents() -> None:
    assert filtered("Kabel für den Mast") == "Kabel für den Mast"
    assert filtered("Kabel für den Mast", ["de"]) == "Kabel Mast"


def test_contractions_are_small_words_with_and_without_their_apostrophe() -> None:
    assert filtered("What's open, whats shut, and dont they move?") == "open shut move"


def test_names_in_a_sentence() -> None:
    assert listed(["1.0"]) == "1.0"
    assert listed(["1.0", "1.2"]) == "1.0 and 1.2"
    assert listed(("1.0", "1.2", "2.0"), "or") == "1.0, 1.2 or 2.0"


@pytest.mark.parametrize(("language", "asked"), [("en", "lantern"), ("de", "lantren")])
def test_words_are_corrected_only_where_the_documents_are_english(
    database: Database, data_dir: Path, tmp_path: Path, language: str, asked: str
) -> None:
    docs = write(tmp_path / "docs", a="# Lantern\n\nOne.\n", b="# Lantern\n\nTwo.\n")
    build = Builder(database, data_dir, HashEmbedder(), workers=1)
    build.ingest([docs], product="Beacon", release="1", language=language)
    corpus = open_corpus(database, data_dir, "Beacon", "1")
    correct = correct_spelling(lambda *_: corpus, lambda _: ["1"], lambda _: False)
    resolved = Resolution(ReleaseStatus.LATEST, "Beacon", ("1",))
    queries = Queries("lantren", "lantren", None, "lantren")
    turn = correct(Turn("lantren", product="Beacon", resolved=resolved, phrased=queries))
    assert turn.queries.filtered == asked
    corpus.close()
