"""Pages of documents: what a quotation on one may cost, and who gets which page."""

from __future__ import annotations

import time
from typing import Any

import pytest

from tests.ui.attacks.attack import Attack
from tests.ui.attacks.conftest import Server
from tests.ui.attacks.test_malformed import send
from tests.ui.attacks.test_roles import called
from ui.wording.marking import LONGEST_QUOTE, quoted_spans

BOUND = "a quote has 2,000 characters at most, looked at before the page is read"
MARKING = "parts of a quote are looked for near each other, and what it repeats begins no part"


def _one(id: str, door: str, payload: Any, by: str, *told: object) -> Attack:
    return Attack(id, "resources", door, payload, "others wait while a page is marked", by, told)


QUOTES = [
    _one("quote-of-62-kb", "rest", "hold " * 12_400, BOUND, 422),
    _one("quote-too-long-by-one", "rest", "x" * (LONGEST_QUOTE + 1), BOUND, 422),
    _one("quote-of-1.8-mb", "mcp", "hold " * 360_000, BOUND, "at most 2000 characters"),
]


@pytest.mark.parametrize("case", QUOTES, ids=str)
def test_a_long_quote_is_refused(server: Server, case: Attack) -> None:
    if case.door == "rest":
        path = f"/api/v1/pages/{server.page}?quote={case.payload.replace(' ', '+')}"
        assert send(server, "GET", path, None).status_code in case.refused
        return
    arguments = {"page_id": server.page, "quote": case.payload}
    result = called(server, "read_page", arguments, server.keys["all"]).json()["result"]
    assert result["isError"]
    assert case.refused[0] in str(result["content"])
    assert server.is_well()


MARKED = [
    _one("repeats-nearly", "page", ("a a b " * 17_000, "a b " * 500), MARKING),
    _one("repeats-nearly-and-short", "page", ("a a b " * 17_000, "a b " * 95), MARKING),
    _one("repeats-the-other-way-round", "page", ("a b " * 50_000, "b a " * 499 + "c"), MARKING),
    _one("repeats-one-word", "page", ("a " * 50_000, "a " * 998 + "c"), MARKING),
    _one("words-apart", "page", ("".join(f"{chr(n)} " + "x " * 99 for n in range(0x4E00, 0x51E8)),
         " ".join(map(chr, range(0x4E00, 0x51E8)))), MARKING),
]  # fmt: skip


@pytest.mark.parametrize("case", MARKED, ids=str)
def test_marking_takes_no_time_whatever_is_quoted(case: Attack) -> None:
    page, quote = case.payload
    assert len(quote) <= LONGEST_QUOTE
    begun = time.process_time()
    quoted_spans(page, quote)
    assert time.process_time() - begun < 5


CASES = [*QUOTES, *MARKED]
