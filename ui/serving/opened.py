"""The chatbot of this process, opened once: the pages and the programs share its model."""

from __future__ import annotations

import threading

from chatbot.assembly import Chatbot, open_chatbot
from chatbot.settings import read_settings

_opening = threading.Lock()
_opened: list[Chatbot] = []


def opened_chatbot() -> Chatbot:
    """The chatbot over the data folder of the settings; what fails is tried again."""
    with _opening:
        if not _opened:
            chatbot = open_chatbot(read_settings())
            chatbot.warm_up()
            _opened.append(chatbot)
        return _opened[0]
