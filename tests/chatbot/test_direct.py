"""The profile `direct`: a model reads and writes, the code keeps the wall and the citations."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from chatbot.chatbot import Chatbot
from chatbot.releases.resolution import ReleaseStatus
from chatbot.turn import Route, Turn
from tests.chatbot import lamp

MakeChatbot = Callable[..., Chatbot]


@pytest.fixture
def ask(lamp_chatbot: MakeChatbot) -> Callable[..., Turn]:
    def asked(question: str, *rules: lamp.Rule, **options: object) -> Turn:
        return lamp_chatbot(lamp.model(*rules), "direct").ask(question, **options).turn

    return asked


Ask = Callable[..., Turn]


def text(turn: Turn) -> str:
    assert turn.answer is not None
    return turn.answer.text


def resolved(turn: Turn) -> tuple[ReleaseStatus, tuple[str, ...]]:
    return turn.resolution.status, turn.resolution.releases


def test_an_answer_is_written_from_the_release_that_is_named(ask: Ask) -> None:
    turn = ask(
        "what's the dim_step default in 1.0",
        lamp.reading("What is the default of dim_step in 1.0?", ("1.0", "1.0"), search="dim_step"),
        lamp.answer("The default of dim_step is 10 % [1]. Dimming takes 400 ms [1]."),
    )
    assert resolved(turn) == (ReleaseStatus.STATED, ("1.0",))
    assert text(turn) == "The default of dim_step is 10 % [1]. Dimming takes 400 ms [1]."
    assert turn.answer
    assert [c.release for c in turn.answer.citations] == ["1.0"]
    assert turn.answer.warnings == ()


def test_what_comes_nearest_stands_behind_a_refusal(ask: Ask) -> None:
    question = "Can the lamp in 2.0 be dimmed by voice?"
    turn = ask(
        question,
        lamp.reading(question, ("2.0", "2.0"), search="dimmed voice"),
        lamp.answer("I don't know\nDimming takes 400 ms [1]."),
    )
    assert turn.answer
    assert turn.answer.abstained
    assert text(turn).endswith("of lamp. Dimming takes 400 ms [1].")
    made_up = ask(
        question,
        lamp.reading(question, ("2.0", "2.0"), search="dimmed voice"),
        lamp.answer("I don't know\nDimming takes 900 ms [1]."),
    )
    assert "900" not in text(made_up)


def test_marks_behind_a_listing_are_those_of_the_listing(ask: Ask) -> None:
    question = "How long does dimming take, as a setting?"
    turn = ask(
        question,
        lamp.reading(question, search="dimming"),
        lamp.answer("Dimming takes:\n\n```\ndim_step = 5\n```\n[1]"),
    )
    assert turn.answer
    assert "dim_step is 5 %" in turn.answer.citations[-1].quote
    assert text(turn).endswith("]")


def test_a_mark_of_the_wrong_passage_is_set_right(ask: Ask) -> None:
    turn = ask(
        "How long does dimming take, and what fuse is there?",
        lamp.reading("How long does dimming take, and what fuse is there?", search="dimming fuse"),
        lamp.answer("Dimming takes 400 ms [2]. The fuse is rated 2 A [1]."),
    )
    assert turn.answer
    quotes = [c.quote for c in turn.answer.citations]
    assert "400 ms" in quotes[0]
    assert "2 A" in quotes[1]


def test_what_no_passage_supports_is_mended_once(ask: Ask) -> None:
    turn = ask(
        "How long does dimming take?",
        lamp.reading("How long does dimming take?", search="dimming"),
        lamp.Rule(contains="<unsupported>\n900 ms", reply="Dimming takes 400 ms [1]."),
        lamp.answer("Dimming takes 900 ms [1]."),
    )
    assert text(turn) == "Dimming takes 400 ms [1]."
    assert turn.answer
    assert turn.answer.warnings == ()


def test_what_stays_unsupported_is_marked_and_named(ask: Ask) -> None:
    turn = ask(
        "How long does dimming take?",
        lamp.reading("How long does dimming take?", search="dimming"),
        lamp.Rule(contains="<unsupported>", reply="Dimming takes 900 ms [1]. The fuse is 2 A [1]."),
        lamp.answer("Dimming takes 900 ms [1]. The fuse is 2 A [1]."),
    )
    assert turn.answer
    dimming, fuse = text(turn).split(". ")
    assert dimming.endswith("[?]")
    assert "[?]" not in fuse
    assert "`900 ms`" in turn.answer.warnings[0]


def test_a_release_that_is_not_there_is_asked_back(ask: Ask) -> None:
    turn = ask("What is the fuse in 3.0?", lamp.reading("What is the fuse in 3.0?", ("3.0", "")))
    assert resolved(turn) == (ReleaseStatus.UNKNOWN, ())
    assert turn.route is Route.CLARIFY
    assert "2.0 or 1.0" in text(turn)


def test_a_reading_that_leaves_a_release_out_is_not_believed(ask: Ask) -> None:
    turn = ask(
        "What is the fuse in 1.0?", lamp.reading("What is the fuse?"), lamp.answer("2 A [1]")
    )
    assert resolved(turn) == (ReleaseStatus.STATED, ("1.0",))
    assert [fallback.step for fallback in turn.fallbacks] == ["question_reading"]


def test_a_release_is_not_swapped_by_the_model(ask: Ask) -> None:
    question = "How many lumen in 1.0?"
    turn = ask(question, lamp.reading(question, ("1.0", "2.0")), lamp.answer("600 lumen [1]"))
    assert resolved(turn) == (ReleaseStatus.STATED, ("1.0",))


def test_small_talk_and_the_catalog_are_answered_without_documents(ask: Ask) -> None:
    hello = ask("salut!", lamp.reading("salut!", asks="greeting"))
    assert hello.route is Route.CHAT
    newest = ask("newest lamp u got?", lamp.reading("?", ("newest", "2.0"), asks="which_releases"))
    assert text(newest) == "Newest: lamp 2.0 (the latest)."
    missing = ask("gibt es 3.0?", lamp.reading("?", ("3.0", ""), asks="which_releases"))
    assert text(missing).startswith('There is no release "3.0" of lamp here,')
    every = ask("welche gibt es?", lamp.reading("?", asks="which_releases"))
    assert text(every) == "2 releases of lamp documented here: 2.0 (the latest) and 1.0."
    documents = ask("welche Dokumente?", lamp.reading("?", asks="which_documents"))
    assert text(documents).startswith("Documents of lamp 2.0 (8):")


def test_a_comparison_keeps_the_releases_apart(ask: Ask) -> None:
    question = "Is it brighter in 2.0 than in 1.0?"
    turn = ask(
        question,
        lamp.reading(
            "Is the lamp brighter in 2.0 than in 1.0?",
            ("2.0", "2.0"),
            ("1.0", "1.0"),
            search="lumen brightness",
        ),
        lamp.Rule(
            contains='<documentation release="1.0">',
            reply="Yes.\n\n- 1.0 gives 600 lumen [1].\n- 2.0 gives 800 lumen [1].",
        ),
    )
    assert resolved(turn) == (ReleaseStatus.COMPARED, ("1.0", "2.0"))
    assert turn.answer
    cited = {c.release: c.quote for c in turn.answer.citations}
    assert "600 lumen" in cited["1.0"]
    assert "800 lumen" in cited["2.0"]
    assert text(turn) == "Yes.\n\n- 1.0 gives 600 lumen [1].\n- 2.0 gives 800 lumen [2]."


def test_nothing_found_in_a_release_is_neither_cited_nor_doubted(ask: Ask) -> None:
    question = "Since which release is there a warp_drive, 1.0 or 2.0?"
    turn = ask(
        question,
        lamp.reading(question, ("2.0", "2.0"), ("1.0", "1.0"), search="warp_drive lumen"),
        lamp.Rule(
            contains='<documentation release="1.0">',
            reply="2.0 gives 800 lumen [2].\n\nNothing found in 1.0 on `warp_drive`.",
        ),
    )
    assert text(turn).endswith("\n\nNothing found in 1.0 on `warp_drive`.")
    assert turn.answer
    assert turn.answer.warnings == ()


def test_nothing_is_made_up_where_the_passages_do_not_tell(ask: Ask) -> None:
    turn = ask(
        "Who designed the lamp?",
        lamp.reading("Who designed the lamp?", search="designer"),
        lamp.answer("I don't know"),
    )
    assert turn.answer
    assert turn.answer.abstained
    assert text(turn) == "I couldn't find this in the 2.0 documentation of lamp."


def test_the_papers_chain_writes_whole_answers_with_a_capable_model(
    lamp_chatbot: MakeChatbot,
) -> None:
    model = lamp.model(
        lamp.reading("What is the default of dim_step in 2.0?", ("2.0", "2.0")),
        lamp.reduction("Brightness", "The default of dim_step is 5 %."),
        lamp.Rule(step=lamp.SELECTION, reply='{"order": [1]}'),
        lamp.answer("It is 5 % [1].\n\n- Nothing else is told of it [1]."),
    )
    turn = lamp_chatbot(model, "qamr", backend="server").ask("Default of dim_step in 2.0?").turn
    assert text(turn).startswith("It is 5 % [1].")
    assert turn.answer
    (citation,) = turn.answer.citations
    assert citation.quote.endswith("Dimming takes 400 ms.")


@pytest.mark.parametrize("profile", ["qamr", "base", "+reduction"])
def test_the_papers_chain_writes_comparisons_with_a_capable_model(
    lamp_chatbot: MakeChatbot, profile: str
) -> None:
    model = lamp.model(
        lamp.reading(
            "Does dimming take longer in 2.0 than in 1.0?",
            ("2.0", "2.0"),
            ("1.0", "1.0"),
            search="dimming",
        ),
        lamp.reduction("Brightness", "Dimming takes 400 ms."),
        lamp.Rule(step=lamp.SELECTION, reply='{"order": [1]}'),
        lamp.Rule(
            contains='<documentation release="1.0">',
            reply="It is the same.\n\n- In 1.0 dimming takes 400 ms [1].\n- In 2.0 dimming takes "
            "400 ms [1].",
        ),
    )
    made = lamp_chatbot(model, profile, backend="server", selected_chunks=1)
    turn = made.ask("Does dimming take longer in 2.0 than in 1.0?").turn
    assert turn.route is Route.COMPARE
    assert "In 1.0 dimming takes 400 ms [1].\n- In 2.0 dimming takes 400 ms [2]." in text(turn)
    assert turn.answer
    assert [c.release for c in turn.answer.citations] == ["1.0", "2.0"]
    assert turn.calls[-1].step == "answer_generation"


def test_a_listing_in_a_list_stays_where_it_is_and_as_it_is(ask: Ask) -> None:
    steps = "1. Run this:\n\n   ```\n   lamp[0] = <dim_step>\n   ```\n\n2. Unplug the lamp [1]."
    turn = ask(
        "How is the fuse replaced?",
        lamp.reading("How is the fuse replaced?", search="fuse replace unplug dim_step"),
        lamp.answer(steps),
    )
    assert "\n   ```\n   lamp[0] = <dim_step>\n   ```\n\n2. Unplug the lamp [" in text(turn)


LUMEN = "How many lumen does the lamp give?"


@pytest.mark.parametrize(
    "named", [("", "1.0"), ("lumen", "1.0")], ids=["without words", "by any word"]
)
def test_the_release_that_the_asker_chose_is_not_overruled(
    ask: Ask, named: tuple[str, str]
) -> None:
    model = lamp.reading(LUMEN, named, search="lumen"), lamp.answer("It gives 800 lumen [1].")
    turn = ask(LUMEN, *model, release="2.0")
    assert resolved(turn) == (ReleaseStatus.STATED, ("2.0",))


@pytest.mark.parametrize(
    ("question", "fields"),
    [
        (
            "How many lumen in 1.0?",
            {"releases": [{"words": "1.0", "release": "1.0", "asked": False}]},
        ),
        ("How many lumen has a 1.0 lamp?", {"other_numbers": ["1.0"]}),
    ],
)
def test_a_release_that_is_named_is_not_passed_over(
    ask: Ask, question: str, fields: dict[str, object]
) -> None:
    turn = ask(
        question,
        lamp.reading(question, search="lumen", **fields),
        lamp.answer("It gives 600 lumen [1]."),
    )
    assert resolved(turn) == (ReleaseStatus.STATED, ("1.0",))


@pytest.mark.parametrize(
    "swapped",
    [
        "They differ.\n\n| | 1.0 | 2.0 |\n|---|---|---|\n| Light | 800 lumen [2] | 600 lumen [1] |",
        "They differ.\n\n1.0:\n\n- light: 800 lumen [2]\n\n2.0:\n\n- light: 600 lumen [1]",
        "The older gives 800 lumen [2], the newer 600 lumen [1].",
        "Both give 800 lumen [2].",
    ],
    ids=["columns", "lists", "older and newer", "both"],
)
def test_a_comparison_that_mixes_the_releases_is_marked(ask: Ask, swapped: str) -> None:
    question = "Is it brighter in 2.0 than in 1.0?"
    turn = ask(
        question,
        lamp.reading(question, ("2.0", "2.0"), ("1.0", "1.0"), search="lumen brightness"),
        lamp.Rule(contains="<unsupported>", reply=swapped),
        lamp.Rule(contains='<documentation release="1.0">', reply=swapped),
    )
    assert turn.answer
    assert "lumen" in turn.answer.text
    assert turn.answer.warnings != ()


@pytest.mark.parametrize(
    "written",
    [
        "Dimming takes 777 ms\n|",
        "```\nwait 777ms\n```\n\nDimming takes 400 ms [1].",
        "Dimming takes 400 ms [1].\n\n``` 777 ms",
        "Dimming takes 400 ms [1].\n\n| It takes | 777 ms |\n|---|---|\n| dim | 400 ms [1] |",
    ],
    ids=["a lone bar", "a listing first", "behind a fence", "a header"],
)
def test_no_place_of_an_answer_is_left_unchecked(ask: Ask, written: str) -> None:
    turn = ask(
        "How long does dimming take?",
        lamp.reading("How long does dimming take?", search="dimming"),
        lamp.Rule(contains="<unsupported>", reply=written),
        lamp.answer(written),
    )
    assert turn.answer
    assert "777" in " ".join(turn.answer.warnings)


def test_what_was_answered_before_supports_nothing(ask: Ask) -> None:
    turn = ask(
        "And in 2.0?",
        lamp.reading("How many lumen in 2.0?", ("2.0", "2.0"), search="lumen"),
        lamp.Rule(contains="<unsupported>", reply="In 2.0 it gives 600 lumen [1]."),
        lamp.answer("In 2.0 it gives 600 lumen [1]."),
        history=[("How many lumen in 1.0?", "It gives 600 lumen.")],
    )
    assert turn.answer
    assert "600" in " ".join(turn.answer.warnings)


def test_a_reply_without_an_end_is_cut(ask: Ask) -> None:
    turn = ask(
        "How long does dimming take?",
        lamp.reading("How long does dimming take?", search="dimming"),
        lamp.Rule(contains="<unsupported>", reply="Dimming takes 400 ms [1]."),
        lamp.answer("Dimming takes 400 ms [1]. " + "{" * 50_000),
    )
    assert turn.calls[1].reply.endswith("{")
    assert len(turn.calls[1].reply) < 10_000


def test_of_two_releases_none_is_left_out(ask: Ask) -> None:
    question = "Is the fuse of 1.0 as strong as in 2.0?"
    turn = ask(question, lamp.reading(question, ("2.0", "2.0")), lamp.answer("2 A [1]"))
    assert resolved(turn) != (ReleaseStatus.STATED, ("2.0",))
