from __future__ import annotations

from chatbot.text.query_terms import filtered, search_terms


def test_a_question_is_searched_for_by_its_topic_and_not_by_the_products_name() -> None:
    terms = search_terms("what is the lever of valve", "its hinge", "valve")
    assert terms == {"lever": 1.0, "hing": 0.3}


def test_contractions_are_small_words_with_and_without_their_apostrophe() -> None:
    assert filtered("What's open, whats shut, and dont they move?") == "open shut move"
