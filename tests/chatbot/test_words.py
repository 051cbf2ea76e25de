from __future__ import annotations

from chatbot.text.words import filtered, listed, search_terms


def test_a_question_is_searched_for_by_its_topic_and_not_by_the_products_name() -> None:
    terms = search_terms("what is the lever of valve", "its hinge", "valve")
    assert terms == {"lever": 1.0, "hing": 0.3}


def test_contractions_are_small_words_with_and_without_their_apostrophe() -> None:
    assert filtered("What's open, whats shut, and dont they move?") == "open shut move"


def test_names_in_a_sentence() -> None:
    assert listed(["1.0"]) == "1.0"
    assert listed(["1.0", "1.2"]) == "1.0 and 1.2"
    assert listed(("1.0", "1.2", "2.0"), "or") == "1.0, 1.2 or 2.0"
