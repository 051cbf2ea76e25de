"""The profile `direct`: a model reads and writes, the code keeps the wall and the citations."""

from collections.abc import Callable

import pytest

from chatbot.answering.citing import QUESTIONED
from chatbot.answering.whole_answer import doubted
from chatbot.chatbot import Chatbot
from chatbot.releases.resolution import ReleaseStatus
from chatbot.retrieval.passages import best_passages
from chatbot.turn import Answer, Route, Turn
from tests.chatbot import lamp

MakeChatbot = Callable[..., Chatbot]
Ask = Callable[..., Turn]
LUMEN, DIMMING = "How many lumen does the lamp give?", "How long does dimming take?"
BOTH = '<documentation release="1.0">'
"""What stands in the prompt of a comparison."""


@pytest.fixture
def ask(lamp_chatbot: MakeChatbot) -> Ask:
    def asked(question: str, *rules: lamp.Rule, **options: object) -> Turn:
        return lamp_chatbot(lamp.model(*rules), "direct").ask(question, **options).turn

    return asked


@pytest.fixture
def answer(ask: Ask) -> Callable[..., Answer]:
    """The answer to a question that is read as it is, of a model that writes this, mended or not.

    `of` are the releases that the model reads in the question.
    """

    def answered(
        question: str, search: str, written: str, *of: str, mended: str = "", **options: object
    ) -> Answer:
        turn = ask(
            question,
            lamp.reading(question, *((name, name) for name in of), search=search),
            lamp.Rule(contains="<unsupported>", reply=mended or written),
            lamp.Rule(contains=BOTH, reply=written),
            lamp.answer(written),
            **options,
        )
        assert turn.answer
        return turn.answer

    return answered


Write = Callable[..., Answer]


def text(turn: Turn) -> str:
    assert turn.answer is not None
    return turn.answer.text


def test_an_answer_is_written_from_the_release_that_is_named(answer: Write) -> None:
    written = "The default of dim_step is 10 % [1]. Dimming takes 400 ms [1]."
    found = answer("what's the dim_step default in 1.0", "dim_step", written, "1.0")
    assert (found.text, found.warnings) == (written, ())
    assert [c.release for c in found.citations] == ["1.0"]


def test_a_search_gives_the_passages_that_fit(lamp_chatbot: MakeChatbot) -> None:
    model = lamp.model(lamp.reading(LUMEN, search="lumen lamp"))
    found = lamp_chatbot(model, "direct").search(LUMEN, product="lamp", release="2.0")
    records = [record for chunk in found.selected for record in chunk.records]
    assert "lumen" in best_passages(records)[0].text


def test_what_comes_nearest_stands_behind_a_refusal(answer: Write) -> None:
    question = "Can the lamp in 2.0 be dimmed by voice?"
    refused = answer(question, "dimmed voice", "I don't know\nDimming takes 400 ms [1].", "2.0")
    assert refused.abstained
    assert refused.text.endswith("of lamp. Dimming takes 400 ms [1].")
    made_up = answer(question, "dimmed voice", "I don't know\nDimming takes 900 ms [1].", "2.0")
    assert "900" not in made_up.text
    nothing = answer("Who designed the lamp?", "designer", "I don't know")
    assert nothing.text == "I couldn't find this in the 2.0 documentation of lamp."


@pytest.mark.parametrize(
    ("question", "written", "is_refused"),
    [
        ("Does the lamp speak ZigBee?", "No, the lamp does not support ZigBee [1].", True),
        ("Kann die Lampe ZigBee?", "Nein, ZigBee wird nicht unterstützt [1].", True),
        ("Does the lamp speak ZigBee?", "No [1].", True),
        ("Does the lamp speak ZigBee?", "No, it does not.\n\nIt listens on port 5540 [1].", True),
        ("Does it listen for ZigBee?", "No, ZigBee is not there: it listens on port 5540.", False),
        ("Can I take off the cover via CLI?", "No, turn the cover to the left [1].", False),
        ("Kann ich sie per CLI öffnen?", "Nein, Lösungsmittel schaden [1].", False),
        ("Kann ich sie per CLI öffnen?", "Nein, das können Sie nicht.", True),
        ("Is the fuse rated 3 A?", "No, the fuse is rated 2 A [1].", False),
        ("Is the dim_step in a box?", "No, the dim_step is no part of the box [1].", False),
    ],
)
def test_a_denial_of_what_no_passage_names_is_a_refusal(
    answer: Write, question: str, written: str, is_refused: bool
) -> None:
    search = "lamp network port fuse box cover solvents dim_step"
    assert answer(question, search, written).abstained == is_refused


def test_a_name_of_another_release_is_answered_by_what_the_named_one_has(answer: Write) -> None:
    question, lacks = "1.0 knows no wall_mode, what do I do?", "does not document `wall_mode`"
    instead = answer(question, "wall_mode app", "The app shows every lamp [1].", "1.0")
    assert not instead.abstained
    assert lacks in instead.text
    assert instead.text.endswith("documented in 2.0.\n\nThe app shows every lamp [1].")
    nearest = "I don't know\nThe app shows every lamp [1]."
    refused = answer(question, "wall_mode app", nearest, "1.0")
    assert refused.abstained
    assert lacks in refused.text
    assert refused.text.endswith("documented in 2.0. The app shows every lamp [1].")


