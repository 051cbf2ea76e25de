"""What several threads of a question read at the same time is read once."""

from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from threading import Event

import pytest

from corpora.database.read_once import once, reading_once


def test_a_read_that_goes_on_is_waited_for_and_one_that_fails_is_done_again() -> None:
    begun, go_on, calls = Event(), Event(), []

    def read(name: str) -> str:
        calls.append(name)
        begun.set()
        assert go_on.wait(10)
        if len(calls) == 1:
            raise ValueError("stopped")
        return f"{name} {len(calls)}"

    with reading_once(), ThreadPoolExecutor(3) as threads:
        first = threads.submit(copy_context().run, once, read, "valve")
        assert begun.wait(10)
        others = [threads.submit(copy_context().run, once, read, "valve") for _ in range(2)]
        go_on.set()
        with pytest.raises(ValueError, match="stopped"):
            first.result(10)
        assert [other.result(10) for other in others] == ["valve 2"] * 2
        assert once(read, "valve") == "valve 2"
    assert once(read, "valve") == "valve 3"
