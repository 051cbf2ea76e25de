"""Questions checked against the documents that they are about."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

from eval.gold import GoldQuestion, GoldSource, matches

_PLAIN = (".md", ".rst", ".txt")
"""Endings of files that are read as they are."""

_HEADING = re.compile(
    r"^(?:#{1,6} (?P<markdown>.+)|(?P<rest>\S.*)\n(?P<line>[=\-~^\"'`#*+.:])(?P=line){2,}[ \t]*)$",
    re.MULTILINE,
)


def check_sources(questions: Iterable[GoldQuestion], docs_dir: Path) -> list[str]:
    """Check questions against the documents under `docs_dir`/PRODUCT/RELEASE; return the faults.

    The files are read plainly here, without the loaders that the questions are to test: HTML, PDF
    and SVG, and as they are Markdown, reST and text. A right question accepts its own gold answer,
    which states the `facts` and has the `steps`; its sources say every `must_include`, not only in
    sentences that `must_not_include` forbids; what is `absent_in_release` stands nowhere in that
    release.
    """
    return [
        f"{question.id}: {fault}"
        for question in questions
        for fault in _faults(question, docs_dir / question.product)
    ]


def _faults(question: GoldQuestion, product: Path) -> Iterator[str]:
    if question.answerable:
        if not question.accepts(question.gold_answer):
            yield f"does not accept its own gold answer {question.gold_answer!r}"
        for fact in question.facts:
            if not matches(fact.pattern, question.gold_answer):
                yield f"the gold answer does not state {fact.says!r}"
        if not question.has_steps(question.gold_answer):
            yield "the gold answer does not have the steps in order"
        yield from _source_faults(question, product)
        return
    release = question.release
    if question.release_not_in_corpora:
        if release is not None and (product / release).exists():
            yield f"release {release} is there, though it should not be"
        return
    if release is None or not (product / release).is_dir():
        yield f"release {release} is not there"
        return
    if not question.absent_in_release:
        yield "'absent_in_release' is empty, so nothing shows that it cannot be answered"
    for pattern in question.absent_in_release:
        if matches(pattern, _release_text(product / release)):
            yield f"{pattern!r} stands in release {release}"


def _source_faults(question: GoldQuestion, product: Path) -> Iterator[str]:
    if not question.sources:
        yield "has no source"
    texts = []
    for source in question.sources:
        text = _source_text(product / source.release / source.file, source)
        if text is None:
            yield f"the source {source} is not there"
        else:
            texts.append(text)
    evidence = "\n".join(texts)
    for pattern in question.must_include:
        sentences = _sentences_with(pattern, evidence)
        if not sentences:
            yield f"no source says {pattern!r}"
        elif all(any(matches(p, s) for p in question.must_not_include) for s in sentences):
            yield f"every sentence that says {pattern!r} is forbidden by 'must_not_include'"


def _sentences_with(pattern: str, text: str) -> list[str]:
    """Return the sentences of `text` that hold a match of `pattern`, whole."""
    ends = [0, *(end.end() for end in re.finditer(r"[.:;]\s|\n", text)), len(text)]
    return [
        text[
            max(end for end in ends if end <= found.start()) : min(
                e for e in ends if e >= found.end()
            )
        ]
        for found in re.finditer(pattern, text, re.IGNORECASE)
    ]


def _source_text(path: Path, source: GoldSource) -> str | None:
    if not path.is_file():
        return None
    if source.page is not None:
        pages = _pdf_pages(path)
        return pages[source.page - 1] if source.page <= len(pages) else None
    if source.anchor is None:
        return _file_text(path)
    return (_plain_section if path.suffix in _PLAIN else _section_text)(path, source.anchor)


@cache
def _release_text(release: Path) -> str:
    return "\n".join(_file_text(path) for path in sorted(release.rglob("*")) if path.is_file())


@cache
def _file_text(path: Path) -> str:
    if path.suffix in _PLAIN:
        return _squeeze(path.read_text(encoding="utf-8"))
    if path.suffix == ".html":
        return _html_text(path)
    return "\n".join(_pdf_pages(path)) if path.suffix in (".pdf", ".svg") else ""


def _plain_section(path: Path, anchor: str) -> str | None:
    """Return the text under the heading that `anchor` names, up to the next heading."""
    text = path.read_text(encoding="utf-8")
    headings = list(_HEADING.finditer(text))
    for heading, following in zip(headings, [*headings[1:], None], strict=True):
        title = heading["markdown"] or heading["rest"]
        if re.sub(r"\W+", "-", title.lower()).strip("-") == anchor:
            return _squeeze(text[heading.start() : following.start() if following else None])
    return None


@cache
def _pdf_pages(path: Path) -> tuple[str, ...]:
    import pymupdf

    with pymupdf.open(path) as document:  # type: ignore[no-untyped-call]
        return tuple(_squeeze(page.get_text(flags=0)) for page in document)


def _html_text(path: Path) -> str:
    root = _html(path)
    return "" if root is None else _squeeze(str(root.text_content()))


def _section_text(path: Path, anchor: str) -> str | None:
    """Return the text of the section, or of the definition, that `anchor` names."""
    root = _html(path)
    found = [] if root is None else root.xpath("//*[@id=$anchor]", anchor=anchor)
    if not found:
        return None
    element = found[0]
    if element.tag == "dt":
        definition = element.getnext()
        while definition is not None and definition.tag != "dd":
            definition = definition.getnext()
        parts = [element] if definition is None else [element, definition]
    else:
        while element.tag in ("span", "a", "p"):
            element = element.getparent()
        parts = [element]
    if re.fullmatch(r"h[1-6]", str(element.tag)):
        for sibling in element.itersiblings():
            if re.fullmatch(r"h[1-6]", str(sibling.tag)):
                break
            parts.append(sibling)
    return _squeeze(" ".join(str(part.text_content()) for part in parts))


def _html(path: Path) -> Any:
    from lxml import html

    root = html.parse(str(path), html.HTMLParser(encoding="utf-8")).getroot()
    # Without a space the cells of a row would run together into one word.
    for cell in [] if root is None else root.iter("td", "th"):
        cell.tail = f" {cell.tail or ''}"
    return root


def _squeeze(text: str) -> str:
    return re.sub(r"\s+", " ", text).strip()
