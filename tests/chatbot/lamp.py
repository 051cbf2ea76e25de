"""A product whose documentation has several pages, and scripts of a model that reads them."""

import json
from collections.abc import Sequence

from chatbot.models.scripted import Rule, ScriptedChatModel

PAGES = {
    "brightness.md": "# Brightness\n\nThe lamp gives {lumen} lumen. The default of dim_step is "
    "{step} %. Dimming takes 400 ms.\n",
    "power.md": "# Power\n\nThe lamp draws 12 W at any dim_step. The fuse is rated 2 A. "
    "Unplug the lamp before you replace the fuse.\n",
    "network.md": "# Network\n\nThe lamp listens for a dim_step on port 5540. The pairing command "
    "opens a window of 180 seconds in which a remote can join.\n",
    "box.md": "# Box\n\nThe box holds the lamp, a cable and four screws.\n",
    "warranty.md": "# Warranty\n\nThe maker repairs the lamp for two years.\n",
    "app.md": "# App\n\nThe app shows every lamp of the house.{more}\n",
    "cover.md": "# Cover\n\nTurn the cover to the left to take it off.\n",
    "cleaning.md": "# Cleaning\n\nWipe the lamp with a dry cloth. Solvents harm the cover.\n",
}
RELEASES = {
    "1.0": {"lumen": "600", "step": "10", "more": ""},
    "2.0": {"lumen": "800", "step": "5", "more": " Its wall_mode keeps it on the screen."},
}

READING, REDUCTION, SELECTION, ANSWER = (
    "question_reading",
    "context_reduction",
    "context_selection",
    "answer_generation",
)
"""The steps that ask the model."""


def reduction(heading: str, *spans: str) -> Rule:
    reply = json.dumps({"needs": "the value", "spans": spans})
    return Rule(step=REDUCTION, matches=rf'<chunk section="[^"]*{heading}', reply=reply)


def reading(question: str, *releases: tuple[str, str], **fields: object) -> Rule:
    """What is read in a question: releases as (words, name), all of them asked."""
    reply = {
        "asks": "documentation",
        "product": "",
        "releases": [{"words": w, "release": r, "asked": True} for w, r in releases],
        "every_release": False,
        "changes": False,
        "other_numbers": [],
        "question": question,
        "search": "lamp",
        "other_words": "",
    }
    return Rule(step=READING, reply=json.dumps({**reply, **fields}))


NO_SPANS = Rule(step=REDUCTION, reply='{"needs": "the value", "spans": []}')
STUBBORN = Rule(contains="That reply cannot be used", reply="no")


def answer(text: str) -> Rule:
    return Rule(step=ANSWER, reply=text)


def model(*rules: Rule, replies: Sequence[str] = (), delay: float = 0.0) -> ScriptedChatModel:
    """Play the rules; what has no form the second time either is given up by the step."""
    short = Rule(contains="Reply with the exact value", reply="5 %")
    rules = (STUBBORN, *rules, short, NO_SPANS)
    return ScriptedChatModel(rules=rules, replies=replies, delay=delay)
