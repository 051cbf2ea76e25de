from __future__ import annotations

import json
import re
import threading
import time
from collections.abc import Callable

import pytest

from chatbot.answering.lead_and_body import REMOVED
from chatbot.chatbot import Chatbot
from chatbot.models.scripted import Rule, ScriptedChatModel
from chatbot.runtime.concurrency import Stopped
from chatbot.runtime.events import Event, Token
from chatbot.turn import Answer, Turn
from tests.chatbot import lamp

MakeChatbot = Callable[..., Chatbot]

_MARK = re.compile(r"\[\d\]")
STEP = "What is the default of dim_step in 2.0?"
KEPT = "The default of dim_step is 5 %."
READ = (
    lamp.reading(STEP, ("2.0", "2.0"), search="default dim_step"),
    lamp.reduction("Brightness", KEPT),
)


def answered(turn: Turn) -> Answer:
    assert turn.answer is not None
    return turn.answer


def fallen_back(turn: Turn) -> list[str]:
    return [fallback.step for fallback in turn.fallbacks]


class TestReduction:
    def turn(self, make: MakeChatbot, *rules: Rule, **options: object) -> Turn:
        model = lamp.model(READ[0], *rules, lamp.answer("The default is 5 %. [1]"))
        return make(model, **options).ask(STEP).turn

    def test_a_span_that_does_not_stand_in_the_chunk_is_dropped(
        self, lamp_chatbot: MakeChatbot
    ) -> None:
        turn = self.turn(
            lamp_chatbot, lamp.reduction("Brightness", "The default is 50 %.", KEPT.lower(), KEPT)
        )
        assert [r.quote for c in turn.reduced for r in c.records] == [KEPT]

    def test_a_span_cut_in_the_middle_becomes_the_whole_record(
        self, lamp_chatbot: MakeChatbot
    ) -> None:
        turn = self.turn(lamp_chatbot, lamp.reduction("Brightness", "00 ms", "default of dim_step"))
        kept = [r.quote for c in turn.reduced for r in c.records]
        assert kept == ["Dimming takes 400 ms.", KEPT]

    def test_a_span_that_stands_everywhere_says_nothing(self, lamp_chatbot: MakeChatbot) -> None:
        turn = self.turn(lamp_chatbot, lamp.reduction("Brightness", "i"))
        assert turn.reduced == ()

    def test_a_heading_alone_is_no_evidence(self, lamp_chatbot: MakeChatbot) -> None:
        turn = self.turn(lamp_chatbot, lamp.reduction("Brightness", "Brightness"))
        assert turn.answer
        assert turn.answer.abstained

    def test_the_heading_comes_with_the_span(self, lamp_chatbot: MakeChatbot) -> None:
        turn = self.turn(lamp_chatbot, READ[1])
        (citation,) = answered(turn).citations
        assert (citation.section, citation.quote) == ("Brightness", KEPT)

    def test_a_chunk_of_which_nothing_helps_is_dropped(self, lamp_chatbot: MakeChatbot) -> None:
        turn = self.turn(lamp_chatbot, READ[1])
        assert [c.page.document.file for c in turn.reduced] == ["brightness.md"]

    def test_a_chunk_keeps_its_source_when_others_fail(self, lamp_chatbot: MakeChatbot) -> None:
        broken = Rule(
            step=lamp.REDUCTION, matches='<chunk section="[^"]*Brightness', reply="no JSON"
        )
        turn = self.turn(
            lamp_chatbot, broken, lamp.reduction("Power", "The lamp draws 12 W at any dim_step.")
        )
        kept = {c.page.document.file: [r.quote for r in c.records] for c in turn.reduced}
        assert kept["power.md"] == ["The lamp draws 12 W at any dim_step."]
        assert all(
            quote in lamp.PAGES["brightness.md"].format(**lamp.RELEASES["2.0"])
            for quote in kept["brightness.md"]
        )
        assert set(kept) == {"power.md", "brightness.md"}
        (fallback,) = turn.fallbacks
        assert fallback.step == "context_reduction"
        assert fallback.reason.startswith(f"1 of {len(turn.retrieved)} chunks")

    def test_all_chunks_are_reduced_at_once(self, lamp_chatbot: MakeChatbot) -> None:
        together = Together(rules=[READ[0], lamp.NO_SPANS])
        turn = lamp_chatbot(together).ask(STEP).turn
        assert together.most == len(turn.retrieved) > 2


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


