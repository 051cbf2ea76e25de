"""Questions with checked answers, as they stand in a file."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

from ingestion.errors import StrataError


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


class Asks(StrEnum):
    """What sort of answer a question wants; scores are shown by it, too."""

    HOW_TO = "how_to"
    WHY = "why"
    DEFINITION = "definition"
    LIST = "list"
    YES_NO = "yes_no"
    VALUE = "value"
    CHANGED = "changed"
    SINCE_WHEN = "since_when"
    INVENTORY = "inventory"
    TABLE = "table"


class Style(StrEnum):
    """How a question is typed."""

    PLAIN = "plain"
    TERSE = "terse"
    MISSPELT = "misspelt"
    WORDY = "wordy"


class GoldError(StrataError, ValueError):
    """A file of the evaluation cannot be used; the message names file, line and fault."""


@dataclass(frozen=True, slots=True)
class GoldSource:
    """Where the answer stands: a page of a PDF, an anchor in anything else, or the file alone."""

    release: str
    file: str
    page: int | None = None
    anchor: str | None = None


@dataclass(frozen=True, slots=True)
class Fact:
    """One thing that a complete answer states, and the pattern that finds it there."""

    says: str
    pattern: str


@dataclass(frozen=True, slots=True)
class GoldQuestion:
    """A question and what a right answer to it says.

    A right answer matches every pattern of `must_include` and none of `must_not_include`; a
    complete one states the `facts` and, where it tells how, has the `steps` in order. All patterns
    are Python regular expressions, case-insensitive. `release` is the one meant, None for the
    latest.
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
    asks: Asks | None = None
    style: Style | None = None
    facts: tuple[Fact, ...] = ()
    steps: tuple[str, ...] = ()

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

    @property
    def spans_releases(self) -> bool:
        """Whether a right answer may rest on more releases than those that are named."""
        across = (Asks.CHANGED, Asks.SINCE_WHEN, Asks.INVENTORY)
        return self.asks in across and self.kind is not QuestionKind.COMPARE

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

    def facts_in(self, answer: str) -> int:
        """How many of the facts `answer` states."""
        return sum(matches(fact.pattern, answer) for fact in self.facts)

    def has_steps(self, answer: str) -> bool:
        """Whether `answer` has every step, each behind the one before."""
        end = 0
        for step in self.steps:
            found = re.compile(step, re.IGNORECASE).search(answer, end)
            if found is None:
                return False
            end = found.end()
        return True


def matches(pattern: str, text: str) -> bool:
    """Whether `pattern` is found anywhere in `text`, in any case, across line breaks."""
    return re.search(pattern, text, re.IGNORECASE) is not None


def read_lines(path: Path) -> Iterator[tuple[str, str]]:
    """Yield every line that is not empty, behind the words that name it in an error.

    Raises GoldError for a file that is missing or no text in UTF-8.
    """
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except OSError as error:
        raise GoldError(f"cannot read {path}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise GoldError(f"cannot read {path}: it is no text in UTF-8") from error
    yield from ((f"{path}, line {n}", line) for n, line in enumerate(lines, 1) if line.strip())


def read_objects(path: Path) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield the object of every line of a JSON Lines file, behind the words that name the line.

    Raises GoldError as `read_lines` does, and for a line that is no object.
    """
    for where, line in read_lines(path):
        try:
            row = json.loads(line)
        except ValueError as error:
            raise GoldError(f"{where}: {error}") from error
        if not isinstance(row, dict):
            raise GoldError(f"{where}: expected a JSON object")
        yield where, row


def read_gold(path: Path) -> tuple[GoldQuestion, ...]:
    """Read one question a line (JSON Lines, UTF-8); empty lines are skipped.

    Raises GoldError for a file that cannot be read, a line that is no question, an id that stands
    twice, and a file without questions.
    """
    questions: dict[str, GoldQuestion] = {}
    for where, row in read_objects(path):
        try:
            question = _question(row)
            if question.id in questions:
                raise ValueError(f"the id {question.id!r} stands twice")
        except (ValueError, TypeError) as error:
            raise GoldError(f"{where}: {error}") from error
        questions[question.id] = question
    if not questions:
        raise GoldError(f"{path}: no questions in this file")
    return tuple(questions.values())


def _question(row: Mapping[str, Any]) -> GoldQuestion:
    asks, style = _optional_text(row, "asks"), _optional_text(row, "style")
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
        asks=Asks(asks) if asks else None,
        style=Style(style) if style else None,
        facts=tuple(_fact(fact) for fact in _list(row, "facts")),
        steps=_patterns(row, "steps"),
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
    return GoldSource(
        _text(row, "release"), _text(row, "file"), page, _optional_text(row, "anchor")
    )


def _fact(row: Any) -> Fact:
    if not isinstance(row, dict):
        raise TypeError(f"a fact must be an object, got {row!r}")
    pattern = _text(row, "pattern")
    _patterns({"pattern": [pattern]}, "pattern")
    return Fact(_text(row, "says"), pattern)


def _turn(row: Any) -> tuple[str, str]:
    match row:
        case [str(user), str(assistant)]:
            return user, assistant
    raise ValueError(f"a turn of 'history' is [user, assistant], got {row!r}")
