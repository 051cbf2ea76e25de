"""Whether an answer still holds in other releases: how the words that it cites stand there."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from chatbot.chatbot import Chatbot
from chatbot.comparison.pages import passages
from chatbot.comparison.standing import Verdict
from chatbot.comparison.still_true import CitedThere, StillTrue, StillTrueCheck
from chatbot.reply import Reply
from chatbot.retrieval.support import cite
from chatbot.turn import Citation
from corpora.building.building import Builder
from corpora.catalog.catalog import Catalog, Serving
from tests.chatbot.conftest import ingested, opened
from tests.hash_embedder import HashEmbedder

MOVED = "The relay closes its contact when the supply returns, and logs the moment with its reason."
PAGE = f"""# Relay guide

## Timers

| Parameter | Default (s) | Range |
| --- | --- | --- |
| hold-time | 300 | 0 to 900 |
| drain-time | 7 | 0 to 60 |
| stale-time | 8 | 0 to 80 |

{MOVED}

Restart the unit after every change of the map.

A restart is not needed when only the name of a port has changed in the map.

The lamp is lit for **5** seconds in `quiet` mode, and then the buzzer sounds twice.

## Ports

Default: 5.

## Lines

Default: 6.

## Log

The log is kept for 30 days. Relay 1.0 writes one line for each event.
"""
NEXT = (
    PAGE.replace("| 300 |", "| 450 |")
    .replace("| stale-time | 8 | 0 to 80 |\n", "")
    .replace(MOVED, "")
    .replace("is not needed", "is needed")
    .replace("The lamp is lit for **5**\nseconds", "")
    .replace("for **5** seconds in `quiet` mode", "for 5\nseconds in quiet mode")
    .replace("## Ports\n\nDefault: 5.\n\n", "")
    .replace("Relay 1.0", "Relay 2.0")
)
FILES = {
    "1.0": {"guide.md": PAGE},
    "2.0": {"guide.md": NEXT, "power.md": f"# Power\n\n{MOVED}\n"},
    "3.0": {"other.md": "# Other\n\nNothing of the kind stands here any more at all.\n"},
}
SAME, CHANGED, ABSENT = Verdict.SAME, Verdict.CHANGED, Verdict.ABSENT


@pytest.fixture(scope="module")
def relay(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Chatbot]:
    settings = ingested(tmp_path_factory.mktemp("relay"), "relay", FILES, HashEmbedder())
    with opened(settings) as chatbot:
        yield chatbot


def cited(chatbot: Chatbot, words: str, release: str = "1.0") -> Citation:
    """The citation of the first passage that holds some words."""
    corpus = chatbot.corpora.corpus("relay", release)
    pages = [page for document in corpus.documents() for page in corpus.pages_of(document.id)]
    return next(cite(r, release) for r in passages(pages) if words in r.quote)


def reply(*citations: Citation, answer: str = "So it is [1].") -> Reply:
    return Reply(answer=answer, product="relay", release="1.0", citations=citations)


def held(chatbot: Chatbot, asked: Reply) -> StillTrue:
    """An answer held against all releases, once they are read."""
    check = chatbot.still_true
    check.of(asked)
    assert check.indexes.wait(30)
    found = check.of(asked)
    assert found is not None
    assert not found.pending
    return found


def in_release(found: StillTrue, release: str) -> CitedThere:
    (standing,) = (r for r in found.releases if r.release == release)
    (citation,) = standing.citations
    assert standing.verdict is citation.verdict
    return citation


@pytest.mark.database
@pytest.mark.parametrize(
    ("words", "verdict", "there"),
    [
        ("hold-time", CHANGED, "hold-time — 450 — 0 to 900"),
        ("drain-time", SAME, "drain-time — 7 — 0 to 60"),
        ("stale-time", ABSENT, ""),
        ("closes its contact", SAME, MOVED),
        ("Restart the unit", SAME, "Restart the unit after every change of the map."),
        ("is not needed", CHANGED, "A restart is needed when only the name of a port has"),
        ("lamp is lit", SAME, "The lamp is lit for 5 seconds in"),
        ("Default: 5", ABSENT, ""),
        ("Relay 1.0 writes", SAME, "Relay 2.0 writes one line for each event."),
    ],
)
def test_a_passage_stands_in_the_next_release(
    relay: Chatbot, words: str, verdict: Verdict, there: str
) -> None:
    citation = in_release(held(relay, reply(cited(relay, words))), "2.0")
    assert citation.verdict is verdict
    quotes = " ".join(" ".join(c.quote.split()) for c in citation.there)
    assert quotes.startswith(there) if there else not quotes
    assert {c.release for c in citation.there} <= {"2.0"}


def test_nothing_of_it_stands_in_a_release_without_the_thing(relay: Chatbot) -> None:
    found = held(relay, reply(cited(relay, "hold-time"), cited(relay, "Restart the unit")))
    assert [r.verdict for r in found.releases] == [SAME, CHANGED, ABSENT]
    assert [r.answered for r in found.releases] == [True, False, False]
    assert [c.verdict for c in found.releases[1].citations] == [CHANGED, SAME]


def test_of_a_table_only_the_rows_count_that_the_answer_names(relay: Chatbot) -> None:
    row = cited(relay, "drain-time")
    corpus = relay.corpora.corpus("relay", "1.0")
    text = corpus.page(row.page_id).text
    table = text[text.index("hold-time") : text.index("0 to 60") + len("0 to 60")]
    whole = Citation(**{**vars(row), "quote": table})
    named = held(relay, reply(whole, answer="The default of drain-time is 7 s [1]."))
    assert in_release(named, "2.0").verdict is SAME
    assert in_release(held(relay, reply(whole)), "2.0").verdict is CHANGED


@pytest.mark.parametrize(
    "other",
    [
        Reply(answer="Hello.", product="relay"),
        Reply(answer="Both [1].", product="relay", compared_releases=("1.0", "2.0")),
    ],
)
def test_an_answer_that_rests_on_no_one_release_has_none(relay: Chatbot, other: Reply) -> None:
    with_citation = other.model_copy(update={"citations": (cited(relay, "hold-time"),)})
    no_one = with_citation if other.compared_releases else other
    assert relay.still_true.of(no_one) is None


def test_nobody_waits_for_a_release_that_is_not_read_yet(relay: Chatbot) -> None:
    fresh = type(relay.still_true)(relay.database, relay.catalog)
    first = fresh.of(reply(cited(relay, "hold-time")))
    assert first is not None
    assert first.pending
    assert fresh.indexes.wait(30)
    assert fresh.of(reply(cited(relay, "hold-time"))) == held(
        relay, reply(cited(relay, "hold-time"))
    )


def test_with_more_releases_than_memory_holds_it_ends(relay: Chatbot) -> None:
    own, *later = relay.catalog.all_serving("relay")
    between = [replace(own, release=f"1.{n}", generation=1_000 + n) for n in range(1, 68)]

    class Many(Catalog):
        def all_serving(self, product: str) -> tuple[Serving, ...]:
            return own, *between, *later

    check = StillTrueCheck(relay.database, Many(relay.database))
    check.prepare("relay")
    assert check.indexes.wait(60)
    asked = reply(cited(relay, "hold-time"))
    check.of(asked)
    assert check.indexes.wait(60)
    found = check.of(asked)
    assert found is not None
    assert found.pending == ()
    # The newest, and the one that answered.
    assert [r.release for r in found.releases] == [
        "1.0",
        *(s.release for s in between[-38:]),
        "2.0",
        "3.0",
    ]


@pytest.mark.database
def test_what_has_changed_since_is_said(tmp_path: Path) -> None:
    settings = ingested(tmp_path, "relay", {"1.0": {"guide.md": PAGE}}, HashEmbedder())
    with opened(settings) as chatbot:
        citations = [cited(chatbot, w) for w in ("hold-time", "drain-time", "stale-time")]
        before = reply(*citations)
        assert held(chatbot, before).changed_since == ()
        folder = tmp_path / "anew"
        folder.mkdir()
        for turn in range(4):
            more = f"\nEdition {turn}.\n"
            (folder / "guide.md").write_text(NEXT.replace("2.0", "1.0") + more, "utf-8")
            Builder(chatbot.database, settings.data_dir, HashEmbedder(), workers=1).ingest(
                [folder], product="relay", release="1.0"
            )
            since = held(chatbot, before).changed_since
            assert [(c.number, c.verdict) for c in since] == [(1, CHANGED), (3, ABSENT)]
            assert since[0].there[0].quote == "hold-time — 450 — 0 to 900"