class TestSelection:
    SPANS = (
        READ[0],
        READ[1],
        lamp.reduction("Power", "The lamp draws 12 W at any dim_step."),
        lamp.reduction("Network", "The lamp listens for a dim_step on port 5540."),
    )

    def selected(self, make: MakeChatbot, *rules: Rule, selection: str) -> tuple[list[str], Turn]:
        model = lamp.model(*self.SPANS, *rules, lamp.answer("I don't know"))
        turn = make(model, selection=selection, selected_chunks=2).ask(STEP).turn
        return [c.page.document.file for c in turn.selected], turn

    def test_listwise_keeps_the_first_of_the_order(self, lamp_chatbot: MakeChatbot) -> None:
        order = self.numbered(lamp_chatbot)
        wanted = [order.index("network.md") + 1, order.index("power.md") + 1]
        rule = Rule(step=lamp.SELECTION, reply=json.dumps({"order": wanted}))
        files, _ = self.selected(lamp_chatbot, rule, selection="listwise")
        assert files == ["network.md", "power.md"]

    def numbered(self, make: MakeChatbot) -> list[str]:
        rule = Rule(step=lamp.SELECTION, reply='{"order": [1]}')
        _, turn = self.selected(make, rule, selection="listwise")
        return [c.page.document.file for c in turn.reduced]

    @pytest.mark.parametrize("order", ["[1, 9]", "[2, 2]", "[]", '["first"]'])
    def test_an_order_that_cannot_be_falls_back(
        self, lamp_chatbot: MakeChatbot, order: str
    ) -> None:
        rule = Rule(step=lamp.SELECTION, reply=f'{{"order": {order}}}')
        files, turn = self.selected(lamp_chatbot, rule, selection="listwise")
        assert len(files) == 2
        assert fallen_back(turn) == ["context_selection"]

    def test_pointwise_keeps_the_likeliest(self, lamp_chatbot: MakeChatbot) -> None:
        rules = [
            self.relevant("12 W", 0.2),
            self.relevant("5540", 0.9),
            self.relevant("dim_step", 0.6),
        ]
        files, turn = self.selected(lamp_chatbot, *rules, selection="pointwise")
        assert files == ["network.md", "brightness.md"]
        assert [round(c.score, 3) for c in turn.selected] == [0.9, 0.6]
        assert fallen_back(turn) == []

    def relevant(self, text: str, p: float) -> Rule:
        # Every question holds "dim_step": only the chunk tells the rules apart.
        return Rule(
            step=lamp.SELECTION,
            matches=rf"<chunk>[\s\S]*{text}",
            reply="True" if p > 0.5 else "False",
            probabilities={"True": p, "False": 1 - p},
        )

    def test_without_probabilities_pointwise_falls_back(self, lamp_chatbot: MakeChatbot) -> None:
        rule = Rule(step=lamp.SELECTION, reply="True")
        files, turn = self.selected(lamp_chatbot, rule, selection="pointwise")
        assert len(files) == 2
        assert fallen_back(turn) == ["context_selection"]


