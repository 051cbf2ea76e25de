from __future__ import annotations

import pytest

from chatbot.queries.spelling import corrected
from corpora.indexing.lexical import tokens

RELEASE = {
    token
    for word in ("several", "stylesheet", "visibility", "request.hostname")
    for token in tokens(word)
}
ENGLISH = {"several", "serial", "instead", "visibility", "open", "the"}


class Release:
    """The words of a made-up release."""

    def frequency(self, token: str) -> int:
        return int(token in RELEASE)

    def similar(self, word: str) -> tuple[str, ...]:
        return {"stylsheet": ("stylesheet",), "sevral": ("serial",), "reqest": ("request",)}.get(
            word, ()
        )


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("sevral stylsheet", "several stylesheet"),  # English first, then the release's names
        ("the visibilty", "the visibility"),
        ("teh diffrence", "the difference"),  # misspelt stop words stay words
        ("wat is open", "what is open"),
        ("hold_tmie of wrk.1", "hold_tmie of wrk.1"),  # the release has no such names
        ("request_hostnam", "request_hostnam"),
        ("reqest.hostname", "request.hostname"),
        ("requests.hostname", "request.hostname"),  # a part that the release has in another form
        ("reqest.gizmo", "reqest.gizmo"),  # the release has no such name
        ("gizmo", "gizmo"),
    ],
)
def test_typing_errors_become_words_of_english_or_of_the_release(typed: str, meant: str) -> None:
    assert corrected(typed, Release(), ENGLISH.__contains__) == meant
