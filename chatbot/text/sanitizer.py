"""What a model wrote as text that can do nothing: no picture, no link, no invisible character."""

import re
from collections.abc import Callable
from functools import partial

from chatbot.text.citation_markers import CODE, with_marks_as_code
from prompts.fencing import visible

# Marks of citations as models write them: [1], [1, 2], 【1†source】, ［1］, [^1], [chunk 1].
_LIKE_A_MARK = re.compile(
    r"[\[［【〔⟦][\s^#]*(?:(?:chunk|source|doc(?:ument)?|ref|excerpt)\s*[:#]?\s*)?"
    r"(\d{1,3}(?:\s*[,;]\s*\d{1,3})*)(?:†[^\]］】〕⟧\n]*)?\s*[\]］】〕⟧]",
    re.I,
)
_INDEX = re.compile(r"(?<![^\s`\[])[^\s`\[]*[\w)\]]\[\d+\](?:[\w.()\[\]]*[\w)\]])?")

_LINK = re.compile(r"!?\[([^\[\]]*)\]\([^()\n]*(?:\([^()\n]*\)[^()\n]*)*\)")
_PICTURE = re.compile(r"(?<!\w)!(?=\[)")
_JOINT = re.compile(r"(?<!\S)\S*\]\(\S*")
_DEFINITION = re.compile(
    r"^[ \t>*+-]*\[[^\]\n]+\]:\s*(?:<|[/#?.]|[\w+.-]+:|www\.)\S*(?:[ \t]+[\"'(].*)?$", re.M
)
_TAG = re.compile(r"</?[a-z][^<>]*>|<!--.*?-->|<[!?][^<>]*>", re.I | re.S)
_OPENED = re.compile(r"<(?=[a-z/!?])[^<>\n]*>?", re.I)
_ADDRESS = re.compile(
    r"(?:(?<![\w+.-])[\w+.-]*://|//(?=[\w-]+[./]\w)|(?:java|vb)script:|(?<![\w.])(?:data|mailto|tel):"
    r"|www\.|(?<![\w+.-])[\w+.-]+@(?=[\w-]+\.\w))[^\s<>)\]\"'`]+",
    re.I,
)
_QUOTED = re.compile(r"^[ \t]*((?:>[ \t]*)+(.*))$", re.M)
_BOLD = re.compile(r"^([ \t]*(?:[-*+] +)?)\*\*([^*\n]+)\*\*", re.M)


_FENCED = re.compile(r"^([ \t]*)(```[\w+-]*)[ \t]*\n(.*?)(?:\n[ \t]*```[ \t]*$|\Z)", re.M | re.S)


def harmless(text: str, *, evidence: str) -> str:
    """Take out of a model's words whatever could load, link, hide, or pass for the program's own.

    An address stays, as code, only where it stands in the `evidence`: any other could carry the
    conversation away. Tags go unless they are quoted. What looks like the mark of a citation
    becomes one (`chatbot.text.citation_markers`), so that it is checked.
    """
    text = visible(text)
    while (freed := _without_links(text, evidence)) != text:
        text = freed
    text = _replace(_OPENED, _PICTURE.sub("", text), partial(_tag, evidence))
    text = _replace(_ADDRESS, text, partial(_address, evidence))
    text = _JOINT.sub(
        lambda m: m[0] if _is_quoted(m[0], evidence) else m[0].replace("](", "] ("), text
    )
    # An index, as in `args[1]`, is no mark of a citation where the evidence has it.
    text = _replace(
        _INDEX, text, lambda m, in_code: f"`{m[0]}`" if m[0] in evidence and not in_code else m[0]
    )
    text = _replace(_LIKE_A_MARK, text, lambda m, in_code: m[0] if in_code else f"[{m[1]}]")
    # First what is bold: without its asterisks it may begin a line.
    return _QUOTED.sub(_unquoted, _BOLD.sub(r"\1\2", text)).strip()


