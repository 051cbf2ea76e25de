import asyncio
from pathlib import Path

import pytest

from chatbot.releases.resolution import ReleaseStatus, Resolution
from chatbot.retrieval.context_retrieval import retrieve_single_chunks
from chatbot.turn import Queries, Turn
from corpora.database.engine import Database
from corpora.indexing import single_chunks
from corpora.indexing.corpus import OpenCorpora
from corpora.indexing.retrieval import RetrievalSettings
from tests.corpora.beacon import ingest_beacon, many_pages, write_beacon
from tests.hash_embedder import HashEmbedder

QUESTION = "How many metres must the mast of the beacon have?"


def test_single_chunks_of_the_asked_release_are_retrieved_best_first(
    database: Database, data_dir: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of two releases, of which 17.10 has some ten single chunks to embed."""
    monkeypatch.setattr(single_chunks, "TEXTS_AT_ONCE", 2)
    docs = many_pages(write_beacon(tmp_path / "docs", mast=12), files=1, sections=6)
    ingest_beacon(database, docs)
    ingest_beacon(database, write_beacon(tmp_path / "other", mast=99), release="17.20")
    corpora, settings = OpenCorpora(database, data_dir), RetrievalSettings.of_the_paper()
    step = retrieve_single_chunks(corpora.corpus, HashEmbedder(), settings=settings)
    turn = Turn(
        QUESTION,
        resolved=Resolution(ReleaseStatus.STATED, "Beacon", ("17.10",)),
        phrased=Queries(QUESTION, "metres mast beacon", "word0x1x5 word0x1x7", "mast"),
    )

    async def retrieved() -> Turn:
        return await step(turn)

    found = asyncio.run(retrieved()).retrieved
    assert "12 metres" in found[0].text
    assert "99 metres" not in str(found)
    assert 4 < len(found) <= 12
    assert len({(chunk.page.id, chunk.text) for chunk in found}) == len(found)
    assert [c.score for c in found] == sorted((c.score for c in found), reverse=True)
    assert all(chunk.text in chunk.page.text for chunk in found)
    corpora.close()
