import json
import threading
import time
from collections.abc import Callable

import pytest

from chatbot.chatbot import Chatbot
from chatbot.models.scripted import Rule, ScriptedChatModel
from chatbot.runtime.concurrency import Stopped
from chatbot.runtime.events import Event, Token
from chatbot.turn import Turn
from tests.chatbot import lamp

MakeChatbot = Callable[..., Chatbot]

STEP = "What is the default of dim_step in 2.0?"
KEPT = "The default of dim_step is 5 %."
DRAWS = "The lamp draws 12 W at any dim_step."
LISTENS = "The lamp listens for a dim_step on port 5540."
READ = (
    lamp.reading(STEP, ("2.0", "2.0"), search="default dim_step"),
    lamp.reduction("Brightness", KEPT),
)
ANSWER = lamp.answer(f"{KEPT} [1]")


def fallen_back(turn: Turn) -> list[str]:
    return [fallback.step for fallback in turn.fallbacks]


def reduced(make: MakeChatbot, *rules: Rule) -> Turn:
    return make(lamp.model(READ[0], *rules, ANSWER)).ask(STEP).turn


def quotes(turn: Turn) -> dict[str, list[str]]:
    return {c.page.document.file: [r.quote for r in c.records] for c in turn.reduced}


@pytest.mark.parametrize(
    ("spans", "kept"),
    [
        # What does not stand in the chunk is dropped, what is cut becomes the whole record.
        (("The default is 50 %.", KEPT.lower(), KEPT), [KEPT]),
        (("00 ms", "default of dim_step"), ["Dimming takes 400 ms.", KEPT]),
    ],
)
def test_of_a_chunk_is_kept_what_stands_in_it(
    lamp_chatbot: MakeChatbot, spans: tuple[str, ...], kept: list[str]
) -> None:
    turn = reduced(lamp_chatbot, lamp.reduction("Brightness", *spans))
    assert quotes(turn) == {"brightness.md": kept}


def test_a_heading_alone_is_no_evidence(lamp_chatbot: MakeChatbot) -> None:
    turn = reduced(lamp_chatbot, lamp.reduction("Brightness", "Brightness"))
    assert turn.answer
    assert turn.answer.abstained
    # Without evidence no answer is asked for.
    assert lamp.ANSWER not in [call.step for call in turn.calls]


def test_a_chunk_keeps_its_source_when_others_fail(lamp_chatbot: MakeChatbot) -> None:
    broken = Rule(step=lamp.REDUCTION, matches='<chunk section="[^"]*Brightness', reply="no JSON")
    turn = reduced(lamp_chatbot, broken, lamp.reduction("Power", DRAWS))
    kept = quotes(turn)
    assert kept.keys() == {"power.md", "brightness.md"}
    assert kept["power.md"] == [DRAWS]
    page = lamp.PAGES["brightness.md"].format(**lamp.RELEASES["2.0"])
    assert all(quote in page for quote in kept["brightness.md"])
    (fallback,) = turn.fallbacks
    assert fallback.reason.startswith(f"1 of {len(turn.retrieved)} chunks")


class Together(ScriptedChatModel):
    """Counts how many reductions are under way at the same time."""

    inside: int = 0
    most: int = 0

    async def _chunks(self, messages, stop, options):  # type: ignore[no-untyped-def]
        self.inside += "<chunk" in messages[-1].text
        self.most = max(self.most, self.inside)
        async for chunk in super()._chunks(messages, stop, options):
            yield chunk
        self.inside -= "<chunk" in messages[-1].text


def test_all_chunks_are_reduced_at_once(lamp_chatbot: MakeChatbot) -> None:
    together = Together(rules=[READ[0], lamp.NO_SPANS])
    turn = lamp_chatbot(together).ask(STEP).turn
    assert together.most == len(turn.retrieved) > 2


def selected(make: MakeChatbot, selection: str, *rules: Rule) -> tuple[list[str], Turn]:
    """The two files selected of the three that are left."""
    spans = (*READ, lamp.reduction("Power", DRAWS), lamp.reduction("Network", LISTENS))
    model = lamp.model(*spans, *rules, lamp.answer("I don't know"))
    turn = make(model, selection=selection, selected_chunks=2).ask(STEP).turn
    files = [c.page.document.file for c in turn.selected]
    assert len(files) == 2
    return files, turn


def order(*numbers: object) -> Rule:
    return Rule(step=lamp.SELECTION, reply=json.dumps({"order": numbers}))


def test_listwise_selection_keeps_the_first_of_the_order(lamp_chatbot: MakeChatbot) -> None:
    _, turn = selected(lamp_chatbot, "listwise", order(1))
    numbered = [*quotes(turn)]
    wanted = ["network.md", "power.md"]
    files, _ = selected(lamp_chatbot, "listwise", order(*(numbered.index(f) + 1 for f in wanted)))
    assert files == wanted


@pytest.mark.parametrize("numbers", [(1, 9), (2, 2), (), ("first",)])
def test_an_order_that_cannot_be_falls_back(
    lamp_chatbot: MakeChatbot, numbers: tuple[object, ...]
) -> None:
    _, turn = selected(lamp_chatbot, "listwise", order(*numbers))
    assert fallen_back(turn) == ["context_selection"]


def test_pointwise_selection_keeps_the_likeliest_or_falls_back(lamp_chatbot: MakeChatbot) -> None:
    def relevant(text: str, p: float) -> Rule:
        # Every question holds "dim_step": only the chunk tells the rules apart.
        return Rule(
            step=lamp.SELECTION,
            matches=rf"<chunk>[\s\S]*{text}",
            reply="True" if p > 0.5 else "False",
            probabilities={"True": p, "False": 1 - p},
        )

    rules = [relevant("12 W", 0.2), relevant("5540", 0.9), relevant("dim_step", 0.6)]
    files, turn = selected(lamp_chatbot, "pointwise", *rules)
    assert files == ["network.md", "brightness.md"]
    assert [round(c.score, 3) for c in turn.selected] == [0.9, 0.6]
    assert fallen_back(turn) == []
    _, turn = selected(lamp_chatbot, "pointwise", Rule(step=lamp.SELECTION, reply="True"))
    assert fallen_back(turn) == ["context_selection"]


def test_only_the_answer_is_heard_while_it_is_written(lamp_chatbot: MakeChatbot) -> None:
    heard: list[Event] = []
    lamp_chatbot(lamp.model(*READ, ANSWER)).ask(STEP, listener=heard.append)
    assert "".join(e.text for e in heard if isinstance(e, Token)) == f"{KEPT} [1]"


def test_a_stopped_question_stops_all_its_calls_within_a_second(lamp_chatbot: MakeChatbot) -> None:
    together = Together(rules=[READ[0], Rule(step=lamp.REDUCTION, reply="word " * 500)])
    together.delay = 0.05
    chatbot = lamp_chatbot(together)
    reducing = threading.Event()

    def listen(event: Event) -> None:
        if getattr(event, "step", "") == "context_reduction":
            reducing.set()

    with pytest.raises(Stopped):
        chatbot.ask(STEP, listener=listen, stopped=reducing.is_set)
    assert len(together.calls) <= 5
    started = time.monotonic()
    # The place in the queue is free again: the next one is not kept waiting by what was stopped.
    together.rules = [*READ, lamp.NO_SPANS, lamp.answer("5 % [1]")]
    together.delay = 0.0
    assert chatbot.ask(STEP).content.citations
    assert time.monotonic() - started < 5