class TestAnswer:
    POWER = "The lamp draws 12 W at any dim_step. The fuse is rated 2 A."

    def answer(self, make: MakeChatbot, text: str) -> Answer:
        model = lamp.model(*READ, lamp.reduction("Power", self.POWER), lamp.answer(text))
        return answered(make(model).ask(STEP).turn)

    def test_marks_lead_to_what_bears_them(self, lamp_chatbot: MakeChatbot) -> None:
        found = self.answer(
            lamp_chatbot,
            "The default of dim_step is 5 %. [1] The lamp draws 12 W at any dim_step [2].",
        )
        assert (
            found.text
            == "The default of dim_step is 5 % [1]. The lamp draws 12 W at any dim_step [2]."
        )
        assert [c.file for c in found.citations] == ["brightness.md", "power.md"]
        assert not found.abstained

    def test_a_mark_on_the_wrong_chunk_is_put_right(self, lamp_chatbot: MakeChatbot) -> None:
        found = self.answer(lamp_chatbot, "The default of dim_step is 5 %. [2]")
        assert [c.file for c in found.citations] == ["brightness.md"]

    def test_a_sentence_that_no_passage_bears_goes_and_it_says_so(
        self, lamp_chatbot: MakeChatbot
    ) -> None:
        text = "The default of dim_step is 5 %. [1] Whoever likes it warm is happy. [2]"
        found = self.answer(lamp_chatbot, text)
        assert found.text == "The default of dim_step is 5 % [1]."
        assert found.warnings == (REMOVED,)

    def test_a_mark_that_no_chunk_has_goes(self, lamp_chatbot: MakeChatbot) -> None:
        found = self.answer(lamp_chatbot, "The default of dim_step is 5 %. [17]")
        assert "17" not in found.text
        assert [c.file for c in found.citations] == ["brightness.md"]

    @pytest.mark.parametrize(
        "text",
        [
            "The default of dim_step is 7 %. [1]",
            "The default is set with dim_level. [1]",
            "Dimming takes 5 seconds. [1]",
            "The fuse is rated 12 A. [2]",
        ],
        ids=["a figure", "a name", "a unit", "a figure of another unit"],
    )
    def test_what_no_chunk_says_is_withheld(self, lamp_chatbot: MakeChatbot, text: str) -> None:
        found = self.answer(lamp_chatbot, text)
        assert _MARK.sub("", text).strip() not in found.text
        assert found.warnings
        assert KEPT in found.text

    def test_where_the_model_writes_nothing_but_code_the_best_passage_stands(
        self, lamp_chatbot: MakeChatbot
    ) -> None:
        found = self.answer(lamp_chatbot, "  ```sh\n  dim_step\n  ```")
        assert not found.abstained
        assert KEPT in found.text

    def test_i_dont_know_is_one_sentence(self, lamp_chatbot: MakeChatbot) -> None:
        found = self.answer(lamp_chatbot, "I don't know")
        assert found.abstained
        assert found.text == "I couldn't find this in the 2.0 documentation of lamp."

    def test_without_chunks_nothing_is_asked(self, lamp_chatbot: MakeChatbot) -> None:
        model = lamp.model(READ[0])
        turn = lamp_chatbot(model).ask(STEP).turn
        assert answered(turn).abstained
        assert not any("Documentation of" in asked.messages[-1][1] for asked in model.calls)

    def test_only_the_answer_is_heard_while_it_is_written(self, lamp_chatbot: MakeChatbot) -> None:
        heard: list[Event] = []
        model = lamp.model(*READ, lamp.answer("The default is 5 %. [1]"))
        lamp_chatbot(model).ask(STEP, listener=heard.append)
        words = "".join(e.text for e in heard if isinstance(e, Token))
        assert words == "The default is 5 %. [1]"


def test_a_stopped_question_stops_all_its_calls_within_a_second(
    lamp_chatbot: MakeChatbot,
) -> None:
    together = Together(rules=[READ[0], Rule(step=lamp.REDUCTION, reply="word " * 500)])
    together.delay = 0.05
    chatbot = lamp_chatbot(together)
    reducing = threading.Event()

    def listen(event: Event) -> None:
        if getattr(event, "step", "") == "context_reduction":
            reducing.set()

    with pytest.raises(Stopped):
        chatbot.ask(STEP, listener=listen, stopped=reducing.is_set)
    calls = len(together.calls)
    assert calls <= 5
    started = time.monotonic()
    # The place in the queue is free again: the next one is not kept waiting by what was stopped.
    together.rules = [READ[0], READ[1], lamp.NO_SPANS, lamp.answer("5 % [1]")]
    together.delay = 0.0
    assert chatbot.ask(STEP).content.citations
    assert time.monotonic() - started < 5
