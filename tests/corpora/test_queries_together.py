from collections.abc import Sequence
from threading import Barrier, Event, Thread

import numpy as np
import pytest

from corpora.errors import EmbedderFailed
from corpora.indexing.embedding import Vectors
from corpora.indexing.queries_together import QueriesTogether


class Lengths:
    """Embeds a text as its length, and remembers what it was asked for at once."""

    def __init__(self) -> None:
        self.asked: list[list[str]] = []
        self.waits = Event()
        self.goes_on = Event()
        self.goes_on.set()

    def __call__(self, queries: Sequence[str]) -> Vectors:
        self.asked.append(list(queries))
        self.waits.set()
        assert self.goes_on.wait(10)
        if "poison" in queries:
            raise EmbedderFailed("no vector for poison")
        return np.array([[len(query)] for query in queries], dtype=np.float32)


def test_each_gets_its_own_rows_in_order_and_none_is_embedded_twice() -> None:
    embed = Lengths()
    together = QueriesTogether(embed)
    assert together(["ab", "a", "ab"]).ravel().tolist() == [2, 1, 2]
    assert together(["a", "abc"]).ravel().tolist() == [1, 3]
    assert embed.asked == [["ab", "a"], ["abc"]]


def test_those_who_wait_are_embedded_together() -> None:
    embed = Lengths()
    embed.goes_on.clear()
    together = QueriesTogether(embed)
    found: dict[str, float] = {}
    entered = Barrier(4)

    def ask(query: str) -> None:
        entered.wait()
        found[query] = float(together([query])[0, 0])

    first = Thread(target=lambda: together(["first"]))
    first.start()
    assert embed.waits.wait(10)
    others = [Thread(target=ask, args=["x" * n]) for n in (1, 2, 3)]
    for other in others:
        other.start()
    entered.wait()
    while len(together._waiting) < 4:
        pass
    embed.goes_on.set()
    for thread in (first, *others):
        thread.join(10)
    assert found == {"x": 1, "xx": 2, "xxx": 3}
    assert [len(some) for some in embed.asked] == [1, 3]


def test_a_text_of_somebody_else_that_fails_is_no_failure_of_mine() -> None:
    embed = Lengths()
    together = QueriesTogether(embed)
    together._waiting["poison"] = None
    assert together(["mine"]).tolist() == [[4]]
    with pytest.raises(EmbedderFailed, match="poison"):
        together(["poison"])
    assert embed.asked == [["mine", "poison"], ["mine"], ["poison"]]
    assert not together._waiting


def test_many_at_once_are_not_kept() -> None:
    embed = Lengths()
    together = QueriesTogether(embed)
    assert len(together([f"{n}" for n in range(50)])) == 50
    together(["1"])
    assert len(embed.asked) == 2
