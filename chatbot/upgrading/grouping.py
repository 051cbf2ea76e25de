"""An upgrade guide grouped and worded by a capable model; what its pages do not say is left out."""

import re
from collections.abc import Mapping
from dataclasses import replace

from langchain_core.language_models import BaseChatModel

from chatbot.errors import GeneratorError
from chatbot.retrieval.support import unsupported
from chatbot.runtime.model_calls import call
from chatbot.text.markdown import without_marks
from chatbot.text.sanitizer import harmless
from chatbot.upgrading.guide import Guide, Item
from prompts import fenced, fenced_list, render

STEP = "upgrade_guide"
_MOST = 60
"""Items that a model is shown, the most urgent; the others stay as they are."""
_OF_AN_ITEM, _TOKENS = 700, 80
"""Characters that are shown of an item, and tokens of its sentence and a part of its heading."""
_LINE = re.compile(r"^\W*(\d{1,3})\s*[|:.)]\s*(?P<words>.{3,300})$")
_TITLE = re.compile(r"^\s*#+\s*(?P<title>.{2,60}?)\s*$")


async def grouped(guide: Guide, model: BaseChatModel) -> Guide:
    """The guide with a group and a sentence for each item that the model wrote one for.

    Every item stays, with its list, its steps and its pages. A sentence or a title with a claim
    that the item's own pages do not support is dropped; so is all of a failed call.
    """
    shown = guide.items[:_MOST]
    if len(shown) < 2:
        return guide
    texts = [_told(item) for item in shown]
    sections = [
        fenced("passage", text[:_OF_AN_ITEM], number=number) for number, text in enumerate(texts, 1)
    ]
    older, newer = guide.releases[0], guide.releases[-1]
    of = {"product": guide.product, "older": older, "newer": newer}
    messages = render("upgrade_guide", **of, passages=fenced_list(sections))
    try:
        longest = _TOKENS * len(shown)
        made = await call(model, messages, step=STEP, shown=False, max_tokens=longest)
    except GeneratorError:
        return guide
    own = " ".join((guide.product, *guide.releases))
    written = _read(made.reply, texts, own)
    items = [
        replace(item, group=written[n][0], words=written[n][1]) if n in written else item
        for n, item in enumerate(guide.items, 1)
    ]
    order = {group: n for n, group in enumerate(dict.fromkeys(i.group for i in items if i.group))}
    items.sort(key=lambda item: (item.need_place, order.get(item.group, len(order))))
    return replace(guide, items=tuple(items))


def _told(item: Item) -> str:
    """What an item's steps and pages say."""
    said = [f"{item.name} ({item.need}, {item.what})", item.owner]
    said += [f"{step.newer}: {step.says}" for step in item.steps]
    return "\n".join(filter(None, (*said, *(c.quote for c in item.citations))))


def _read(reply: str, texts: list[str], own: str) -> Mapping[int, tuple[str, str]]:
    """By the number of an item its group and its sentence, as far as these are supported."""
    everything = "\n".join(texts)
    found: dict[int, tuple[str, str]] = {}
    group = ""
    for line in reply.splitlines():
        if title := _TITLE.match(line):
            said = without_marks(harmless(title["title"], evidence=everything))
            group = "" if unsupported(said, [everything], own) else said.replace("`", "")
        elif (match := _LINE.match(line)) and 0 < (number := int(match[1])) <= len(texts):
            text = texts[number - 1]
            words = without_marks(harmless(match["words"], evidence=text))
            is_supported = not unsupported(words, [text], own)
            found.setdefault(number, (group, words.replace("`", "") if is_supported else ""))
    return found
