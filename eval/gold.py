"""Questions with checked answers: read from a file, and checked against the documents."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from pathlib import Path
from typing import Any


class QuestionKind(StrEnum):
    """What a question tests; scores are shown by kind."""

    RELEASE_SPECIFIC_DIFFERS = "release_specific_differs"
    SAME_IN_ALL = "same_in_all"
    NO_RELEASE = "no_release"
    FOLLOW_UP = "follow_up"
    TABLE_LOOKUP = "table_lookup"
    COMPARE = "compare"
    UNANSWERABLE = "unanswerable"
    ALIAS = "alias"


class GoldError(ValueError):
    """A file of gold questions cannot be read; the message names file, line and fault."""


@dataclass(frozen=True, slots=True)
class GoldSource:
    """Where the answer stands: a page number in a PDF, an anchor in anything else."""

    release: str
    file: str
    page: int | None = None
    anchor: str | None = None


@dataclass(frozen=True, slots=True)
class GoldQuestion:
    """A question and what a right answer to it says.

    A right answer matches every pattern of `must_include` and none of `must_not_include` (Python
    regular expressions, case-insensitive). `release` is the one meant, None for the latest.
    """

    id: str
    product: str
    question: str
    kind: QuestionKind
    gold_answer: str
    must_include: tuple[str, ...]
    must_not_include: tuple[str, ...] = ()
    sources: tuple[GoldSource, ...] = ()
    release: str | None = None
    release_mention: str | None = None
    history: tuple[tuple[str, str], ...] = ()
    releases: tuple[str, ...] = ()
    absent_in_release: tuple[str, ...] = ()
    release_not_in_corpora: bool = False
    difficulty: str | None = None

    @property
    def answerable(self) -> bool:
        """Whether the documentation of the release meant says it."""
        return self.kind is not QuestionKind.UNANSWERABLE

    @property
    def gold_releases(self) -> tuple[str, ...]:
        """The releases a right answer speaks of: both sides of a comparison, else one."""
        if self.releases:
            return self.releases
        if self.release is not None:
            return (self.release,)
        return tuple(dict.fromkeys(source.release for source in self.sources))

    def asked(self) -> dict[str, Any]:
        """The line of a batch that asks it: what a user types, so never the release meant."""
        return {
            "id": self.id,
            "product": self.product,
            "question": self.question,
            "history": [list(turn) for turn in self.history],
        }

    def accepts(self, answer: str) -> bool:
        """Whether `answer` says what it must and nothing that it must not."""
        return all(matches(pattern, answer) for pattern in self.must_include) and not any(
            matches(pattern, answer) for pattern in self.must_not_include
        )


def matches(pattern: str, text: str) -> bool:
    """Whether `pattern` is found anywhere in `text`, in any case, across line breaks."""
    return re.search(pattern, text, re.IGNORECASE) is not None


def read_gold(path: Path) -> tuple[GoldQuestion, ...]:
    """Read one question a line (JSON Lines, UTF-8); empty lines are skipped.

    Raises GoldError for a line that is no question, for an id that stands twice, and for a file
    without questions.
    """
    questions: dict[str, GoldQuestion] = {}
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if not line.strip():
            continue
        try:
            question = _question(json.loads(line))
            if question.id in questions:
                raise ValueError(f"the id {question.id!r} stands twice")
        except (ValueError, TypeError) as error:
            raise GoldError(f"{path}, line {number}: {error}") from error
        questions[question.id] = question
    if not questions:
        raise GoldError(f"{path}: no questions in this file")
    return tuple(questions.values())


def _question(row: Any) -> GoldQuestion:
    if not isinstance(row, dict):
        raise TypeError("expected a JSON object")
    question = GoldQuestion(
        id=_text(row, "id"),
        product=_text(row, "product"),
        question=_text(row, "question"),
        kind=QuestionKind(_text(row, "kind")),
        gold_answer=_text(row, "gold_answer"),
        must_include=_patterns(row, "must_include"),
        must_not_include=_patterns(row, "must_not_include"),
        sources=tuple(_source(source) for source in _list(row, "sources")),
        release=_optional_text(row, "release"),
        release_mention=_optional_text(row, "release_mention"),
        history=tuple(_turn(turn) for turn in _list(row, "history")),
        releases=_texts(row, "releases"),
        absent_in_release=_patterns(row, "absent_in_release"),
        release_not_in_corpora=row.get("release_not_in_corpora") is True,
        difficulty=_optional_text(row, "difficulty"),
    )
    if not question.must_include:
        raise ValueError("must_include is empty, so any answer would be right")
    if question.answerable and not question.gold_releases:
        raise ValueError("neither release nor sources say which release the answer is from")
    if question.kind is QuestionKind.COMPARE and len(question.releases) < 2:
        raise ValueError("a comparison needs two releases in 'releases'")
    return question


def _text(row: Mapping[str, Any], field: str) -> str:
    value = row.get(field)
    if not isinstance(value, str) or not value.strip():
        raise ValueError(f"{field!r} must be a text, got {value!r}")
    return value


def _optional_text(row: Mapping[str, Any], field: str) -> str | None:
    return None if row.get(field) is None else _text(row, field)


def _list(row: Mapping[str, Any], field: str) -> Sequence[Any]:
    value = row.get(field, [])
    if not isinstance(value, list):
        raise TypeError(f"{field!r} must be a list, got {value!r}")
    return value


def _texts(row: Mapping[str, Any], field: str) -> tuple[str, ...]:
    values = _list(row, field)
    if not all(isinstance(value, str) for value in values):
        raise TypeError(f"{field!r} must be a list of texts, got {values!r}")
    return tuple(values)


def _patterns(row: Mapping[str, Any], field: str) -> tuple[str, ...]:
    for pattern in _texts(row, field):
        try:
            re.compile(pattern)
        except re.error as error:
            raise ValueError(f"{field!r}: {pattern!r} is no regular expression: {error}") from error
    return _texts(row, field)


def _source(row: Any) -> GoldSource:
    if not isinstance(row, dict):
        raise TypeError(f"a source must be an object, got {row!r}")
    page = row.get("page")
    if page is not None and (not isinstance(page, int) or page < 1):
        raise ValueError(f"'page' counts from 1, got {page!r}")
    anchor = _optional_text(row, "anchor")
    if page is None and anchor is None:
        raise ValueError(f"a source needs a page or an anchor: {row!r}")
    return GoldSource(_text(row, "release"), _text(row, "file"), page, anchor)


def _turn(row: Any) -> tuple[str, str]:
    match row:
        case [str(user), str(assistant)]:
            return user, assistant
    raise ValueError(f"a turn of 'history' is [user, assistant], got {row!r}")


def check_sources(questions: Iterable[GoldQuestion], docs_dir: Path) -> list[str]:
    """Check questions against the documents under `docs_dir`/PRODUCT/RELEASE; return the faults.

    The files are read plainly here, without the loaders that the questions are to test. A right
    question accepts its own gold answer; its sources say every `must_include`, not only in
    sentences that `must_not_include` forbids; what is `absent_in_release` stands nowhere in that
    release and somewhere in another one of the product.
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
        others = [other for other in sorted(product.iterdir()) if other.name != release]
        if not any(matches(pattern, _release_text(other)) for other in others if other.is_dir()):
            yield f"{pattern!r} stands in no release of {question.product}"


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
    return _section_text(path, source.anchor or "")


@cache
def _release_text(release: Path) -> str:
    texts = [_html_text(path) for path in sorted(release.rglob("*.html"))]
    texts += ["\n".join(_pdf_pages(path)) for path in sorted(release.rglob("*.pdf"))]
    return "\n".join(texts)


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
    return _squeeze(" ".join(str(part.text_content()) for part in parts))


def _html(path: Path) -> Any:
    from lxml import html

    return html.parse(str(path), html.HTMLParser(encoding="utf-8")).getroot()


def _squeeze(text: str) -> str:
    return re.sub(r"\s+", " ", text).strip()
