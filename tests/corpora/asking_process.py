"""A process that asks the same question over and over, and prints which generation answers."""

import sys
import threading
from pathlib import Path

from corpora.database.engine import open_database
from corpora.indexing.corpus import OpenCorpora
from tests.hash_embedder import HashEmbedder


def main(url: str, data_dir: Path) -> None:
    stopped = threading.Event()
    threading.Thread(target=lambda: (sys.stdin.read(), stopped.set()), daemon=True).start()
    database = open_database(url)
    corpora = OpenCorpora(database, data_dir)
    vector = HashEmbedder().embed(["The mast of the beacon in metres"])[0]
    while not stopped.wait(0.01):
        corpus = corpora.corpus("Beacon", "17.10")
        by_vector = [i for i, _ in corpus.nearest(vector, 2)]
        by_term = [i for i, _ in corpus.lexical(["mast"], 2)]
        chunks = corpus.chunks(by_vector + by_term)
        page = corpus.page(chunks[by_term[0]].page_id)
        assert corpus.context_chunk(page.id)
        height = page.text.partition("at least ")[2].split()[0]
        sys.stdout.write(f"{corpus.generation} {height} {len(corpus.documents())}\n")
        sys.stdout.flush()
    corpora.close()
    database.close()


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]))
