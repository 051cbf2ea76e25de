"""A conversation as a file to keep: Markdown to read, JSON to work with."""

import json
from collections.abc import Iterable, Iterator
from datetime import datetime
from typing import Any

from chatbot.conversations.conversations import Conversations
from chatbot.conversations.feedback import UP, reason_name
from chatbot.conversations.release_badge import duration, release_badge
from chatbot.reply import Reply
from chatbot.text.languages import gettext
from chatbot.text.markdown import as_block, as_label, for_any_reader
from chatbot.text.places import place_in_file
from chatbot.turn import Citation
from corpora.database.history_tables import ConversationRow, FeedbackRow, TurnRow
from prompts.fencing import visible


def conversation_markdown(conversations: Conversations, conversation: str) -> str:
    """Write a conversation as Markdown in which text of any origin shows as text.

    Whatever reads the file, it loads no picture, holds no link and no HTML from a document, a
    question or a comment. Raises UnknownConversation unless it is a conversation of the owner.
    """
    kept = conversations.get(conversation)
    begun = f"begun on {_moment(kept.created)}"
    head = [
        f"# {as_label(kept.title) or 'Conversation'}",
        f"{as_label(kept.product)}, {begun}" if kept.product else f"A conversation {begun}",
    ]
    parts = (_turn(number, turn) for number, turn in enumerate(kept.said, 1))
    return "\n\n".join([*head, *(paragraph for part in parts for paragraph in part)]) + "\n"


def conversation_json(conversations: Conversations, conversation: str) -> str:
    """Write a conversation as JSON; raises UnknownConversation unless it is the owner's."""
    kept = conversations.get(conversation)
    return json.dumps(conversation_as_json(kept, kept.said), ensure_ascii=False, indent=2) + "\n"


def conversation_as_json(kept: ConversationRow, turns: Iterable[TurnRow]) -> dict[str, Any]:
    """A conversation as plain JSON, with these of its turns and their feedback."""
    return {
        "conversation": kept.id,
        "title": kept.title,
        "product": kept.product,
        "created": kept.created.isoformat(),
        "updated": kept.updated.isoformat(),
        "turns": [
            {
                "turn": turn.id,
                "created": turn.created.isoformat(),
                "question": turn.question,
                "reply": turn.answer,
                "replaced": turn.superseded,
                "feedback": _feedback(turn.feedback),
            }
            for turn in turns
        ],
    }


def reply_markdown(reply: Reply) -> str:
    """Write one answer as such Markdown: its product and release, its text, its sources."""
    return "\n\n".join(_answer(reply))


def _feedback(row: FeedbackRow | None) -> dict[str, Any] | None:
    if row is None:
        return None
    opinion = {"thumbs": row.thumbs, "reason": row.reason, "comment": row.comment}
    return opinion | {"created": row.created.isoformat()}


def _turn(number: int, turn: TurnRow) -> Iterator[str]:
    reply, opinion = Reply.model_validate(turn.answer), turn.feedback
    yield f"## {gettext('Question {number}', number=number)}"
    yield as_block(turn.question)
    if took := duration(reply):
        moment = _moment(turn.created)
        yield f"*{gettext('Answered on {moment} in {time}', moment=moment, time=took)}*"
    else:
        yield f"*{gettext('Answered on {moment}', moment=_moment(turn.created))}*"
    yield from _answer(reply)
    if opinion:
        parts = [gettext("thumbs up") if opinion.thumbs == UP else gettext("thumbs down")]
        parts.append(reason_name(opinion.reason) if opinion.reason else "")
        summary = ", ".join(filter(None, parts))
        comment = f"\\\n{as_block(opinion.comment)}" if opinion.comment else ""
        yield gettext("Feedback: {summary}", summary=summary) + comment


def _answer(reply: Reply) -> Iterator[str]:
    where = release_badge(reply)
    how = f" ({as_label(where.explanation)})" if where.explanation else ""
    if where.name:
        yield f"**{as_label(where.name)}**{how}"
    yield for_any_reader("[{}]".format, len(reply.citations)).whole(visible(reply.answer))
    if reply.citations:
        yield gettext("Sources:")
        cited = enumerate(reply.citations, 1)
        yield "\n".join(f"- [{number}] {_source(citation)}" for number, citation in cited)


def _source(citation: Citation) -> str:
    place = place_in_file(citation.file, citation.page) or citation.section
    parts = [
        citation.document,
        citation.file,
        place,
        gettext("release {release}", release=citation.source),
    ]
    return ", ".join(as_label(part) for part in parts if part)


def _moment(moment: datetime) -> str:
    return f"{moment:%Y-%m-%d %H:%M} UTC"
