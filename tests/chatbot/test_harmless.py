import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from chatbot.text.markdown import marks
from chatbot.text.sanitizer import as_code, as_document_words, as_words, harmless

EVIDENCE = """The manual is at https://docs.example/a.html and at www.docs.example/b.
Use create_engine("sqlite:///foo.db") and callbacks[0](event), or List<int> with <name>.
Set it to >= 3.7; mail help@docs.example. The first is args[1] of X_<A>__<B>."""

PIECES = [
    *"[]()!<>/`*#|-12ab\n \\",
    *("**", "img ", "src=", "script", "<img src=x>", "<b>", "<!--", "-->", "&lt;", "&#104;"),
    *("https://evil.example/?q=a", "//evil.example", "www.evil.example", "a@evil.example"),
    *("javascript:alert(1)", "data:text/html,x", "[x](", "![x](", "](", "]: ", "[x]: "),
    *("> ", "**18.00**", "【1†x】", "［2］", "\u200b", "\u202e"),
    *("https://docs.example/a.html", "callbacks[0](event)", "args[1]", "<name>"),
]
MODEL = st.lists(st.sampled_from(PIECES), max_size=14).map("".join)

MARKDOWN = MarkdownIt("commonmark", {"html": True})


def dangers(text: str) -> list[str]:
    """What a renderer of Markdown that lets everything through would make of a text."""
    found = []
    for token in MARKDOWN.parse(text):
        for inner in [token, *(token.children or [])]:
            if inner.type in ("link_open", "image", "html_inline", "html_block"):
                found.append(inner.attrGet("href") or inner.attrGet("src") or inner.content)
    return [danger for danger in found if danger not in EVIDENCE]


@given(MODEL)
@example("**>**")
@example("//evil.example<name>")
@example("x@evil.example<name>")
def test_nothing_can_be_loaded_or_followed(text: str) -> None:
    made = harmless(text, evidence=EVIDENCE)
    assert dangers(made) == []
    assert "evil.example" not in made
    assert "javascript:" not in made
    assert not re.search("[\u200b\u202e]", made)
    assert not re.search(r"^\s*>", made, re.M)


@pytest.mark.parametrize(
    ("written", "made"),
    [
        ("see [the page](https://evil.example/?q=x).", "see the page."),
        ("![pixel](https://evil.example/p.png?q=x)", "pixel"),
        ("[a[b](c)](//evil.example/x)", "[ab] ((address left out))"),
        ("[a [b] c](//evil.example)", "[a [b] c] ((address left out))"),
        ("[a [b] c](/secret)", "[a [b] c] (/secret)"),
        ("<<b>img src=//evil.example>x", "< img src=(address left out)>x"),
        ("<img src=/x", "‹img src=/x"),
        ("[see][1]\n\n[1]: https://evil.example/x 'y'", "[see][1]"),
        ("![pixel][1]", "[pixel][1]"),
        ("go to https://evil.example/?q=how+long.", "go to (address left out)."),
        ("go to HTTPS://EVIL.EXAMPLE", "go to (address left out)"),
        ("mail how-long@evil.example now", "mail (address left out) now"),
        ("javascript:alert data:text/html,x", "(address left out) (address left out)"),
        ("`https://evil.example/?q=x`", "`(address left out)`"),
        ("ht\u200btps://evil.example", "(address left out)"),
        ("> It is kept for ever. [1]", "It is kept for ever. [1]"),
        ("**18.00** It is", "18.00 It is"),
        ("- **18.00**: It is", "- 18.00: It is"),
        ("kept 【1†source】 ［2］ [ 3 ] [chunk 4] [^5]", "kept [1] [2] [3] [4] [5]"),
    ],
)
def test_what_a_model_makes_up_loses_its_effect(written: str, made: str) -> None:
    assert harmless(written, evidence=EVIDENCE) == made


@pytest.mark.parametrize(
    ("written", "made"),
    [
        ("see https://docs.example/a.html.", "see `https://docs.example/a.html`."),
        ("`https://docs.example/a.html`", "`https://docs.example/a.html`"),
        ('create_engine("sqlite:///foo.db")', 'create_engine("sqlite:///foo.db")'),
        ("callbacks[0](event)", "`callbacks[0](event)`"),
        ("args[1] is it [1]", "`args[1]` is it [1]"),
        ("List<int> and <name>", "`List<int>` and `<name>`"),
        ("X_<A>__<B>", "`X_<A>__<B>`"),
        (">= 3.7", "`>= 3.7`"),
        ("help@docs.example", "`help@docs.example`"),
        ("a < b and x->y", "a < b and x->y"),
        ("metadata: 5, time 10:30:45", "metadata: 5, time 10:30:45"),
        ("def f(**kwargs) -> None", "def f(**kwargs) -> None"),
    ],
)
def test_what_the_evidence_has_stays(written: str, made: str) -> None:
    assert harmless(written, evidence=EVIDENCE) == made


@pytest.mark.parametrize(
    "words",
    [
        "A Map<String, List<Lease>> is kept",
        "The <name> element & its </name>",
        "std::vector<int> and Box<dyn Fn(u8)>",
        "a <- b, x < y and y > z",
    ],
)
def test_the_letters_of_a_document_are_kept(words: str) -> None:
    for made in (as_document_words(words), as_words(words)):
        assert made.replace("`", "") == words
        assert dangers(made) == []


@pytest.mark.parametrize("words", ["`[<img src=x>", "\\<img src=x>", "x\\<img src=x>"])
def test_no_sign_before_a_tag_sets_it_free(words: str) -> None:
    assert dangers(as_words(words)) == dangers(as_document_words(words)) == []


def test_names_titles_and_topics_stand_in_our_sentences() -> None:
    assert as_code("a/b` ![x](y)\n`.html") == "`a/b' ![x](y) '.html`"
    assert as_words("Ports [3]\n> ![x](https://evil.example/x)") == ("Ports `[3]` x")


@given(MODEL)
def test_words_in_our_sentences_are_on_one_line_and_cite_nothing(text: str) -> None:
    for made in (as_code(text), as_words(text)):
        assert marks(made) == []
        assert "\n" not in made
