"""Questions of a file with columns of its own become gold questions, line by line.

A question without patterns of its own gets those of its answer's figures, code and names. Where
the answer has none, no rule can tell whether a reply is right: it is left to a judge.
"""

import json
import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from pydantic import ValidationError

from chatbot.administration.faq_file import SkippedLine
from chatbot.releases.product_names import find_product
from chatbot.retrieval.support import says_unknown
from chatbot.review.regression_set import patterns_of
from corpora.catalog.release import Product, is_among
from eval.gold import GoldError, GoldQuestion, QuestionKind
from eval.sets.columns import PATTERNS, find_columns
from eval.sets.rows import Row, columns_of, plain_cell
from eval.sets.wording import naming, question_id
from ingestion.messages import Told, message
from ingestion.objections import first_objection

_CARRIED = ("history", "releases", "facts", "steps", "sources")
_CARRIED_FLAGS = ("release_not_in_corpora",)
"""What only a line of JSON can say, as a gold file has it."""
_FIRST_NUMBER = re.compile(r"\D{0,12}(\d{1,6})(?!\d)(?:\s*[-–]\s*\d+)?\.?")
"""A page as people write it: "12", "p. 12", "Seite 12", "12-13"."""


_LONGEST = 4_000
"""Characters of a question or an answer."""


class UnusableRow(Told, ValueError):
    """A row cannot be used; the message says why."""


@dataclass(frozen=True)
class ImportedSet:
    """The questions of a file; `left_out` are lines that cannot be used, with the reason.

    `columns` say which column was taken for what, `ignored` are the others. `renamed` questions
    did not name their release, which was put before them, and `unruled` have no pattern.
    """

    name: str
    questions: tuple[GoldQuestion, ...]
    left_out: tuple[SkippedLine, ...]
    columns: Mapping[str, str]
    ignored: tuple[str, ...]
    renamed: int

    @property
    def unruled(self) -> int:
        """How many can only be judged."""
        return sum(q.answerable and not q.must_include for q in self.questions)


@dataclass(frozen=True)
class Defaults:
    """What is meant where a row does not say it; `release` answers questions that name none.

    An `uploaded` file is about that product alone, and no pattern is taken from it.
    """

    product: str = ""
    release: str = ""
    uploaded: bool = False


def import_questions(
    rows: Sequence[Row],
    name: str,
    *,
    columns: Mapping[str, str] | None = None,
    defaults: Defaults = Defaults(),
    products: Sequence[Product] = (),
) -> ImportedSet:
    """Make questions of the rows of a file; raises GoldError where none can be used.

    The releases of those `products` that are named are checked; a row without a release is
    answered from the one of the defaults, else from the newest of its product.
    """
    there = columns_of(rows)
    no_patterns = dict.fromkeys(PATTERNS, "") if defaults.uploaded else {}
    found = find_columns(there, {**(columns or {}), **no_patterns})
    if "file" not in found:
        # A page of no file is no source; the column is told as one that is not used.
        found.pop("page", None)
    carried = [field for field in _CARRIED if field not in no_patterns]
    questions: dict[str, GoldQuestion] = {}
    left_out: list[SkippedLine] = []
    renamed = 0
    for row in rows:
        try:
            question = _question(row, found, carried, defaults, products)
            if question.id in questions:
                raise UnusableRow("the question or its id {id!r} stands twice", id=question.id)
            questions[question.id] = question
            renamed += question.question != _one_line(row.cells[found["question"]])
        except ValidationError as error:
            left_out.append(SkippedLine(row.line, first_objection(error)))
        except UnusableRow as error:
            left_out.append(SkippedLine(row.line, str(error)))
    used = {*found.values(), *carried, *_CARRIED_FLAGS}
    ignored = tuple(column for column in there if column not in used)
    if not questions:
        why = message("no row")
        if left_out:
            first = {"number": left_out[0].line, "reason": left_out[0].reason}
            why = message("line {number}: {reason}", **first)
        raise GoldError("{name}: no line can be used ({why})", name=name, why=why)
    return ImportedSet(name, tuple(questions.values()), tuple(left_out), found, ignored, renamed)


