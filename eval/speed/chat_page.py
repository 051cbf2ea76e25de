"""The chat page as a browser runs it: its connection, its timers, and what is to be seen on it."""

import time
from collections.abc import Iterator
from contextlib import contextmanager

from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websockets.sync.client import ClientConnection, connect
from websockets.typing import Origin, Subprotocol

from eval.speed.served import PATIENCE

_IDLE = 1.0
"""Seconds in which a page without timers listens at most."""


class ChatPage:
    """An open chat page of a server; it draws nothing, which takes a browser some milliseconds."""

    def __init__(self, connection: ClientConnection) -> None:
        self._connection = connection
        self._script = self._input = ""
        self._timers: dict[str, tuple[float, float]] = {}
        """By part of the page: after how many seconds it is run, and when next."""
        self._run()
        for message in self._heard():
            if _is_end_of_run(message) and self._input:
                return

    def first_words(self, question: str, begin: str) -> float:
        """Ask, and return the seconds to the words with which the model's answers `begin`.

        Of an answer that does not, to when the page shows it.
        """
        asked, first, is_watching = time.monotonic(), 0.0, False
        self._run(question)
        for message in self._heard():
            is_watching |= message.WhichOneof("type") == "auto_rerun"
            # A page without a part that looks again and again has the answer.
            is_end = _is_end_of_run(message) and not is_watching
            if is_end or message.delta.new_element.markdown.body.startswith(begin):
                first = first or time.monotonic() - asked
            if is_end:
                break
            is_watching &= message.WhichOneof("type") != "script_finished"
        return first

    def _run(self, question: str = "", part: str = "") -> None:
        """Have the page run, or a part of it, with a question in its input."""
        sent = BackMsg()
        run = sent.rerun_script
        run.page_script_hash, run.fragment_id, run.is_auto_rerun = self._script, part, bool(part)
        if question:
            widget = run.widget_states.widgets.add(id=self._input)
            widget.chat_input_value.data = question
        self._connection.send(sent.SerializeToString())

    def _heard(self) -> Iterator[ForwardMsg]:
        """What the server sends, while timers go on."""
        end = time.monotonic() + PATIENCE
        while (now := time.monotonic()) < end:
            for part, (every, due) in list(self._timers.items()):
                if due <= now:
                    self._timers[part] = every, now + every
                    self._run(part=part)
            wait = min((due - now for _, due in self._timers.values()), default=_IDLE)
            try:
                message = ForwardMsg.FromString(self._connection.recv(max(wait, 0.0)))
            except TimeoutError:
                continue
            self._note(message)
            yield message
        raise TimeoutError(f"the page showed nothing in {PATIENCE:.0f} s")

    def _note(self, message: ForwardMsg) -> None:
        match message.WhichOneof("type"):
            case "new_session":
                self._script = message.new_session.page_script_hash
            case "delta" if message.delta.new_element.HasField("chat_input"):
                self._input = message.delta.new_element.chat_input.id
            case "auto_rerun":
                timer = message.auto_rerun
                self._timers[timer.fragment_id] = timer.interval, time.monotonic() + timer.interval
            case "stop_auto_rerun":
                for part in message.stop_auto_rerun.fragment_ids:
                    self._timers.pop(part, None)


def _is_end_of_run(message: ForwardMsg) -> bool:
    """Whether the whole page, and no part of it, has run to its end."""
    kind = message.WhichOneof("type")
    return kind == "script_finished" and message.script_finished == ForwardMsg.FINISHED_SUCCESSFULLY


@contextmanager
def opened(address: str) -> Iterator[ChatPage]:
    """The chat page at the address of a server, for as long as the block goes on."""
    url = f"{address.replace('http', 'ws', 1)}/_stcore/stream"
    spoken = [Subprotocol("streamlit")]
    with connect(
        url, origin=Origin(address), subprotocols=spoken, max_size=None, max_queue=None
    ) as connection:
        yield ChatPage(connection)
