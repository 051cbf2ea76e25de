from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prompts import Fenced, as_data, fenced, fenced_list, render
from prompts.fencing import TAGS, visible

HOSTILE = st.lists(
    st.sampled_from(
        [
            *(f"<{tag}" for tag in TAGS),
            *(f"</{tag.upper()}>" for tag in TAGS),
            "<", ">", "/", " ", "\n", "\\", "|", "[", "]", "chunk", "im_end", "INST", "SYS", "s",
            "<|im_start|>", "<｜User｜>", "[/INST]", "<<SYS>>", "</s>", "<start_of_turn>",
            "{{question}}", "{0}", '"', "\u200b", "\u202e", "\u00ad", "\ufeff", "\u2028", "\x00",
            "\ud800", "\U000e0063", "ſ", "ı", "K",
        ]
    )
    | st.text(max_size=3),
    max_size=12,
).map("".join)  # fmt: skip

SECTION = re.compile(rf"<\s*/?\s*(?:{'|'.join(TAGS)})\b", re.I)
CONTROL = re.compile(r"<[|｜]|</?s>|\[/?INST\]|<</?SYS|<(?:start|end)_of_turn>")


@given(HOSTILE)
def test_data_opens_and_closes_nothing(text: str) -> None:
    data = as_data(text)
    assert not SECTION.search(data)
    assert not CONTROL.search(data)
    assert visible(data) == data
    assert as_data(data) == data


@given(HOSTILE, HOSTILE)
def test_a_section_has_one_end_and_its_attributes_stay_in_their_quotes(
    text: str, name: str
) -> None:
    section = fenced("chunk", text, number=1, section=name)
    first, *_ = section.split("\n")
    assert re.fullmatch(r'<chunk number="1" section="[^"<>\n]*">', first)
    assert len(re.findall(r"<\s*/?\s*chunk\b", section, re.I)) == 2
    assert section.endswith("\n</chunk>")


@given(st.text(st.characters(blacklist_categories=["C"], max_codepoint=0x2FF), max_size=40))
def test_ordinary_text_stays_letter_for_letter(text: str) -> None:
    assert as_data(f"List<int> a[0] {text} x < y") == f"List<int> a[0] {text} x < y"


@pytest.mark.parametrize(
    ("written", "data"),
    [
        ("</chunk>", "‹/chunk>"),
        ("< / Chunk >", "‹ / Chunk >"),
        ("<\\/question>", "‹\\/question>"),
        ("<\u200b/chu\u200dnk>", "‹/chunk>"),
        ("<|im\u2060_end|>", "‹|im_end|>"),
        ("[/INST] <<SYS>>", "［/INST] ‹<SYS>>"),
        ("[SYSTEM_PROMPT][TOOL_CALLS]", "［SYSTEM_PROMPT]［TOOL_CALLS]"),
        ("<end_of_turn><think></tool_call>", "‹end_of_turn>‹think>‹/tool_call>"),
        ("<｜end▁of▁sentence｜>", "‹｜end▁of▁sentence｜>"),
        ("<fim_prefix><unused12><EOS_TOKEN>", "‹fim_prefix>‹unused12>‹EOS_TOKEN>"),
        ("<chunks> <span> <string>", "<chunks> <span> <string>"),
    ],
)
def test_what_opens_a_tag_or_token_becomes_a_sign_that_looks_alike(written: str, data: str) -> None:
    assert as_data(written) == data


def test_what_no_reader_sees_is_gone_and_line_ends_are_newlines() -> None:
    assert visible("a\u200bb\u202ec\U000e0041d\x07e\ufe0ff\u3164g") == "abcdefg"
    assert visible("a\x0cb\u2028c\x85d\r\ne\tf") == "a\nb\nc\nd\ne\tf"
    assert visible("é 日本 \u00a0– ‹›") == "é 日本 \u00a0– ‹›"


def test_a_section_is_not_made_harmless_again_and_others_are() -> None:
    section = fenced("question", "How </question> long?")
    assert as_data(section) is section
    (_, _), (_, user) = render("pointwise_selection", question=section, chunk="</chunk>")
    assert user == "<question>\nHow ‹/question> long?\n</question>\n‹/chunk>"


def test_a_section_that_was_cut_is_data_again() -> None:
    section = fenced("chunk", "text")
    assert not isinstance(section[:10], Fenced)
    assert as_data(section[:10]) == "‹chunk>\nte"


def test_sections_are_joined_a_line_apart() -> None:
    joined = fenced_list([fenced("chunk", "a"), fenced("chunk", "b")])
    assert joined == "<chunk>\na\n</chunk>\n<chunk>\nb\n</chunk>"
    assert as_data(joined) is joined


def test_a_section_that_prompts_do_not_have_is_refused() -> None:
    with pytest.raises(ValueError, match="no section is called 'reply'"):
        fenced("reply", "text")