def harmless_answer(text: str, *, evidence: str) -> str:
    """The same for a whole answer: its listings stay letter for letter, but for addresses."""
    shown: list[str] = []
    at = 0
    for listing in _FENCED.finditer(text):
        shown += [_harmless_lines(text[at : listing.start()], evidence), ""]
        indent, opened, code = listing.groups()
        known = _known_addresses(visible(code), evidence)
        shown += [f"{indent}{opened}", known, f"{indent}```", ""]
        at = listing.end()
    shown.append(_harmless_lines(text[at:], evidence))
    return "\n".join(shown).strip()


def _harmless_lines(text: str, evidence: str) -> str:
    """What `harmless` leaves of some lines, the first of which stays as far in as it is."""
    lines = text.lstrip("\n")
    return lines[: len(lines) - len(lines.lstrip(" "))] + harmless(lines, evidence=evidence)


def _known_addresses(code: str, evidence: str) -> str:
    def known(match: re.Match[str]) -> str:
        found = match[0].rstrip(".,;:!?")
        return match[0] if found in evidence else "(address left out)"

    return _ADDRESS.sub(known, code)


def as_code(text: str) -> str:
    """A name, a path or an asker's word in a code span, which it cannot end."""
    name = " ".join(visible(text).replace("`", "'").split())
    return f"`{name}`"


def as_words(text: str) -> str:
    """A title or a topic in a sentence of ours: it loads, links and cites nothing."""
    return with_marks_as_code(" ".join(harmless(text, evidence="").split()))


def as_document_words(text: str) -> str:
    """A document's words in an answer: what looks like a mark, a link or a tag can only be read."""
    indent = text[: len(text) - len(text.lstrip(" "))]
    words = _replace(
        _OPENED,
        harmless(text, evidence=text),
        lambda m, in_code: m[0] if in_code else f"‹{m[0][1:]}",
    )
    return indent + with_marks_as_code(words)


def _without_links(text: str, evidence: str) -> str:
    def words(match: re.Match[str]) -> str:
        if _is_quoted(match[0], evidence):
            return match[0]
        return f"[{match[1]}]" if match[1].isdecimal() else match[1]

    text = _LINK.sub(words, text)
    text = _TAG.sub(lambda m: m[0] if m[0] in evidence else "", text)
    return _DEFINITION.sub("", text)


def _unquoted(line: re.Match[str]) -> str:
    """A line without the sign of a quote, or as code where that belongs to it: ">= 3.7"."""
    return line[2] if line[2][:1].isalpha() else f"`{line[1].replace('`', '')}`"


def _is_quoted(written: str, evidence: str) -> bool:
    """Whether what is built like a link, as `calls[0](x)` is, stands in the evidence as code."""
    return written.rstrip(".,;:!?") in evidence and not _ADDRESS.search(written)


def _replace(
    pattern: re.Pattern[str], text: str, change: Callable[[re.Match[str], bool], str]
) -> str:
    """Replace every match; `change` is told whether it stands in a code span."""
    parts = CODE.split(text)
    return "".join(
        pattern.sub(lambda match, i=i: change(match, i % 2 == 1), part)
        for i, part in enumerate(parts)
    )


def _tag(evidence: str, match: re.Match[str], in_code: bool) -> str:
    if match[0] not in evidence:
        return f"‹{match[0][1:]}"
    within = match.string[: match.start()][-1:].isalnum() or in_code
    return match[0] if within else f"`{match[0]}`"


def _address(evidence: str, match: re.Match[str], in_code: bool) -> str:
    found = match[0].rstrip(".,;:!?")
    rest = match[0][len(found) :]
    if found not in evidence:
        return f"(address left out){rest}"
    before = match.string[: match.start()][-1:]
    alone = not before or before in " \t\n(*_~"
    return f"`{found}`{rest}" if alone and not in_code else match[0]
