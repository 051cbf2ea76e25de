"""Parts of a document that a text names by their number: "section 3.2", "Tabelle 4", "第3章"."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

_SECTIONS = (
    r"(?:sub)?sections?|sect|chapters?|clauses?|(?:unter)?abschnitte?s?|kapitels?|chapitres?"
    r"|secci[oó]n|cap[ií]tulo"
)
_STEPS = r"steps?|schritte?|étapes?|pasos?"
_CAPTIONS = (
    r"tables?|figures?|figs?|listings?|equations?|tabellen?|abbildung(?:en)?|abb|tableaux?|tabla"
    r"|figura"
)
_LETTERED = r"appendix|annexe?|anhang|anexo|chapter|kapitel"
_NUMBER = r"\d+(?:[.\-]\d+)*(?:(?-i:[a-z])(?!\w))?"
_GOES_ON = r"[的说說讲講里裡中写寫有是内介はのにをで]|\W|$"
"""What may stand behind 节: 节能 is a word of its own, and the number before it a release."""
_NAMED = re.compile(
    rf"\b(?P<word>{_SECTIONS}|(?P<step>{_STEPS})|(?P<caption>{_CAPTIONS}))\b\.?\s*"
    rf"(?:no\.\s*)?(?P<number>{_NUMBER})"
    rf"|\b(?P<lettered>{_LETTERED})\s+(?P<letter>(?-i:[A-Z][\dIVXLC.]*)|\d+)\b"
    rf"|(?P<sign>§+)\s*(?P<paragraph>{_NUMBER})"
    rf"|(?<![\u3400-\u9fff])(?P<caption_before>[表图図圖])\s*(?P<numbered>{_NUMBER})"
    rf"|第\s*(?P<ordinal>{_NUMBER})\s*(?P<unit>[章节節条條]|(?P<step_behind>步))"
    rf"|(?P<counted>{_NUMBER})\s*(?P<unit_behind>[章节節])(?={_GOES_ON})",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Part:
    """A part of a document as a text names it, from `start` to `end`."""

    text: str
    start: int
    end: int
    word: str
    number: str
    is_caption: bool
    is_step: bool

    @property
    def is_section(self) -> bool:
        """Whether it is a part with a heading, such as a chapter."""
        return not (self.is_caption or self.is_step)

    def is_of(self, path: Sequence[str], words: str) -> bool:
        """Whether words are in the part: below its heading, its caption, or the step itself."""
        lines = [] if self.is_section else words.split("\n")
        return any(map(self.begins, (*path, *lines)))

    def begins(self, line: str) -> bool:
        """Whether a heading, a caption or a step is the one: "3.2 Retention", "Table 4: Ports"."""
        return _beginning(self).match(line) is not None

    def stands_in(self, text: str) -> bool:
        """Whether a text, its headings divided by "›", bears that there is such a part."""
        lines = (part for line in text.split("\n") for part in line.split("›"))
        named = ((part.number, part.word) for part in parts_named(text))
        return (self.number, self.word) in named or any(map(self.begins, lines))


@lru_cache(maxsize=256)
def _beginning(part: Part) -> re.Pattern[str]:
    """Finds the number at the beginning; a caption has the word before it, other parts may."""
    word = rf"(?:{re.escape(part.word)}\w*\.?\s*|第\s*)"
    optional = "" if part.is_caption else "?"
    return re.compile(
        rf"\s*\W*{word}{optional}{re.escape(part.number)}(?![a-z0-9_]|[.\-]\d)", re.IGNORECASE
    )


@lru_cache(maxsize=1024)
def parts_named(text: str) -> tuple[Part, ...]:
    """The parts of a document that a text names by their number, in order."""
    return tuple(map(_part, _NAMED.finditer(text)))


def _part(named: re.Match[str]) -> Part:
    before = named["word"] or named["lettered"] or named["sign"] or named["caption_before"]
    numbers = ("number", "letter", "paragraph", "numbered", "ordinal", "counted")
    number = next(named[group] for group in numbers if named[group]).rstrip(".")
    return Part(
        named[0],
        *named.span(),
        word=(before or named["unit"] or named["unit_behind"]).casefold().rstrip("s"),
        number=number,
        is_caption=bool(named["caption"] or named["caption_before"]),
        is_step=bool(named["step"] or named["step_behind"]),
    )
