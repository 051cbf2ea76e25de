"""A history of made-up conversations, as long and as varied as that of a team after years.

Everything is drawn from one seed, so that two runs measure the same.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from itertools import accumulate
from random import Random
from typing import Any

from sqlalchemy import insert

from corpora.database.engine import Database
from corpora.database.history_tables import (
    ConversationRow,
    FeedbackRow,
    ReviewRow,
    TurnCitationRow,
    TurnRow,
    TurnTextRow,
    TurnTraceRow,
)
from corpora.database.tables import Base

BEGIN = datetime(2024, 1, 1, tzinfo=UTC)
YEARS = timedelta(days=730)
TURNS_A_CONVERSATION = 4
_AT_ONCE = 1000
_PRODUCTS = {
    "beacon": ("3.0", "3.1", "3.2", "4.0"),
    "harbour": ("2023.1", "2023.2", "2024.1"),
    "tessaline": ("17.10", "17.20", "18.00", "18.10"),
}
_ROUTES = ("documents",) * 17 + ("compare", "inventory", "clarify")
_SYLLABLES = ("ba", "cor", "del", "fi", "gan", "lo", "mer", "nu", "pas", "ri", "sol", "ten", "vo")
_WORDS, _FILES, _PEOPLE, _TRACES = 6000, 400, 250, 50


@dataclass(frozen=True)
class _Words:
    """Words as often as in a language: the second half as often as the first, and so on."""

    random: Random
    words: tuple[str, ...]
    weights: tuple[float, ...]
    traces: list[bytes] = field(default_factory=list)

    def sentence(self, least: int, most: int) -> str:
        number = self.random.randint(least, most)
        chosen = self.random.choices(self.words, cum_weights=self.weights, k=number)
        return f"{' '.join(chosen).capitalize()}."


def word(number: int) -> str:
    """The word of a rank: 0 is the most frequent one, and all have different letters."""
    letters, rest = "", number
    while True:
        rest, syllable = divmod(rest, len(_SYLLABLES))
        letters += _SYLLABLES[syllable]
        if not rest:
            return f"{letters}{'x' * (number % 2)}"


def fill(
    database: Database,
    turns: int,
    *,
    seed: int = 7,
    on_progress: Callable[[int], None] = lambda done: None,
) -> None:
    """Write so many turns into an empty database, the oldest first."""
    random = Random(seed)
    weights = tuple(accumulate(1 / (rank + 3) for rank in range(_WORDS)))
    words = _Words(random, tuple(map(word, range(_WORDS))), weights)
    words.traces.extend(_trace(words) for _ in range(_TRACES))
    rows: dict[type[Base], list[dict[str, Any]]] = {}
    for number in range(1, turns + 1):
        for table, row in _turn(number, turns, random, words):
            rows.setdefault(table, []).append(row)
        if number % _AT_ONCE == 0 or number == turns:
            with database.writing() as session:
                # Conversations and turns come first in every turn's rows, as they must here.
                for table, new in rows.items():
                    session.execute(insert(table), new)
            rows = {}
            on_progress(number)


def _trace(words: _Words) -> bytes:
    """A trace with a prompt of some 7,000 characters, compressed as it is kept."""
    prompt = [["system", words.sentence(80, 120)], ["user", words.sentence(600, 900)]]
    call = {"step": "answer_generation", "prompt": prompt, "reply": words.sentence(5, 20)}
    return zlib.compress(json.dumps({"retrieved": [], "calls": [call]}).encode())


def _turn(
    number: int, turns: int, random: Random, words: _Words
) -> Iterator[tuple[type[Base], dict[str, Any]]]:
    created = BEGIN + YEARS * (number / turns)
    conversation, position = divmod(number - 1, TURNS_A_CONVERSATION)
    owner = f"person{conversation * 7919 % _PEOPLE}@example.org"
    product = tuple(_PRODUCTS)[conversation % len(_PRODUCTS)]
    identity = f"conversation-{conversation}"
    question = words.sentence(5, 22).rstrip(".") + "?"
    if position == 0:
        yield (
            ConversationRow,
            {
                "id": identity,
                "owner": owner,
                "product": product,
                "title": question[:120],
                "created": created,
                "updated": created,
            },
        )
    route = random.choice(_ROUTES)
    abstained = route == "clarify" or random.random() < 0.08
    release = None if route in ("compare", "clarify") else random.choice(_PRODUCTS[product])
    seconds = round(random.lognormvariate(1.2, 0.8), 3)
    citations = [
        {
            "document": words.sentence(2, 5),
            "file": f"{product}/part-{int(random.paretovariate(0.6)) % _FILES}.html",
            "release": release or _PRODUCTS[product][0],
            "page": random.randint(1, 40),
            "section": words.sentence(2, 8),
            "anchor": None,
            "quote": words.sentence(20, 90),
            "page_id": random.randint(1, 10_000),
        }
        for _ in range(0 if abstained else random.randint(1, 5))
    ]
    answer = "\n\n".join([words.sentence(3, 30), *(f"> {c['quote']}" for c in citations)])
    yield (
        TurnRow,
        {
            "id": number,
            "conversation_id": identity,
            "position": position,
            "question": question,
            "answer": _reply(answer, product, release, route, abstained, seconds, citations),
            "release": release,
            "created": created,
            "superseded": random.random() < 0.03,
            "owner": owner,
            "product": product,
            "route": route,
            "abstained": abstained,
            "seconds": seconds,
            "profile": "embedded",
            "model": "qwen2.5-coder-1.5b",
            "model_calls": 1,
        },
    )
    yield TurnTextRow, {"turn_id": number, "text": f"{question}\n{answer}"}
    yield TurnTraceRow, {"turn_id": number, "trace": random.choice(words.traces)}
    for file in {c["file"] for c in citations}:
        place = {"turn_id": number, "release": citations[0]["release"], "file": file}
        yield TurnCitationRow, place
    yield from _opinions(number, created, random, words)


def _reply(
    answer: str,
    product: str,
    release: str | None,
    route: str,
    abstained: bool,
    seconds: float,
    citations: list[dict[str, Any]],
) -> dict[str, Any]:
    return {
        "answer": answer,
        "abstained": abstained,
        "product": product,
        "release": release,
        "release_status": "stated" if release else "ambiguous",
        "release_explanation": f"you said {release}",
        "compared_releases": [],
        "available_releases": list(_PRODUCTS[product]),
        "route": route,
        "queries": {"base": answer[:80], "filtered": answer[:60], "versionless": None},
        "citations": citations,
        "sides": [],
        "warnings": [],
        "fallbacks": [],
        "timings": {"context_retrieval": round(seconds * 0.1, 3), "answer_generation": seconds},
        "model_calls": 1,
        "prompt_tokens": 900,
        "completion_tokens": 30,
        "profile": "embedded",
        "seconds": seconds,
        "model": "qwen2.5-coder-1.5b",
    }


def _opinions(
    number: int, created: datetime, random: Random, words: _Words
) -> Iterator[tuple[type[Base], dict[str, Any]]]:
    if random.random() < 0.08:
        thumbs = random.choice((1, 1, -1))
        yield (
            FeedbackRow,
            {
                "turn_id": number,
                "thumbs": thumbs,
                "reason": "" if thumbs > 0 else random.choice(("wrong release", "wrong answer")),
                "comment": words.sentence(4, 20) if thumbs < 0 else "",
                "created": created,
            },
        )
    if random.random() < 0.05:
        yield (
            ReviewRow,
            {
                "turn_id": number,
                "rating": random.choice(("good", "bad", "wrong release", "incomplete", "")),
                "corrected_answer": "",
                "corrected_release": "",
                "note": words.sentence(4, 20),
                "status": random.choice(("open", "done", "done")),
                "assignee": random.choice(("", "ada@example.org", "grace@example.org")),
                "in_regression_set": random.random() < 0.2,
                "reviewer": "ada@example.org",
                "updated": created,
            },
        )
