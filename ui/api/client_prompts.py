"""What Open WebUI writes around a question, and asks beside it: titles, tags, searches.

Most of its prompts begin with "### Task:". One quotes what it found elsewhere, before the user's
own words; one wants a long conversation in short; the others quote the conversation and want JSON.
Three have words of their own: one merges the answers of several models, one wants the face that a
voice has, and one asks which of its tools to call.
"""

import json
import re
import textwrap
from typing import Any

_BEGINNING = "### Task:"
_QUOTED = re.compile(r"<(chat_history|context)>")
_TURN = re.compile(r"^(USER|ASSISTANT|SYSTEM|TOOL): ", re.M)
_WANTED = re.compile(r'"(title|tags|follow_ups|queries|prompt|text)":')
_MERGED = re.compile(
    r"You have been provided with a set of responses from various models to the latest user query: "
    r'"(.*)"\n\nYour task is to synthesize',
    re.S,
)
_NO_TOOL = '{"tool_calls": []}'
_IN_SHORT = "\n### Previous Summary:"
_FACE = "Your task is to reflect the speaker's likely facial expression through a fitting emoji."
_LONGEST_TITLE = 60


def question_of(message: str) -> str:
    """The user's own words in a message, without the instructions and passages around them."""
    if merged := _MERGED.match(message):
        return merged[1]
    _, ended, question = message.rpartition("</context>")
    return question.strip() or message if ended and _quotes(message) == "context" else message


def reply_to_task(message: str, product: str, system: str = "") -> str | None:
    """The reply to what is asked beside a question, which no document tells; None for a question.

    It is made of the user's last question in the conversation that the message quotes. An empty one
    has Open WebUI shorten the conversation by itself. `system` is what the system message says.
    """
    if system.startswith("Available Tools:") and '"tool_calls"' in system:
        return _NO_TOOL
    if message.startswith(_FACE):
        return "🙂"
    if message.lstrip().startswith(_BEGINNING) and _IN_SHORT in message:
        return ""
    task, _, rest = message.partition("<chat_history>")
    conversation, ended, _ = rest.rpartition("</chat_history>")
    if not ended or _quotes(message) != "chat_history":
        return None
    said = _TURN.split(conversation)
    questions = [words for who, words in zip(said[1::2], said[2::2], strict=True) if who == "USER"]
    question = " ".join(questions[-1].split()) if questions else ""
    title = textwrap.shorten(question, _LONGEST_TITLE, placeholder=" …") or product
    replies: dict[str, Any] = {
        "title": title,
        "tags": [product],
        "follow_ups": [],
        "queries": [question] if question else [],
        "prompt": question,
        "text": "",
    }
    wanted = _WANTED.search(task)
    return json.dumps({wanted[1]: replies[wanted[1]]}, ensure_ascii=False) if wanted else title


def _quotes(message: str) -> str:
    """What a prompt of Open WebUI quotes first; nothing where a message is none."""
    quoted = _QUOTED.search(message) if message.lstrip().startswith(_BEGINNING) else None
    return quoted[1] if quoted else ""
