"""A model's text made harmless: no picture, no link, no invisible character."""

import re
from collections.abc import Callable
from functools import partial
from typing import Any

from chatbot.text.languages import gettext, gettext_noop
from chatbot.text.markdown import CODE, LISTING, with_marks_as_code
from prompts.fencing import visible, without_control_tokens

# Marks of citations as models write them: [1], [1, 2], 【1†source】, ［1］, [^1], [chunk 1].
_LIKE_A_MARK = re.compile(
    r"[\[［【〔⟦][\s^#]*(?:(?:chunk|source|doc(?:ument)?|ref|excerpt)\s*[:#]?\s*)?"
    r"(\d{1,3}(?:\s*[,;]\s*\d{1,3})*)(?:†[^\]］】〕⟧\n]*)?\s*[\]］】〕⟧]",
    re.I,
)
_DEFINITION = re.compile(
    r"^[ \t>*+-]*\[[^\]\n]+\]:\s*(?:<|[/#?.]|[\w+.-]+:|www\.)\S*(?:[ \t]+[\"'(].*)?$", re.M
)
_LINK = re.compile(r"\[([^\[\]\n]+)\]\([^()\n]*\)")
# A tag, or the parameters of a type with the type before them: Map<String, List<Lease>>.
_TAG = re.compile(r"(?P<type>[\w.\\]*)(?P<tag>(?:<(?=[a-z/!?])[^<>\n]*)+>*)", re.I)
# A word with all its tags: X_<A>__<B>.
_TAGGED = re.compile(
    rf"(?<![\w.\\])(?:{_TAG.pattern.replace('?P<type>', '?:').replace('?P<tag>', '?:')})+(?:_\w+)?",
    re.I,
)
_ADDRESS = re.compile(
    r"(?:(?<![\w+.-])[\w+.-]*://|//(?=[\w-]+[./]\w)|(?:java|vb)script:|(?<![\w.])(?:data|mailto|tel):"
    r"|www\.|(?<![\w+.-])[\w+.-]+@(?=[\w-]+\.\w))[^\s<>)\]\"'`]+",
    re.I,
)
_BRACKETED = re.compile(r"(?<!\S)\S*\]\S*")
_QUOTED = re.compile(r"^[ \t]*((?:>[ \t]*)+(.*))$", re.M)
_BOLD = re.compile(r"^([ \t]*(?:[-*+] +)?)\*\*([^*\n]+)\*\*", re.M)


def harmless(text: str, *, evidence: str) -> str:
    """Break in a model's words whatever could load, link, hide, or pass for the program's own.

    An address stays, as code, only where it stands in the `evidence`: any other could carry the
    conversation away. So does a tag. What looks like the mark of a citation becomes one
    (`chatbot.text.markdown`), so that it is checked.
    """
    text = _replace(_TAGGED, visible(text).replace("![", "["), partial(_tagged, evidence))
    text = _replace(_LINK, text, partial(_link, evidence))
    text = _DEFINITION.sub("", _replace(_BRACKETED, text, partial(_bracketed, evidence)))
    text = _replace(_ADDRESS, text, partial(_address, evidence))
    text = _replace(_LIKE_A_MARK, text, lambda m, in_code: m[0] if in_code else f"[{m[1]}]")
    # First what is bold: without its asterisks it may begin a line.
    return _QUOTED.sub(_unquoted, _BOLD.sub(r"\1\2", text)).strip()


def harmless_answer(text: str, *, evidence: str) -> str:
    """The same for a whole answer: its listings stay letter for letter, but for addresses."""
    text = visible(text) + "\n```" * (text.count("```") % 2)
    shown: list[str] = []
    at = 0
    for listing in LISTING.finditer(text):
        known = _ADDRESS.sub(lambda m: _address(evidence, m, in_code=True), listing[0])
        shown += [_harmless_lines(text[at : listing.start()], evidence), "", known, ""]
        at = listing.end()
    return "\n".join([*shown, _harmless_lines(text[at:], evidence)]).strip()


def _harmless_lines(text: str, evidence: str) -> str:
    """Some lines made harmless; the first keeps its indentation."""
    lines = text.lstrip("\n")
    return lines[: len(lines) - len(lines.lstrip(" "))] + harmless(lines, evidence=evidence)


def as_code(text: str) -> str:
    """A name, a path or an asker's word in a code span, which it cannot end."""
    name = " ".join(visible(text).replace("`", "'").split())
    return f"`{name}`"


def as_words(text: str) -> str:
    """A title or a topic in a sentence of ours: it loads, links and cites nothing.

    What looks like a tag may be its very subject, "The <name> element", and stays as code.
    """
    tags = "\n".join(tag["tag"] for tag in _TAG.finditer(text))
    return _only_read(" ".join(harmless(text, evidence=tags).split()))


