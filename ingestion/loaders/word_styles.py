"""The styles of a Word file, and the numbers that it counts by them."""

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property, lru_cache

from ingestion.loaders.ooxml import Element, is_on, number, value
from ingestion.ordinals import roman

_LEVELS = 9
_DEEPEST = 50
"""Styles based on one another; Word itself writes far fewer."""
_LONGEST = 100
"""Letters of the text around a number."""
_HEADING = re.compile(r"heading (\d)", re.IGNORECASE)
_PLACE = re.compile(r"%([1-9])")
_HAN = "〇一二三四五六七八九"
_HAN_UNITS = ("", "十", "百", "千")


class Styles:
    """Finds what a paragraph or a run is given by its style and the styles that it is based on."""

    def __init__(self, root: Element | None) -> None:
        found = [] if root is None else root.findall("style")
        self._styles: dict[str | None, Element] = {s.get("styleId"): s for s in found}
        usual = (s.get("styleId") for s in found if s.get("type") == "paragraph" and _is_usual(s))
        self.usual = next(usual, None)
        self._given: dict[tuple[str | None, str], Element | None] = {}
        self._chains: dict[str | None, tuple[Element, ...]] = {}

    def chain(self, style: str | None) -> tuple[Element, ...]:
        """Return a style and those that it is based on, nearest first, each once."""
        if style not in self._chains:
            above: dict[str | None, Element] = {}
            at = style
            while at in self._styles and at not in above and len(above) < _DEEPEST:
                above[at] = self._styles[at]
                at = value(above[at].find("basedOn"))
            self._chains[style] = tuple(above.values())
        return self._chains[style]

    def of(self, paragraph: Element) -> str | None:
        """Return the style of a paragraph."""
        return value(paragraph.find("pPr/pStyle")) or self.usual

    def given(self, style: str | None, path: str) -> Element | None:
        """Return what a style, or the nearest that it is based on, has under a path."""
        if (style, path) not in self._given:
            found = (place.find(path) for place in self.chain(style))
            self._given[style, path] = next((e for e in found if e is not None), None)
        return self._given[style, path]

    def first(self, paragraph: Element, path: str) -> Element | None:
        """Return what a paragraph itself has under a path, else its style."""
        own = paragraph.find(path)
        return self.given(self.of(paragraph), path) if own is None else own

    def names(self, paragraph: Element) -> list[str]:
        """Return the names of a paragraph's styles in lower case, nearest first."""
        chain = self.chain(self.of(paragraph))
        return [(value(style.find("name")) or "").lower() for style in chain]

    def heading_level(self, paragraph: Element) -> int | None:
        """Return the level of a heading, from 1, as the outline of the document shows it."""
        for name in self.names(paragraph):
            if named := _HEADING.fullmatch(name):
                return int(named[1])
        level = number(value(self.first(paragraph, "pPr/outlineLvl")), _LEVELS)
        return level + 1 if level < _LEVELS else None


def _is_usual(style: Element) -> bool:
    """Whether a style is the one of paragraphs that name none."""
    return style.get("default") in {"1", "true", "on"}


@dataclass(frozen=True)
class _Level:
    start: int
    form: str
    text: str
    legal: bool
    restart: int | None
    style: str | None


