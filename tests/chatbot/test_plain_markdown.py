import re
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from chatbot.text.markdown import as_block, as_label
from prompts.fencing import visible
from tests.ui.payloads import PAYLOADS

# A reader that trusts its file: HTML is passed on, and any scheme may be linked.
MARKDOWN = MarkdownIt("gfm-like", {"linkify": False, "html": True})
MARKDOWN.validateLink = lambda url: True  # type: ignore[method-assign]
SHOWN_AS_TEXT = {"text", "text_special", "code_inline", "hardbreak"}
# What readers make links of, in the text that Markdown yields.
LINKED = re.compile(r"[a-z]{3,}://|www\.|mailto:|\w@\w", re.IGNORECASE)


def shown(markdown: str) -> str:
    """The text that a reader sees; fails where there is more than one paragraph of text."""
    tokens = MARKDOWN.parse(markdown)
    kinds = [token.type for token in tokens]
    assert kinds in ([], ["paragraph_open", "inline", "paragraph_close"]), markdown
    children = tokens[1].children or [] if tokens else []
    assert {child.type for child in children} <= SHOWN_AS_TEXT, markdown
    texts = [child.content for child in children if child.type != "code_inline"]
    assert not any(LINKED.search(text) for text in texts), markdown
    return "".join("\n" if child.type == "hardbreak" else child.content for child in children)


def expected(text: str) -> str:
    lines = [line.expandtabs(4) for line in visible(text).split("\n") if line.strip()]
    return "\n".join(line.rstrip() for line in lines).strip()


@pytest.mark.parametrize("payload", PAYLOADS, ids=range(len(PAYLOADS)))
def test_any_text_shows_as_itself(payload: str) -> None:
    assert shown(as_block(payload)).replace("\u00a0", " ").strip() == expected(payload)


@given(st.text(st.sampled_from("ab1 \n\t`*_[]()<>&;#!|~$+-=.:\\/@w'\"“é"), max_size=40))
def test_whatever_punctuation_comes_together_stays_text(text: str) -> None:
    assert shown(as_block(text)).replace("\u00a0", " ").strip() == expected(text)


def test_what_is_harmless_stays_readable() -> None:
    line = "Set hold_time (in 17.20) to 300 s: R&D said so, it's 4.5 N m - or {x}; done!"
    assert as_block(line) == line


def test_a_very_long_word_takes_no_time() -> None:
    started = time.process_time()
    as_block("x" * 100_000)
    assert time.process_time() - started < 2


def test_a_label_is_one_line() -> None:
    assert as_label(" a\n\n# b\t `c` ") == "a # b \\`c\\`"