def as_document_words(text: str) -> str:
    """A document's words in an answer: what looks like a mark, a link or a tag can only be read."""
    indent = text[: len(text) - len(text.lstrip(" "))]
    return indent + _only_read(harmless(text, evidence=text))


def _only_read(text: str) -> str:
    """The text without the marks and tags that are outside of code spans after all."""
    bare = _replace(_TAG, text, lambda m, in_code: m[0] if in_code else m[0].replace("<", "‹"))
    return with_marks_as_code(bare)


def _replace(
    pattern: re.Pattern[str], text: str, change: Callable[[re.Match[str], bool], str]
) -> str:
    """Replace every match; `change` gets the match, and whether it stands in a code span."""
    parts = CODE.split(text)
    return "".join(
        pattern.sub(lambda match, i=i: change(match, i % 2 == 1), part)
        for i, part in enumerate(parts)
    )


def _link(evidence: str, match: re.Match[str], in_code: bool) -> str:
    """The words of a link; `calls[0](x)` is code in the evidence."""
    return match[0] if in_code or match[0] in evidence else match[1]


def _bracketed(evidence: str, match: re.Match[str], in_code: bool) -> str:
    """A word without a link or a picture; `args[1]` and `calls[0](x)` are code in the evidence."""
    word = match[0].rstrip(".,;:!?")
    if word not in evidence or _ADDRESS.search(word):
        return match[0].replace("](", "] (")
    indexed = word.partition("[")[0][-1:].isalnum() and not in_code
    return f"`{word}`{match[0][len(word) :]}" if indexed else match[0]


def _unquoted(line: re.Match[str]) -> str:
    """A line without the sign of a quote, or as code where that belongs to it: ">= 3.7"."""
    return line[2] if line[2][:1].isalpha() else f"`{line[1].replace('`', '')}`"


def _tagged(evidence: str, match: re.Match[str], in_code: bool) -> str:
    if match[0] in evidence:
        return match[0] if in_code else f"`{match[0]}`"
    return _TAG.sub(lambda tag: _tag(evidence, tag, in_code), match[0])


def _tag(evidence: str, match: re.Match[str], in_code: bool) -> str:
    if match[0] in evidence:
        return match[0] if in_code else f"`{match[0]}`"
    # Behind a backslash a code span would not begin.
    before, tag = match["type"].rstrip("\\"), match["tag"]
    if tag in evidence:
        return match[0] if in_code else f"{before}`{tag}`"
    return f"{before} " if tag.endswith(">") else f"{before}{tag.replace('<', '‹')}"


def _address(evidence: str, match: re.Match[str], in_code: bool) -> str:
    address = match[0].rstrip(".,;:!?")
    rest = match[0][len(address) :]
    if address not in evidence:
        return f"(address left out){rest}"
    before = match.string[: match.start()][-1:]
    alone = not before or before in " \t\n(*_~"
    return f"`{address}`{rest}" if alone and not in_code else match[0]


def for_other_models(value_in: Any) -> Any:
    """A value that an editor's model may read, without control tokens and invisible characters.

    Looks into dictionaries, lists and tuples.
    """
    match value_in:
        case str():
            return without_control_tokens(visible(value_in))
        case dict():
            return {name: for_other_models(value) for name, value in value_in.items()}
        case list() | tuple():
            return [for_other_models(value) for value in value_in]
    return value_in


_SENTENCE_END = re.compile(r"(?<=[.!?])\s+|\n")
_HANDED_OVER = re.compile(
    # A secret,
    r"(?=.*\b(?:pass(?:word|phrase|code)s?|PIN|credentials?|tokens?"
    r"|(?:one-time|recovery|verification|access|security|log-?in) codes?"
    r"|(?:private|secret|API|access) keys?)\b)"
    # a word for telling it,
    r"(?=.*\b(?:tell|give|send|share|report|forward|text|e-?mail|mail|fax|call|phone|dial|dictate"
    r"|(?:read|spell) (?:out|aloud)|(?:reply|answer) with)\b)"
    # and whose it is, or who gets it: a mail address or a telephone number.
    r".*(?:\byour\b|[\w+-]@[\w-]+\.\w|(?<![\w.])\+?\d(?:[ ()/-]?\d){6,14}(?!\w))",
    re.I,
)

CAUTION = gettext_noop(
    "The document asks for a secret, and nobody has checked that it may: give no password, code or "
    "key to anybody because an answer says so."
)


def cautions(text: str) -> tuple[str, ...]:
    """The warnings on sentences that want a password, code or key disclosed or sent away.

    It knows the usual English words and no others: who writes documents can find other ones.
    """
    return (gettext(CAUTION),) if any(map(_HANDED_OVER.match, _SENTENCE_END.split(text))) else ()
