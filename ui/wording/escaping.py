"""Text of any origin as Markdown that shows exactly that text (design, law 8).

A message is put into the reader's language first.
"""

import re

from chatbot.text.languages import in_words

_REMOVED = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff]"
)
_LINE_ENDS = re.compile("\r\n|[\r\x85\u2028\u2029]")
_INDENT = re.compile(r"[ \t]+")
_PUNCTUATION = re.compile(r"([!-/:-@\[-`{-~])")

# Streamlit rewrites these in the text that Markdown has yielded, where no escape helps any more:
# it links addresses, draws arrows and inequality signs, icons, emoji and its own logo. In a code
# span it leaves them alone. The colons stay outside, because one pair of them inside a code span
# makes Streamlit look for emoji everywhere, and the brackets, because one of them would end the
# directive (a badge, a mark) that the code span stands in.
_REWRITTEN = re.compile(
    r"""
      (?P<address> (?<![^\s`|[\]]) [^\s`|[\]]* (?: https?:// | www\. | @ ) [^\s`|[\]]* )
    | (?<!\S) (?P<sign> <-> | <- | -> | -- | >= | <= | ~= ) (?!\S)
    | (?<=:) (?P<icon> (?=[\w+-]*[A-Za-z+-]) [\w+-]+ | 100 | 1234 ) (?=:)
    """,
    re.VERBOSE | re.IGNORECASE,
)
_EMOJI = re.compile(r":[\w+-]+:")


def as_text(text: str) -> str:
    """Markdown that shows a text letter for letter, with its line breaks and indentation.

    Nothing in the text is a link, an image, HTML, a formula or one of Streamlit's directives. A
    blank line becomes a line break, so that the result stays one paragraph wherever it is put.
    """
    lines = [line for line in visible(in_words(text)).split("\n") if line.strip()]
    return "\\\n".join(indentation(line) + inline(line.strip()) for line in lines)


def as_label(text: str, longest: int = 80) -> str:
    """The same on one line, cut at `longest` characters: for buttons, badges and headings."""
    text = " ".join(visible(in_words(text)).split())
    return inline(text if len(text) <= longest else text[: longest - 1].rstrip() + "…")


def as_title(text: str) -> str:
    """The same in the title of a link, between double quotes."""
    return _escaped(" ".join(visible(text).split()))


def as_code(text: str) -> str:
    """A code span with one line of text; what cannot stand in one is shown as text."""
    if not text.strip() or "`" in text or "\n" in text or _EMOJI.search(text):
        return inline(text)
    return f"`{text}`"


def visible(text: str) -> str:
    """Drop control characters, those that change the direction of writing, and half surrogates."""
    return _REMOVED.sub("", _LINE_ENDS.sub("\n", text))


def indentation(line: str) -> str:
    """The white space before a line, as spaces that Markdown keeps."""
    lead = _INDENT.match(line)
    return "\u00a0" * len(lead[0].expandtabs(4)) if lead else ""


def inline(text: str) -> str:
    """Escape a run of visible text on one line; it may stand in the middle of that line."""
    parts: list[str] = []
    end = 0
    for match in _REWRITTEN.finditer(text):
        parts += [_escaped(text[end : match.start()]), *_kept_from_streamlit(match[0])]
        end = match.end()
    return "".join([*parts, _escaped(text[end:])])


def _kept_from_streamlit(text: str) -> list[str]:
    return [
        "\\:" if part == ":" else f"`{part}`" for part in re.split(r"(:(?=[\w+-]+:))", text) if part
    ]


def _escaped(text: str) -> str:
    return _PUNCTUATION.sub(r"\\\1", text)
