from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chatbot.memory.stores.held import Held
from chatbot.memory.stores.vector_table import VectorTable
from tests.chatbot.made_memory import unit


def test_what_was_not_used_for_long_goes_first_and_the_last_one_stays(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    held = Held()
    for name in "abc":
        held.table(name).put(1, unit(1, 0), 0)
    size = held.table("a").nbytes
    monkeypatch.setattr("chatbot.memory.stores.held.HELD_BYTES", 2 * size)
    held.trim()
    assert [name for name in "abc" if held.get(name)] == ["a", "c"]
    monkeypatch.setattr("chatbot.memory.stores.held.HELD_BYTES", 0)
    held.trim()
    assert [name for name in "abc" if held.get(name)] == ["a"]
    held.drop()
    assert held.get("a") is None


@given(st.lists(st.tuples(st.integers(1, 90), st.booleans()), max_size=300))
def test_a_table_holds_what_was_put_and_not_taken(changes: list[tuple[int, bool]]) -> None:
    table, expected = VectorTable(), dict[int, float]()
    for seq, (key, comes) in enumerate(changes):
        vector = unit(1 + seq, 1)
        if comes:
            table.put(key, vector, seq)
            expected[key] = float(vector[0])
        else:
            table.take(key)
            expected.pop(key, None)
    ids, cosines = table.compared(unit(1, 0))
    found = {int(key): float(cosine) for key, cosine in zip(ids, cosines, strict=True) if key}
    assert found.keys() == expected.keys()
    assert len(table) == len(expected)
    for key, cosine in expected.items():
        assert np.isclose(found[key], cosine)