@dataclass
class Numbering:
    """Counts what a Word file numbers, in the order in which its paragraphs are shown."""

    root: Element | None
    styles: Styles
    _counts: dict[str, dict[int, int]] = field(default_factory=dict)
    _begun: set[tuple[str, int]] = field(default_factory=set)
    _levels: dict[str, tuple[str, dict[int, _Level]]] = field(default_factory=dict)

    def label(self, paragraph: Element) -> tuple[str, int] | None:
        """Count a paragraph; return the number as it is shown, "-" for bullets, and its level.

        None for a paragraph that has no number.
        """
        num = value(self.styles.first(paragraph, "pPr/numPr/numId")) or "0"
        if num == "0":
            return None
        if num not in self._levels:
            self._levels[num] = self._defined(num)
        abstract, levels = self._levels[num]
        level = self._level(paragraph, levels)
        if level not in levels:
            return None
        counts = self._counts.setdefault(abstract, {})
        self._count(num, level, levels, counts)
        own = levels[level]
        if own.form == "bullet":
            return ("-", level) if own.text.strip() else None

        def shown(place: re.Match[str]) -> str:
            at = int(place[1]) - 1
            of = levels.get(at, own)
            return formatted(counts.get(at, of.start), "decimal" if own.legal else of.form)

        text = _PLACE.sub(shown, own.text).strip()
        return (text, level) if text else None

    def _level(self, paragraph: Element, levels: dict[int, _Level]) -> int:
        direct = paragraph.find("pPr/numPr/ilvl")
        if direct is not None:
            return number(value(direct))
        style = self.styles.of(paragraph)
        by_style = {level.style: at for at, level in levels.items() if level.style}
        chain = (of.get("styleId") for of in self.styles.chain(style))
        linked = (by_style[name] for name in chain if name in by_style)
        return next(linked, number(value(self.styles.given(style, "pPr/numPr/ilvl"))))

    def _count(
        self, num: str, level: int, levels: dict[int, _Level], counts: dict[int, int]
    ) -> None:
        override = self._nums[num].find(f"lvlOverride[@ilvl='{level}']/startOverride")
        if override is not None and (num, level) not in self._begun:
            counts[level] = number(value(override))
        else:
            counts[level] = counts[level] + 1 if level in counts else levels[level].start
        self._begun.add((num, level))
        for deeper in [at for at in counts if at > level]:
            restart = levels[deeper].restart if deeper in levels else None
            if restart is None or level < restart:
                del counts[deeper]

    @cached_property
    def _nums(self) -> dict[str, Element]:
        found = () if self.root is None else self.root.findall("num")
        return {num.get("numId"): num for num in found}

    @cached_property
    def _abstracts(self) -> dict[str, Element]:
        found = () if self.root is None else self.root.findall("abstractNum")
        return {abstract.get("abstractNumId"): abstract for abstract in found}

    def _defined(self, num: str) -> tuple[str, dict[int, _Level]]:
        """Return the definition that a number is counted in, and its levels."""
        passed: set[str] = set()
        defined = num
        abstract = None
        while defined in self._nums and defined not in passed:
            passed.add(defined)
            abstract = self._abstracts.get(value(self._nums[defined].find("abstractNumId")) or "")
            link = None if abstract is None else value(abstract.find("numStyleLink"))
            if not link:
                break
            defined = value(self.styles.given(link, "pPr/numPr/numId")) or ""
        if abstract is None:
            return "", {}
        own = [*abstract.findall("lvl"), *self._nums[num].findall("lvlOverride/lvl")]
        levels = {number(lvl.get("ilvl")): _read_level(lvl) for lvl in own}
        return abstract.get("abstractNumId"), levels


def _read_level(lvl: Element) -> _Level:
    form = lvl.find("numFmt")
    restart = value(lvl.find("lvlRestart"))
    return _Level(
        start=number(value(lvl.find("start"))),
        form=(form.get("format") or form.get("val") or "") if form is not None else "decimal",
        text=(value(lvl.find("lvlText")) or "")[:_LONGEST],
        legal=is_on(lvl.find("isLgl")),
        restart=None if restart is None else number(restart),
        style=value(lvl.find("pStyle")),
    )


def formatted(count: int, form: str) -> str:
    """Return a number in one of Word's forms, such as "upperRoman" or "001, 002, 003, ..."."""
    written = _FORMS.get(form)
    if form == "none":
        return ""
    if written and 0 < count < 1000:
        return written(count)
    zeros = form.split(",")[0]
    return str(count).zfill(len(zeros) if zeros.isdigit() else 1)


def _letter(count: int) -> str:
    times, place = divmod(count - 1, 26)
    return chr(ord("a") + place) * (times + 1)


@lru_cache
def _han(count: int) -> str:
    digits = str(count)
    text = ""
    for place, digit in enumerate(map(int, digits)):
        unit = _HAN_UNITS[len(digits) - 1 - place]
        if digit:
            text += _HAN[digit] + unit
        elif not text.endswith(_HAN[0]):
            text += _HAN[0]
    text = text.rstrip(_HAN[0])
    return text[1:] if text.startswith("一十") and len(digits) == 2 else text


def _circled(count: int) -> str:
    return chr(ord("①") + count - 1) if count <= 20 else str(count)


_FORMS: dict[str, Callable[[int], str]] = {
    "upperRoman": roman,
    "lowerRoman": lambda count: roman(count).lower(),
    "upperLetter": lambda count: _letter(count).upper(),
    "lowerLetter": _letter,
    "decimalZero": lambda count: f"{count:02}",
    "decimalEnclosedCircle": _circled,
    "chineseCounting": _han,
    "chineseCountingThousand": _han,
    "japaneseCounting": _han,
    "taiwaneseCountingThousand": _han,
    "ideographDigital": lambda count: "".join(_HAN[int(digit)] for digit in str(count)),
}