def test_marks_lead_to_what_says_it_also_behind_a_listing(answer: Write) -> None:
    swapped = "Dimming takes 400 ms [2]. The fuse is rated 2 A [1]."
    dimming, fuse = answer(
        "How long does dimming take, and what fuse is there?", "dimming fuse", swapped
    ).citations
    assert ("400 ms" in dimming.quote, "2 A" in fuse.quote) == (True, True)
    listing = "Dimming takes:\n\n```\ndim_step = 5\n```\n[1]"
    found = answer("How long does dimming take, as a setting?", "dimming", listing)
    assert "dim_step is 5 %" in found.citations[-1].quote
    assert found.text.endswith("]")
    steps = "1. Run this:\n\n   ```\n   lamp[0] = <dim_step>\n   ```\n\n2. Unplug the lamp [1]."
    found = answer("How is the fuse replaced?", "fuse replace unplug dim_step", steps)
    assert "\n   ```\n   lamp[0] = <dim_step>\n   ```\n\n2. Unplug the lamp [" in found.text


def test_what_no_passage_supports_is_mended_once_or_marked_and_named(answer: Write) -> None:
    right, wrong = "Dimming takes 400 ms [1].", "Dimming takes 900 ms [1]. The fuse is 2 A [1]."
    mended = answer(DIMMING, "dimming", wrong, mended=right)
    assert (mended.text, mended.warnings) == (right, ())
    marked = answer(DIMMING, "dimming", wrong)
    dimming, fuse = marked.text.split(". ")
    assert (dimming.endswith("[?]"), "[?]" in fuse) == (True, False)
    assert "`900 ms`" in marked.warnings[0]


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
def test_no_place_of_an_answer_is_left_unchecked(answer: Write, written: str) -> None:
    assert "777" in " ".join(answer(DIMMING, "dimming", written).warnings)


def test_what_was_answered_before_supports_nothing(answer: Write) -> None:
    before = [("How many lumen in 1.0?", "It gives 600 lumen.")]
    found = answer("And in 2.0?", "lumen", "In 2.0 it gives 600 lumen [1].", "2.0", history=before)
    assert "600" in " ".join(found.warnings)


def test_a_reply_without_an_end_is_cut(ask: Ask) -> None:
    turn = ask(
        DIMMING,
        lamp.reading(DIMMING, search="dimming"),
        lamp.answer("Dimming takes 400 ms [1]. " + "{" * 50_000),
    )
    assert len(turn.calls[1].reply) < 10_000


STATED, UNKNOWN, COMPARED = ReleaseStatus.STATED, ReleaseStatus.UNKNOWN, ReleaseStatus.COMPARED


@pytest.mark.parametrize(
    ("question", "named", "fields", "chosen", "resolved"),
    [
        ("What is the fuse in 3.0?", [("3.0", "")], {}, None, (UNKNOWN, ())),
        # Left out, swapped, passed over as a number or as one that is not asked about.
        ("What is the fuse in 1.0?", [], {}, None, (STATED, ("1.0",))),
        ("How many lumen in 1.0?", [("1.0", "2.0")], {}, None, (STATED, ("1.0",))),
        (
            "How many lumen has a 1.0 lamp?",
            [],
            {"other_numbers": ["1.0"]},
            None,
            (STATED, ("1.0",)),
        ),
        (
            "How many lumen in 1.0?",
            [],
            {"releases": [{"words": "1.0", "release": "1.0", "asked": False}]},
            None,
            (STATED, ("1.0",)),
        ),
        # What the asker chose is not overruled by the model, with or without words.
        (LUMEN, [("", "1.0")], {}, "2.0", (STATED, ("2.0",))),
        (LUMEN, [("lumen", "1.0")], {}, "2.0", (STATED, ("2.0",))),
    ],
)
def test_a_release_is_neither_swapped_nor_left_out_by_the_model(
    ask: Ask,
    question: str,
    named: list[tuple[str, str]],
    fields: dict[str, object],
    chosen: str | None,
    resolved: tuple[ReleaseStatus, tuple[str, ...]],
) -> None:
    read = lamp.reading(question, *named, search="lumen fuse", **fields)
    turn = ask(question, read, lamp.answer("It is so [1]."), release=chosen)
    assert (turn.resolution.status, turn.resolution.releases) == resolved
    assert (turn.route is Route.CLARIFY) == (resolved[0] is UNKNOWN)


def test_of_two_releases_none_is_left_out(ask: Ask) -> None:
    question = "Is the fuse of 1.0 as strong as in 2.0?"
    turn = ask(question, lamp.reading(question, ("2.0", "2.0")), lamp.answer("2 A [1]"))
    assert turn.resolution.releases != ("2.0",)


