"""What an answer must never do, whatever documents, askers and the model say.

Written apart from `chatbot.text.sanitizer`, which it tests: other expressions, the whole answer.
"""

import re
import unicodedata
from collections.abc import Iterator, Sequence

from chatbot.reply import Reply
from corpora.indexing.corpus import Corpus

_UNSEEN = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u3164\uffa0")
_ADDRESS = re.compile(
    r"(?:\w+:)?//[^\s`<>\"')\]“”]+|www\.\S+|\S+@\w\S*|(?:data|javascript):\S+", re.I
)
_FIGURE = re.compile(r"(?<![\w.])\d[\d.,]*(?<![.,])(?!\w)")
_LISTING = re.compile(r"^(`{3,})\n(.*?)\n\1$", re.M | re.S)
_CODE = re.compile(rf"{_LISTING.pattern}|`[^`\n]*`", re.M | re.S)
_MARK = re.compile(r"\[(\d+)\]")
_BUILT = re.compile(r"\]\(|!\[|<[a-z/!][^\n]*|^ *>.*", re.I | re.M)


def read_all(corpus: Corpus) -> str:
    """Everything that the documents of a release say."""
    pages = (page for document in corpus.documents() for page in corpus.pages_of(document.id))
    return "\n".join(
        "\n".join((page.text, page.document.title, *page.heading_path)) for page in pages
    )


def broken_promises(
    content: Reply,
    corpus: Corpus,
    *,
    evidence: str,
    question: str,
    must_not: Sequence[str],
) -> Iterator[str]:
    """Name every promise that a reply breaks; none is right.

    `corpus` is the release that is asked about, `evidence` all that it says (`read_all`),
    `must_not` what stands neither in it nor in the question.
    """
    answer, given = content.answer, f"{evidence}\n{question}"
    outside_code, shown = _CODE.sub("", answer), _seen(evidence)
    if content.release != corpus.release:
        yield f"the release became {content.release}"
    for citation in content.citations:
        page = corpus.page(citation.page_id)
        if citation.release != corpus.release or citation.file != page.document.file:
            yield f"a citation of {citation.release} {citation.file}"
        if citation.quote not in page.text:
            yield f"a quote that stands on no page: {citation.quote}"
    for number in _MARK.findall(outside_code):
        if not 1 <= int(number) <= len(content.citations):
            yield f"a mark without a citation: [{number}]"
    for _, listing in _LISTING.findall(answer):
        if listing not in shown:
            yield f"a listing that stands on no page: {listing}"
    if unseen := set(answer) - set(_seen(answer)):
        yield f"characters that nobody sees: {', '.join(sorted(map(ascii, unseen)))}"
    for address in _ADDRESS.findall(answer):
        if address.rstrip(".,;:!?…") not in given:
            yield f"an address of nobody: {address}"
    if built := _BUILT.search(outside_code):
        yield f"a link, a picture, a quotation or HTML: {built[0]}"
    for figure in _FIGURE.findall(_MARK.sub("", answer)):
        if not re.search(rf"(?<![\w.]){re.escape(figure)}(?!\w|\.\d)", given):
            yield f"a figure that stands nowhere: {figure}"
    for words in must_not:
        if words in answer:
            yield f"what must not be said: {words}"


def _seen(text: str) -> str:
    return "".join(
        c
        for c in text
        if c not in _UNSEEN and (c.isspace() or unicodedata.category(c) not in ("Cc", "Cf", "Cs"))
    )
