from __future__ import annotations

from chatbot.text.query_terms import filtered, misspelt_stop_word, search_terms


class Anything:
    """A release that has every word."""

    def frequency(self, token: str) -> int:
        return 1

    def similar(self, word: str) -> tuple[str, ...]:
        return ()


def test_small_words_are_sought_where_they_are_quoted() -> None:
    assert set(search_terms("what is a document name", "", "valve", Anything())) == set()
    quoted = search_terms("what is a 'document name' of valve's lever", "", "valve", Anything())
    assert {"document", "name", "lever"} <= set(quoted)


def test_contractions_are_small_words_with_and_without_their_apostrophe() -> None:
    assert filtered("What's open, whats shut, and dont they move?") == "open shut move"


def test_a_misspelt_question_word_is_one() -> None:
    assert misspelt_stop_word("wat") == "what"
    assert misspelt_stop_word("what") is None
    assert misspelt_stop_word("lever") is None
