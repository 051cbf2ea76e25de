"""Which texts are the same words, whatever their layout and markup."""

import pytest

from chatbot.comparison.plain_words import END, RELEASE, sentences_of, without_release, words_of


@pytest.mark.parametrize(
    ("one", "other", "is_code", "same"),
    [
        ("Open http://localhost:5232/ now.", "Open http://localhost:5232 now.", False, True),
        ("Open http://localhost/a/ now.", "Open http://localhost/b now.", False, False),
        ("The path /radicale/ is kept.", "The path /radicale is kept.", False, False),
        ("$ run --all\n$ stop", "run \\\n  --all\nstop", True, True),
        ("$ run --all", "$ run --any", True, False),
        ("cost $ 5", "cost 5", True, False),
    ],
)
def test_prompts_line_ends_and_the_last_slash_of_an_address_are_no_words(
    one: str, other: str, is_code: bool, same: bool
) -> None:
    assert (words_of(one, is_code=is_code) == words_of(other, is_code=is_code)) is same


@pytest.mark.parametrize("text", ["One. Two (v1.5): three, 1,000 and ''!", "- a\nb", "", "x"])
def test_sentences_are_the_same_words_with_ends(text: str) -> None:
    assert tuple(w for w in sentences_of([text]) if w != END) == words_of(text)


@pytest.mark.parametrize(
    ("text", "is_own"),
    [
        ("in version 1.0 it is", True),
        ("Proxy v1.0 and proxy/1.0", True),
        ("see https://docs.example.com/1.0/guide and /opt/docs/1.0", True),
        ("it speaks HTTP/1.0 and/or HTTP/1.1", False),
        ("with TLS version 1.0 and OAuth 1.0", False),
    ],
)
def test_the_figure_of_another_thing_is_not_the_release(text: str, is_own: bool) -> None:
    assert (RELEASE in without_release(words_of(text), "1.0", "Proxy")) is is_own