def _question(
    row: Row,
    columns: Mapping[str, str],
    carried: Sequence[str],
    defaults: Defaults,
    products: Sequence[Product],
) -> GoldQuestion:
    if row.fault:
        raise UnusableRow(row.fault)
    said = {role: row.cells.get(column) for role, column in columns.items()}
    text = {role: _one_line(said.get(role)) for role in ("id", "question", "product", "release")}
    answer = str(said.get("gold_answer") or "").strip()
    for role, given in (("question", text["question"]), ("answer", answer)):
        if not given:
            raise UnusableRow("the {role} is empty", role=role)
        if len(given) > _LONGEST:
            raise UnusableRow(
                "the {role} is longer than {longest:,} characters", role=role, longest=_LONGEST
            )
    product = text["product"] or defaults.product
    if not product:
        raise UnusableRow("it names no product, and no other says which (--product)")
    owner = find_product(product, products)
    product = owner.name if owner else product
    if defaults.uploaded and product != defaults.product:
        raise UnusableRow("it is about another product: {product!r}", product=f"{product:.80}")
    lists = {key: _listed(row.cells.get(key)) for key in carried}
    fields: dict[str, Any] = {key: values for key, values in lists.items() if values}
    fields |= {key: True for key in _CARRIED_FLAGS if row.cells.get(key) in (True, "true")}
    named = text["release"]
    release = _known(named or defaults.release, owner)
    unknown = says_unknown(answer)
    by_default = QuestionKind.RELEASE_SPECIFIC_DIFFERS if named else QuestionKind.NO_RELEASE
    kind = said.get("kind") or (QuestionKind.UNANSWERABLE if unknown else by_default)
    stands = release or fields.get("sources") or fields.get("releases")
    if not stands and kind != QuestionKind.UNANSWERABLE:
        raise UnusableRow(
            "it names no release, and nothing else says which one answers it (--release)"
        )
    fields.setdefault("sources", _sources(said, release))
    patterns = _patterns(said.get("must_include"))
    if not patterns and kind != QuestionKind.UNANSWERABLE:
        patterns = patterns_of(answer)
    alone = named and not fields.get("releases") and not fields.get("history")
    question = naming(text["question"], release) if alone else text["question"]
    keeps = named or not fields["sources"]
    return GoldQuestion(
        id=text["id"] or question_id(product, release, question),
        product=product,
        question=question,
        kind=kind,
        asks=said.get("asks") or None,
        gold_answer=answer,
        must_include=tuple(patterns),
        must_not_include=tuple(_patterns(said.get("must_not_include"))),
        release=(release or None) if keeps else None,
        **fields,
    )


def _known(release: str, owner: Product | None) -> str:
    """The name of a release as the catalog has it; the newest one where none is named."""
    if owner is None:
        return release
    if not release:
        return owner.newest.name if owner.newest else ""
    for offered in owner.releases:
        if is_among(release, offered.name, *offered.aliases):
            return offered.name
    there = ", ".join(r.name for r in owner.releases) or "none yet"
    raise UnusableRow(
        "there is no release {release!r} of {owner}; there is: {there}",
        release=f"{release:.80}",
        owner=owner.name,
        there=there,
    )


def _sources(said: Mapping[str, Any], release: str) -> list[dict[str, Any]]:
    file, place = _one_line(said.get("file")), _one_line(said.get("page"))
    if not file:
        return []
    source: dict[str, Any] = {"release": release, "file": file.replace("\\", "/")}
    if number := _FIRST_NUMBER.fullmatch(place):
        source["page"] = int(number[1])
    elif place:
        source["anchor"] = place.removeprefix("#")
    return [source]


def _patterns(cell: Any) -> list[str]:
    """The patterns of a cell, one on each line, or as JSON."""
    lines = _listed(cell)
    if lines is None:
        lines = str(cell or "").splitlines()
    return [str(line).strip() for line in lines if str(line).strip()]


def _listed(cell: Any) -> list[Any] | None:
    """The list that a cell holds, be it as the JSON of our own exports; None if it is none."""
    if isinstance(cell, str) and cell.startswith("["):
        with suppress(ValueError, RecursionError):
            cell = plain_cell(json.loads(cell))
    return cell if isinstance(cell, list) else None


def _one_line(value: Any) -> str:
    return "" if value is None else " ".join(str(value).split())
