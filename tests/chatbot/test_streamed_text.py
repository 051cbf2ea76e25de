"""Tokens of a real byte-level tokenizer become text while they come."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chatbot.models.streamed_text import StreamedText
from tests.chatbot.tiny_llama import tiny_tokenizer

TOKENIZER = tiny_tokenizer()


def pieces(tokens: list[int], stop: tuple[str, ...] = ()) -> list[str]:
    """What is shown token by token, until a stop string ends it."""
    text = StreamedText(TOKENIZER.decode, stop)
    shown = []
    for token in tokens:
        shown.append(text.add(token))
        if text.stopped:
            break
    return [*shown, text.finish()]


@settings(derandomize=True, deadline=None)
@given(st.text(st.characters(exclude_characters="\ufffd", exclude_categories=["Cs"])))
def test_characters_of_several_tokens_come_whole(text: str) -> None:
    shown = pieces(TOKENIZER.encode(text).ids)
    assert "".join(shown) == text
    assert not any("\ufffd" in piece for piece in shown)


@settings(derandomize=True, deadline=None)
@given(st.lists(st.integers(0, TOKENIZER.get_vocab_size() - 1), max_size=60))
def test_any_tokens_give_the_text_that_decoding_them_at_once_gives(tokens: list[int]) -> None:
    assert "".join(pieces(tokens)) == TOKENIZER.decode(tokens)


def test_text_is_shown_as_soon_as_it_is_known() -> None:
    tokens = TOKENIZER.encode("the port → ten").ids
    shown = pieces(tokens, stop=("\n",))
    assert shown[0] == TOKENIZER.decode(tokens[:1])
    assert shown[-1] == ""


def test_an_unfinished_character_is_shown_as_such_at_the_end() -> None:
    tokens = TOKENIZER.encode("a→").ids
    assert "".join(pieces(tokens[:-1])) == "a\ufffd"


@pytest.mark.parametrize(
    ("text", "stop", "shown"),
    [
        ("the port runs", ("port",), "the "),
        ("the port runs", ("runs", "port"), "the "),
        ("the port", ("portal",), "the port"),
        ("aaab", ("aab",), "a"),
        ("ten → per", ("→ p",), "ten "),
        ("the port", ("",), "the port"),
        ("port", ("port",), ""),
    ],
)
def test_a_stop_string_is_never_shown(text: str, stop: tuple[str, ...], shown: str) -> None:
    assert "".join(pieces(TOKENIZER.encode(text).ids, stop)) == shown
