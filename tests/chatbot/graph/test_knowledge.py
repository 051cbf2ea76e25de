"""What the tables and signatures of a release state, and which of it a context takes over."""

from __future__ import annotations

from collections.abc import Callable

from chatbot.assembly import Chatbot
from chatbot.graph.knowledge import documentation_graphs, one_hop, stated
from chatbot.graph.triplets import Triplet
from chatbot.retrieval.records import records
from ingestion.page import Block, BlockKind
from tests.chatbot.stored import stored_page


def of_block(block: Block) -> list[Triplet]:
    page = stored_page(block)
    return [triplet for record in records(page, together=0) for triplet in stated(record)]


def test_a_row_relates_its_first_cell_to_the_others_by_their_headers() -> None:
    header = ("Parameter", "Default", "Unit", "", "Note")
    row = Block(BlockKind.TABLE_ROW, "hold_time — 300 — s — x — –", header=header)
    assert of_block(row) == [
        Triplet("hold_time", "Default", "300", 1),
        Triplet("hold_time", "Unit", "s", 1),
    ]


def test_a_signature_relates_its_owner_its_parameters_and_their_defaults_in_it() -> None:
    text = 'engine.create(url, *, size: int = 5, key=("a", 1), **options) -> Engine'
    assert of_block(Block(BlockKind.SIGNATURE, text)) == [
        Triplet("engine.create", "parameter", "url", 1),
        Triplet("engine.create", "parameter", "size", 1),
        Triplet("size", "default in engine.create", "5", 1),
        Triplet("engine.create", "parameter", "key", 1),
        Triplet("key", "default in engine.create", '("a", 1)', 1),
        Triplet("engine.create", "parameter", "options", 1),
    ]


def test_what_is_no_form_states_nothing() -> None:
    assert of_block(Block(BlockKind.PARAGRAPH, "The default of hold_time is 300.")) == []
    assert of_block(Block(BlockKind.SIGNATURE, "rc.fast_reduce")) == []


def test_a_release_knows_its_own_tables_with_their_pages(relay: Callable[..., Chatbot]) -> None:
    chatbot = relay()
    open_graph = documentation_graphs(chatbot.corpora.corpus)
    rates = {}
    for release in ("17.10", "17.20"):
        graph = open_graph("relay", release)
        assert open_graph("relay", release) is graph
        (rate,) = (t for t in graph.neighbours("XF-1") if t.relation == "Rate")
        page = chatbot.corpora.corpus("relay", release).page(rate.page_id or 0)
        assert rate.tail in page.text
        rates[release] = rate.tail
    assert rates == {"17.10": "1 Gbit/s", "17.20": "10 Gbit/s"}
    assert list(open_graph("relay", "17.20").neighbours("xf-1")) == []


def test_only_triplets_between_entities_of_the_context_are_taken(
    relay: Callable[..., Chatbot],
) -> None:
    graph = documentation_graphs(relay().corpora.corpus)("relay", "17.20")
    found = one_hop(graph, {"XF-1", "client", "100 Gbit/s", "nothing"})
    assert [(t.head, t.relation, t.tail) for t in found] == [("XF-1", "Use", "client")]
    assert one_hop(graph, {"client"}) == ()
