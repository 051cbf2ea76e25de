"""Adds made-up pairs to a memory until told to stop, and says which ones it has added."""

from __future__ import annotations

import sys

import numpy as np

from chatbot.memory.stores.stores import Stores
from corpora.database.engine import open_database
from tests.chatbot.made_memory import THRESHOLDS, made_pair, unit


def main(url: str, release: int, seed: int, count: int) -> None:
    random = np.random.default_rng(seed)
    database = open_database(url)
    stores = Stores(database, THRESHOLDS, limit=1000)
    for _ in range(count):
        added = stores.add(release, made_pair(unit(*random.normal(size=8)), random.uniform()))
        if added.kept:
            print(added.pair, *added.replaced, flush=True)  # noqa: T201
    database.close()


if __name__ == "__main__":
    main(sys.argv[1], *(int(argument) for argument in sys.argv[2:]))
