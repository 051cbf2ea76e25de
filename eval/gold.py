"""Questions with checked answers, as they stand in a file."""

import json
import re
from collections.abc import Hashable, Iterable, Iterator
from enum import StrEnum
from math import prod
from pathlib import Path
from typing import Annotated, Any, Self, TypeVar

import regex
from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    StringConstraints,
    ValidationError,
    model_validator,
)

from ingestion.errors import StrataError
from ingestion.objections import first_objection


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


class GoldError(StrataError, ValueError):
    """A file of the evaluation cannot be used; the message names file, line and fault."""


_SECONDS = 1
"""In which a pattern has to be found: some take hours to see that they are not there."""
_COUNT = re.compile(r"(?<!\\)(?:\\\\)*\{\s*(\d{1,9})")
"""The count of a repeat; a brace behind a backslash begins none."""
_MOST_REPEATS = 10_000
"""Counted repeats of a pattern, multiplied: compiled, each has its own place in memory."""


def _compiles(pattern: str) -> str:
    repeats = prod(max(1, int(count)) for count in _COUNT.findall(pattern))
    if repeats > _MOST_REPEATS:
        raise ValueError(f"{pattern!r:.80} repeats too much")
    try:
        regex.compile(pattern, regex.IGNORECASE)
    except (regex.error, OverflowError, RecursionError) as error:
        raise ValueError(f"{pattern!r:.80} is no regular expression: {error}") from error
    return pattern


Text = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)]
Pattern = Annotated[str, AfterValidator(_compiles)]


class Line(BaseModel):
    """A line of a file of the evaluation."""

    model_config = ConfigDict(extra="ignore", frozen=True)


class GoldSource(Line):
    """Where the answer stands: a page of a PDF, an anchor in anything else, or the file alone."""

    release: Text
    file: Text
    page: int | None = Field(None, ge=1)
    anchor: Text | None = None

    def is_in(self, file: str) -> bool:
        """Whether a file of the corpus is the one of this source."""
        return f"/{file}".endswith(f"/{self.file}")


class Fact(Line):
    """One thing that a complete answer states, and the pattern that finds it there."""

    says: Text
    pattern: Pattern


class GoldQuestion(Line):
    """A question and what a right answer to it says.

    A right answer matches every pattern of `must_include` and none of `must_not_include`; a
    complete one states the `facts` and, where it tells how, has the `steps` in order. All patterns
    are Python regular expressions, case-insensitive, and are given one second each. `release` is
    the one meant, None for the latest. Without `must_include` no rule can tell whether an answer
    is right: that is left to a judge.
    """

    id: Text
    product: Text
    question: Text
    kind: QuestionKind
    gold_answer: Text
    must_include: tuple[Pattern, ...] = ()
    must_not_include: tuple[Pattern, ...] = ()
    sources: tuple[GoldSource, ...] = ()
    release: Text | None = None
    history: tuple[tuple[str, str], ...] = ()
    releases: tuple[str, ...] = ()
    release_not_in_corpora: bool = False
    asks: Asks | None = None
    facts: tuple[Fact, ...] = ()
    steps: tuple[Pattern, ...] = ()

    @model_validator(mode="after")
    def _has_releases(self) -> Self:
        if self.answerable and not self.gold_releases:
            raise ValueError("neither release nor sources say which release the answer is from")
        if self.kind is QuestionKind.COMPARE and len(self.releases) < 2:
            raise ValueError("a comparison needs two releases in 'releases'")
        return self

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

    @property
    def in_conversation(self) -> str:
        """The question below the turns before it, as a reader needs it to judge an answer."""
        turns = (f"user: {user}\nassistant: {reply}\n" for user, reply in self.history)
        return "".join(turns) + self.question

    def asked(self) -> dict[str, Any]:
        """The line of a batch that asks it: what a user types, so never the release meant."""
        return self.model_dump(mode="json", include={"id", "product", "question", "history"})

    def accepts(self, answer: str) -> bool | None:
        """Whether `answer` says what it must and nothing that it must not.

        None if no rule can tell: without rules, or where it takes too long to see that something
        is not said. What it must say and is not found in time, is not said.
        """
        if not self.must_include:
            return None
        if not all(matches(pattern, answer) for pattern in self.must_include):
            return False
        try:
            return not any(_found(pattern, answer) for pattern in self.must_not_include)
        except TimeoutError:
            return None

    def facts_in(self, answer: str) -> int:
        """How many of the facts `answer` states."""
        return sum(matches(fact.pattern, answer) for fact in self.facts)

    def has_steps(self, answer: str) -> bool:
        """Whether `answer` has every step, each behind the one before, and found in time."""
        end = 0
        try:
            for step in self.steps:
                found = _found(step, answer, end)
                if found is None:
                    return False
                end = found.end()
        except TimeoutError:
            return False
        return True


def matches(pattern: str, text: str) -> bool:
    """Whether `pattern` is found anywhere in `text`, in any case, across line breaks.

    What is not found within a second does not count as found.
    """
    try:
        return _found(pattern, text) is not None
    except TimeoutError:
        return False


def _found(pattern: str, text: str, start: int = 0) -> "regex.Match[str] | None":
    """Where the pattern is found; raises TimeoutError."""
    return regex.compile(pattern, regex.IGNORECASE).search(text, start, timeout=_SECONDS)


Model = TypeVar("Model", bound=BaseModel)


def read_lines(path: Path, model: type[Model], *, unique: str = "") -> tuple[Model, ...]:
    """Read one object a line (JSON Lines, UTF-8); empty lines are skipped.

    Raises GoldError for a file that cannot be read or has no line, a line that is no such object,
    and a value of the field `unique` that stands twice.
    """
    try:
        # Other ends of lines than this may stand within a JSON string.
        lines = path.read_text(encoding="utf-8").split("\n")
    except OSError as error:
        raise GoldError(f"cannot read {path}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise GoldError(f"cannot read {path}: it is no text in UTF-8") from error
    read: list[Model] = []
    seen: set[Hashable] = set()
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        where = f"{path}, line {number}"
        try:
            row = model.model_validate_json(line)
        except ValidationError as error:
            raise GoldError(f"{where}: {first_objection(error)}") from error
        if unique:
            if (value := getattr(row, unique)) in seen:
                raise GoldError(f"{where}: the {unique} {value!r} stands twice")
            seen.add(value)
        read.append(row)
    if not read:
        raise GoldError(f"{path}: there is nothing in this file")
    return tuple(read)


def read_gold(path: Path) -> tuple[GoldQuestion, ...]:
    """Read questions with checked answers; raises GoldError as `read_lines` does."""
    return read_lines(path, GoldQuestion, unique="id")


def gold_lines(questions: Iterable[GoldQuestion]) -> Iterator[str]:
    """The lines of a file that `read_gold` reads."""
    for question in questions:
        # Only ASCII: some characters of other scripts would be read as the end of a line.
        yield f"{json.dumps(question.model_dump(mode='json'))}\n"
