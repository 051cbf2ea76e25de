"""What the parameters of a release state, and which of it a context takes over."""

from collections.abc import Callable

from chatbot.chatbot import Chatbot
from chatbot.graph.knowledge import DocumentationGraph
from chatbot.turn import Origin


def test_a_release_knows_its_own_tables_with_their_pages(relay: Callable[..., Chatbot]) -> None:
    chatbot = relay()
    rates = {}
    for release in ("17.10", "17.20"):
        graph = DocumentationGraph(chatbot.open_parameters("relay", release))
        (rate,) = (t for t in graph.neighbours("XF-1") if t.relation == "rate")
        cited = rate.citation
        assert cited is not None
        assert (cited.release, cited.origin) == (release, Origin.GRAPH)
        assert cited.quote in chatbot.corpora.corpus("relay", release).page(cited.page_id).text
        assert rate.tail in cited.quote
        rates[release] = rate.tail
    assert rates == {"17.10": "1 Gbit/s", "17.20": "10 Gbit/s"}
    assert graph.neighbours("xf-1") == ()
