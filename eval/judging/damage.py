"""Right answers damaged on purpose, the same each time, to see whether a judge sees it."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from chatbot.retrieval.support import quantities
from eval.gold import GoldQuestion

PADDING = (
    "Thank you for your question, which comes up quite often. {answer} I hope that this helps. "
    "Please ask again if anything about it is unclear, and I will gladly go into more detail."
)
INVENTION = "After 17 days this is reset, and an administrator has to approve it with two keys."

_SCALES = tuple(
    scale.split()
    for scale in (
        *("ns us ms s", "µs ms", "sec min h", "second minute hour day week month year"),
        *("B kB MB GB TB", "KB MB", "KiB MiB GiB", "byte bit", "bit/s kbit/s Mbit/s Gbit/s Tbit/s"),
        *("Hz kHz MHz GHz", "mV V", "mA A", "W kW", "dB dBm", "nm µm mm cm m km", "°C °F", "g kg"),
        *("% ms", "percent milliseconds", "rows lines characters bytes"),
        *("connections threads processes seconds", "retries attempts minutes"),
    )
)
"""Units whose neighbours are taken for each other, and what is counted in such amounts."""
_OPPOSITES = {
    "enabled": "disabled",
    "disabled": "enabled",
    "before": "after",
    "after": "before",
    "minimum": "maximum",
    "maximum": "minimum",
    "higher": "lower",
    "lower": "higher",
    "true": "false",
    "false": "true",
    "always": "never",
    "never": "always",
    "added": "removed",
    "removed": "added",
    "no longer": "still",
    "only": "not only",
    "cannot": "can",
    "can": "cannot",
    "must not": "must",
    "must": "must not",
    "is not": "is",
    "are not": "are",
    "does not": "does",
    "do not": "do",
}
_DENIED = {"is": "is not", "are": "are not"}
_YES_OR_NO = {"Yes": "No", "No": "Yes"}
_ASIDE = re.compile(r"`[^`]*`|\([^()]*\)")
_QUANTITY = re.compile(r"(-?\d[\d.,]*)(\s?)(.+)")
_FIGURE = re.compile(r"(?<![\w.,-])\d+(?:[.,]\d+)*(?![\w-]|[.,]\d)")
_ITEM_NUMBER = re.compile(r"(?:^|[\n.:;])\s*\Z")
_PART_END = re.compile(r"\n+|(?<=[^\d\s][.;])(?<!e\.g\.)(?<!i\.e\.)\s+")
_FIGURE_OF_A_PATTERN = re.compile(r"(?:\\b)?(\d+(?:\\?[.,]\d+)*)(?:\\b)?")

Damaged = Callable[[GoldQuestion, Sequence[GoldQuestion]], str | None]
"""From a question, and all that there are, its gold answer damaged; None where it cannot be."""


@dataclass(frozen=True, slots=True)
class Damage:
    """What is done to an answer, and the metric that has to see it; `lowers`: by a lower score."""

    label: str
    damaged: Damaged
    metric: str = "answer_correctness"
    lowers: bool = True


def wrong_unit(question: GoldQuestion, _: Sequence[GoldQuestion]) -> str | None:
    """The first figure that matters keeps its value and gets another unit."""
    text = question.gold_answer
    for quantity in quantities(text):
        if (parts := _QUANTITY.fullmatch(quantity)) is None:
            continue
        figure, space, unit = parts.groups()
        other = _other_unit(unit)
        if other and not question.accepts(text.replace(quantity, "…")):
            return text.replace(quantity, f"{figure}{space}{other}")
    return None


def _other_unit(unit: str) -> str | None:
    """The next unit of its scale, of the last one that before it; in the same number."""
    for ending, one in (("", unit), ("s", unit.removesuffix("s"))):
        for scale in _SCALES:
            if one in scale:
                place = scale.index(one)
                return (scale[place + 1 : place + 2] or scale[place - 1 : place])[0] + ending
    return None


def wrong_figure(question: GoldQuestion, questions: Sequence[GoldQuestion]) -> str | None:
    """The first figure that matters becomes half as much again."""
    return _first_rejected(question, ((f, _larger(f[0])) for f in _figures(question, questions)))


def other_release(question: GoldQuestion, questions: Sequence[GoldQuestion]) -> str | None:
    """A figure becomes the one that another release has, or the release becomes another one.

    The figures of other releases are those that a right answer must not include.
    """
    others = [
        found[1].replace("\\", "")
        for pattern in question.must_not_include
        if (found := _FIGURE_OF_A_PATTERN.fullmatch(pattern))
    ]
    figures = _figures(question, questions)
    pairs = ((figure, other) for figure in figures for other in others)
    if swapped := _first_rejected(question, pairs):
        return swapped
    named = [release for release in question.gold_releases if release in question.gold_answer]
    known = _releases(question, questions)
    elsewhere = [release for release in known if release not in question.gold_answer]
    if len(named) != 1 or not elsewhere:
        return None
    return question.gold_answer.replace(named[0], elsewhere[-1])


def missing_part(question: GoldQuestion, _: Sequence[GoldQuestion]) -> str | None:
    """A step or a sentence is left out, the last one that the gold question asks for."""
    text = question.gold_answer
    ends = [end.end() for end in _PART_END.finditer(text) if not _is_aside(text, end.start())]
    parts = [text[start:end] for start, end in pairwise((0, *ends, len(text)))]
    facts = question.facts_in(text)
    for left_out in reversed(range(len(parts)) if len(parts) > 1 else ()):
        rest = "".join(parts[:left_out] + parts[left_out + 1 :]).rstrip(" ;\n")
        complete = question.accepts(rest) and question.has_steps(rest)
        if not complete or question.facts_in(rest) < facts:
            return rest
    return None


def reversed_sense(question: GoldQuestion, _: Sequence[GoldQuestion]) -> str | None:
    """Yes becomes no, or a word its opposite; else it is denied. Code and asides stay."""
    text = question.gold_answer
    for begins, other in _YES_OR_NO.items():
        if re.match(rf"{begins}\b", text):
            return other + text[len(begins) :]
    for words in (_OPPOSITES, _DENIED):
        longest_first = "|".join(sorted(words, key=len, reverse=True))
        for word in re.finditer(rf"(?<![\w.-])(?:{longest_first})(?![\w=-])", text):
            if not _is_aside(text, word.start()):
                return text[: word.start()] + words[word[0]] + text[word.end() :]
    return None


def padded(question: GoldQuestion, _: Sequence[GoldQuestion]) -> str | None:
    """The answer between courtesies, which say nothing."""
    return PADDING.format(answer=question.gold_answer)


def invented(question: GoldQuestion, _: Sequence[GoldQuestion]) -> str | None:
    """The answer with a sentence that nothing supports."""
    return f"{question.gold_answer}\n\n{INVENTION}"


DAMAGES: Mapping[str, Damage] = {
    "unit": Damage("wrong unit", wrong_unit),
    "figure": Damage("wrong figure", wrong_figure),
    "release": Damage("another release's value", other_release),
    "part": Damage("a step or fact left out", missing_part),
    "sense": Damage("reversed sense", reversed_sense),
    "invented": Damage("an invented sentence", invented, metric="attribution"),
    "padded": Damage("padded, which is not wrong", padded, lowers=False),
}


def _figures(question: GoldQuestion, questions: Sequence[GoldQuestion]) -> Iterator[re.Match[str]]:
    """The figures of the gold answer; no number of an item, no release, none of the question."""
    text = question.gold_answer
    named = " ".join((question.question, *_releases(question, questions)))
    for figure in _FIGURE.finditer(text):
        is_item = text[figure.end() :][:1] in {".", ")"} and _ITEM_NUMBER.search(
            text[: figure.start()]
        )
        if not is_item and figure[0] not in named:
            yield figure


def _releases(question: GoldQuestion, questions: Sequence[GoldQuestion]) -> list[str]:
    """The releases of its product that any question is about."""
    return sorted({r for q in questions if q.product == question.product for r in q.gold_releases})


def _is_aside(text: str, place: int) -> bool:
    """Whether a place is in code or in parentheses."""
    return any(aside.start() <= place < aside.end() for aside in _ASIDE.finditer(text))


def _larger(figure: str) -> str:
    """Half as much again; of a version the second part is the next one."""
    parts = figure.split(".")
    if len(parts) > 2:
        return ".".join((parts[0], str(int(parts[1]) + 1), *parts[2:]))
    value = float(figure.replace(",", ""))
    if "." not in figure:
        return str(int(value) + max(1, int(value) // 2))
    return f"{value * 1.5 or 1.5:g}"


def _first_rejected(
    question: GoldQuestion, replaced: Iterable[tuple[re.Match[str], str]]
) -> str | None:
    """The first gold answer with a figure replaced that the question's patterns do not accept."""
    text = question.gold_answer
    for figure, other in replaced:
        damaged = text[: figure.start()] + other + text[figure.end() :]
        if not question.accepts(damaged):
            return damaged
    return None
