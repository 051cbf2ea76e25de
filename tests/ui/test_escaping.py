import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from tests.ui.payloads import PAYLOADS
from ui.wording.escaping import as_code, as_label, as_text, visible

MARKDOWN = MarkdownIt("gfm-like", {"linkify": False})
SHOWN_AS_TEXT = {"text", "text_special", "code_inline", "hardbreak"}

# What Streamlit's frontend does to the text that Markdown yields, and to the source before that.
REWRITES_TEXT = [
    r"https?://",
    r"www(?=\.)",
    r"[-.\w+]+@[-\w]+(?:\.[-\w]+)+",
    r":material_\w+:",
    r":streamlit:",
    r"(^|\s)(<->|->|<-|--|>=|<=|~=)(\s|$)",
]
LOADS_EMOJI = re.compile(r":(?!material/|streamlit:)[\w+-][\w_+-]*:")
CODE_OR_ESCAPE = re.compile(r"`[^`\n]+`|\\[!-/:-@\[-`{-~]")


def shown(markdown: str) -> str:
    """The text that a reader sees; fails if there is anything but text, code and line breaks."""
    tokens = MARKDOWN.parse(markdown)
    assert [t.type for t in tokens] in (
        [],
        ["paragraph_open", "inline", "paragraph_close"],
    ), markdown
    children = tokens[1].children or [] if tokens else []
    assert {c.type for c in children} <= SHOWN_AS_TEXT, markdown
    return "".join("\n" if c.type == "hardbreak" else c.content for c in children)


def expected(text: str) -> str:
    lines = [line.expandtabs(4) for line in visible(text).split("\n") if line.strip()]
    return "\n".join(line.rstrip() for line in lines)


def survives_streamlit(markdown: str) -> bool:
    """Whether nothing is left that Streamlit would rewrite after Markdown is done."""
    if LOADS_EMOJI.search(markdown) or "$" in CODE_OR_ESCAPE.sub("", markdown):
        return False
    runs = re.split(r"`[^`\n]+`|\\\n", markdown)
    texts = [re.sub(r"\\([!-/:-@\[-`{-~])", r"\1", run) for run in runs]
    return not any(re.search(rule, text, re.I) for rule in REWRITES_TEXT for text in texts)


@pytest.mark.parametrize("payload", PAYLOADS, ids=range(len(PAYLOADS)))
def test_any_text_shows_as_itself(payload: str) -> None:
    markdown = as_text(payload)

    # markdown-it takes the kept spaces of the first line for those that it strips.
    assert shown(markdown).replace("\u00a0", " ").strip() == expected(payload).strip()
    assert survives_streamlit(markdown)


ALPHABET = st.sampled_from([*"<>&$[](){}!*_~`#+-=|\\:/@.'\"^% \t\na1é", "www.", "http://", ":a:"])


@given(st.lists(ALPHABET, max_size=30).map("".join))
def test_no_mixture_of_marks_is_anything_but_text(text: str) -> None:
    markdown = as_text(text)

    assert " ".join(shown(markdown).split()) == " ".join(visible(text).split())


def test_a_label_is_one_short_line() -> None:
    assert as_label("two\n\nlines  of *text*") == "two lines of \\*text\\*"
    assert shown(as_label("word " * 100, 20)) == "word word word word…"


@pytest.mark.parametrize("text", ["a`b", "a\nb", "see :smile: here", " "])
def test_code_that_cannot_stand_in_a_span_is_text(text: str) -> None:
    assert not as_code(text).startswith("`")


def test_code_is_kept_letter_for_letter() -> None:
    assert as_code("Query.update(**kw)") == "`Query.update(**kw)`"


def test_what_turns_writing_around_is_dropped() -> None:
    assert visible("a\u202eb\x00c\u2066d\r\ne\u2028f") == "abcd\ne\nf"


def test_a_very_long_word_takes_no_time() -> None:
    text = "a" * 50_000 + " " + ":" * 50_000 + " " + "a:" * 50_000 + " " + "@" * 50_000

    assert shown(as_text(text)) == text


@pytest.mark.parametrize("payload", PAYLOADS, ids=range(len(PAYLOADS)))
def test_no_code_span_ends_the_badge_or_the_mark_that_it_stands_in(payload: str) -> None:
    assert not re.search(r"`[^`\n]*[\[\]][^`\n]*`", re.sub(r"\\.", "", as_label(payload, 9999)))