def test_small_talk_and_the_catalog_are_answered_without_documents(ask: Ask) -> None:
    assert ask("salut!", lamp.reading("salut!", asks="greeting")).route is Route.CHAT
    newest = ask("newest lamp u got?", lamp.reading("?", ("newest", "2.0"), asks="which_releases"))
    assert text(newest) == "Newest: lamp 2.0 (the latest)."
    missing = ask("gibt es 3.0?", lamp.reading("?", ("3.0", ""), asks="which_releases"))
    assert text(missing).startswith("Nein, es gibt hier keine Version „3.0“ von lamp, nur")
    documents = ask("welche Dokumente?", lamp.reading("?", asks="which_documents"))
    assert text(documents).startswith("Dokumente zu lamp 2.0 (8):")


BRIGHTER = "Is it brighter in 2.0 than in 1.0?"


def test_a_comparison_keeps_the_releases_apart(answer: Write) -> None:
    written = "Yes.\n\n- 1.0 gives 600 lumen [1].\n- 2.0 gives 800 lumen [1]."
    found = answer(BRIGHTER, "lumen brightness", written, "2.0", "1.0")
    cited = {c.release: c.quote for c in found.citations}
    assert ("600 lumen" in cited["1.0"], "800 lumen" in cited["2.0"]) == (True, True)
    assert found.text == written.replace("800 lumen [1]", "800 lumen [2]")
    # What is not found in a release is neither cited nor doubted.
    written = "2.0 gives 800 lumen [2].\n\nNothing found in 1.0 on `warp_drive`."
    since = "Since which release is there a warp_drive, 1.0 or 2.0?"
    found = answer(since, "warp_drive lumen", written, "2.0", "1.0")
    assert found.text.endswith("\n\nNothing found in 1.0 on `warp_drive`.")
    assert found.warnings == ()


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
def test_a_comparison_that_mixes_the_releases_is_marked(answer: Write, swapped: str) -> None:
    found = answer(BRIGHTER, "lumen brightness", swapped, "2.0", "1.0")
    assert "lumen" in found.text
    assert found.warnings != ()


@pytest.mark.parametrize("profile", ["qamr", "base", "+reduction"])
def test_the_papers_chain_writes_whole_answers_with_a_capable_model(
    lamp_chatbot: MakeChatbot, profile: str
) -> None:
    question = "Does dimming take longer in 2.0 than in 1.0?"
    model = lamp.model(
        lamp.reading(question, ("2.0", "2.0"), ("1.0", "1.0"), search="dimming"),
        lamp.reduction("Brightness", "Dimming takes 400 ms."),
        lamp.Rule(step=lamp.SELECTION, reply='{"order": [1]}'),
        lamp.Rule(
            contains=BOTH,
            reply="It is the same.\n\n- In 1.0 dimming takes 400 ms [1].\n- In 2.0 dimming takes "
            "400 ms [1].",
        ),
    )
    made = lamp_chatbot(model, profile, backend="server", selected_chunks=1)
    turn = made.ask(question).turn
    assert turn.route is Route.COMPARE
    assert "In 1.0 dimming takes 400 ms [1].\n- In 2.0 dimming takes 400 ms [2]." in text(turn)
    assert turn.answer
    assert [c.release for c in turn.answer.citations] == ["1.0", "2.0"]


@pytest.mark.parametrize(
    ("question", "written"),
    [
        (
            "Wie groß ist dim_step in 1.0 und wie lange dauert das Dimmen?",
            "Der Standardwert von dim_step beträgt 10 % [1]. Das Dimmen dauert 400 ms [1].",
        ),
        (
            "1.0のdim_stepのデフォルトは？",
            "dim_stepのデフォルトは10 %です [1]。調光には400 msかかります [1]。",
        ),
        ("1.0中dim_step的默认值是多少？", "dim_step的默认值为10 % [1]。调光需要400 ms [1]。"),
    ],
)
def test_an_answer_may_be_in_another_language_than_its_source(
    ask: Ask, question: str, written: str
) -> None:
    turn = ask(
        question, lamp.reading(question, ("1.0", "1.0"), search="dim_step"), lamp.answer(written)
    )
    assert turn.answer is not None
    assert turn.answer.warnings == ()
    assert QUESTIONED not in turn.answer.text
    # The quote is the document's own words.
    assert "dim_step" in turn.answer.citations[0].quote
    prompt = "\n".join(text for _, text in turn.calls[-1].prompt)
    assert "Answer in the language of the question" in prompt


def test_a_figure_is_checked_in_another_language_too(answer: Write) -> None:
    question = "1.0のdim_stepのデフォルトは？"
    found = answer(question, "dim_step", "dim_stepのデフォルトは15 %です [1]。", "1.0")
    assert QUESTIONED in found.text
    assert found.warnings[0].startswith("引用したページに記載なし")
    assert doubted(found.warnings) == found.warnings[0]


def test_a_refusal_is_in_the_language_of_the_question(answer: Write) -> None:
    refused = answer("Wie hell ist die Lampe in 2.0?", "brightness", "I don't know", "2.0")
    assert refused.text.startswith("Das habe ich in der Dokumentation von lamp 2.0 nicht gefunden")
