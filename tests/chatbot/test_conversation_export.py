import json
from dataclasses import replace

from markdown_it import MarkdownIt

from chatbot.conversations.conversations import Conversations
from chatbot.conversations.export import conversation_json, conversation_markdown, reply_markdown
from chatbot.conversations.feedback import DOWN, Feedback
from chatbot.reply import Reply
from chatbot.turn import Citation
from corpora.database.engine import Database
from prompts.fencing import visible
from tests.chatbot.asked import answer
from tests.chatbot.test_plain_markdown import LINKED, MARKDOWN
from tests.ui.payloads import PAYLOADS

CITED = answer(
    answer="It is 300 s [1]:\n\n1. Set it:\n\n```\nset *x*\n```",
    release_explanation="you said “17.2” → 17.20",
    citations=[Citation("Relay guide", "guide.md", "17.20", 2, "Timers", "timers", "300 — s", 7)],
    seconds=0.23,
)


def test_an_answer_is_copied_with_its_release_and_its_sources() -> None:
    assert reply_markdown(CITED) == (
        "**relay 17.20** (you said “17.2” → 17.20)\n\n"
        "It is 300 s\u00a0[1]:\n\n1. Set it:\n\n```\nset *x*\n```\n\n"
        "Sources:\n\n"
        "- [1] Relay guide, guide.md, Timers, release 17.20"
    )


def test_a_conversation_is_exported_with_its_questions_answers_and_opinions(
    database: Database,
) -> None:
    conversations = Conversations(database, "ada")
    conversation = conversations.start("relay", "What is hold_time?")
    wrong = conversations.add(conversation, "Whither?", answer())
    first = conversations.add(conversation, "What is hold_time?", CITED, instead_of=wrong)
    conversations.add(conversation, "And *now*?", answer(release=None, release_status="unknown"))
    Feedback(database, "ada").give(first, DOWN, "wrong release", "It is <b>not</b>.")

    text = conversation_markdown(conversations, conversation)
    # What was asked anew is not exported.
    assert "Whither" not in text + conversation_json(conversations, conversation)
    assert text.startswith("# What is hold_time?\n\nrelay")
    for part in ("## Question 1", "**relay 17.20**", "wrong release", "It is \\<b>not\\</b>."):
        assert part in text
    assert "## Question 2\n\nAnd \\*now\\*?" in text

    exported = json.loads(conversation_json(conversations, conversation))
    assert exported["title"] == "What is hold_time?"
    assert exported["created"].endswith("+00:00")
    assert [turn["question"] for turn in exported["turns"]] == ["What is hold_time?", "And *now*?"]
    assert Reply.model_validate(exported["turns"][0]["reply"]) == CITED
    said = {"thumbs": -1, "reason": "wrong release", "comment": "It is <b>not</b>."}
    assert exported["turns"][0]["feedback"].items() >= said.items()
    assert exported["turns"][1]["feedback"] is None


def test_hostile_text_anywhere_is_text_in_the_file(database: Database) -> None:
    conversations = Conversations(database)
    conversation = conversations.start(PAYLOADS[0], PAYLOADS[0])
    for payload in PAYLOADS:
        turn = conversations.add(conversation, payload, hostile(payload))
        Feedback(database).give(turn, DOWN, "other", payload[:2000])

    for token in MARKDOWN.parse(conversation_markdown(conversations, conversation)):
        for child in (token, *(token.children or ())):
            assert not child.type.startswith(("html", "image", "link", "code_block")), token.content
            # A listing is shown letter for letter, in no language that a reader may draw.
            if child.type == "fence":
                assert not child.info
                assert any(child.content in payload for payload in PAYLOADS)
            assert child.type != "text" or not LINKED.search(child.content), child.content
    exported = json.loads(conversation_json(conversations, conversation))["turns"]
    for turn, payload in zip(exported, PAYLOADS, strict=True):
        assert (turn["question"], turn["reply"]) == (
            payload,
            hostile(payload).model_dump(mode="json"),
        )
        assert turn["feedback"]["comment"] == visible(payload[:2000]).strip()


def hostile(payload: str) -> Reply:
    """A reply that has a hostile text wherever text can come from elsewhere."""
    names = dict.fromkeys(("document", "file", "section", "release"), payload)
    forms = "{0}\n\n> {0} [1]\n\n- {0} [1]({0})\n\n**{0}** `{0}` [1]: {0}\n\n| a |\n| - |\n| {0} |"
    return CITED.model_copy(
        update={
            "answer": forms.format(payload),
            "product": payload,
            "release": payload,
            "release_explanation": payload,
            "citations": (replace(CITED.citations[0], **names),),
        }
    )


def test_no_text_of_another_defines_a_link_for_a_mark() -> None:
    text = "See [1] and [1][1].\n\n[1]: https://evil.test\n\n> [1]: /x [1]"
    sly = CITED.model_copy(update={"answer": text})
    html = MarkdownIt("commonmark").render(reply_markdown(sly))
    assert "<a" not in html
