"""Whether a number in a question is a release of the product, judged by the words around it."""

import re
from enum import Enum, auto

from chatbot.releases.release_numbers import Number
from chatbot.releases.release_words import BOUNDARY, MOVES, OF_UNIT, OTHER, OWN, TAIL
from chatbot.text.query_terms import STOP_WORDS


class Claim(Enum):
    """To whom a number belongs: to the product, perhaps to it, to something else, or to nobody."""

    RELEASE = auto()
    DOUBTFUL = auto()
    OTHER_THING = auto()
    NOTHING = auto()


_WINDOW = 64
_LONGEST_QUERY = 500
"""Letters of a query of keywords; what is longer is a text."""
_CODE = re.compile(r"_|[a-z][A-Z]")
_CLAIMS_NOTHING = STOP_WORDS | {"changelog", "guide", "manual", "notes", "reference", "tutorial"}
_OWNER = re.compile(
    rf"(?P<word>{OTHER}+|[^\W\d_](?:[\w+]|\.(?=\w))*|\d+[^\W\d]\w*)(?:['’]s)?"
    r"(?P<joint>[-/_=#]|\s*=)?\s*(?:at\s+(?:least|most)\s+|up\s+to\s+)?(?P<bound>[<>=~!≥≤]*)"
    r"\s*['\"]?$"
)
_BESIDE_OWN = re.compile(rf"{OWN}(?:['’]s)?(?P<joint>[\s-])(?P<word>[^\W\d_]+)[\s:]*$")
_OWN_INSIDE = re.compile(rf"\w[-/]{OWN}+\W*$")
_OF_SOMETHING = re.compile(rf"\s+of\s+(?!(?:the|this|our|an?)\s+\w)(?P<word>\w+|{OTHER})")
_SUBJECTS = frozenset("i we you they he she it one who that".split())  # noqa: SIM905
_AUXILIARY = re.compile(
    r"\b(?:am|is|are|was|were|be|been|do|does|did|can|could|will|would|shall|should|may|might|must"
    r"|have|has|had|never|still|just|now|only|already|not|to|\w+n['’]t)\s+$",
    re.IGNORECASE,
)
_MEASURED = re.compile(
    r"\b(?:set(?:ting)?\s+(?:\S+\s+){0,4}?to|(?:an?|with(?!\s+(?:the|our|your|its)\b))\s+(?:\S+\s+){1,4}?of)\s+$",
    re.IGNORECASE,
)
_VALUE = re.compile(
    r"(?:\b(?:\w+_\w+\s+(?:of|to|at|=)\s*|values?\s+of|equals?(?:\s+to)?)\s+|\w\(['\"]?|[$€£#§]\s?)$",
    re.IGNORECASE,
)
_RELEASE_BESIDE = re.compile(r"\b(?:releases?|versions?|ones?)\s.*\b(?:before|after)\b", re.I)
PLACED = frozenset(("in", "on", "under", "since", "as of"))
_LOOSE = frozenset(("about", "over", "at", "through", "via"))
_NAMING = frozenset(("for", "with", "of", "from", "than"))


def judge(text: str, number: Number, lead: re.Match[str]) -> Claim:
    """Say whether a number of a masked question is a release of the product, known or unknown."""
    return _Surroundings(text, number, lead).claim()


class _Surroundings:
    def __init__(self, text: str, number: Number, lead: re.Match[str]) -> None:
        self.text, self.number, self.lead = text, number, lead
        self.known = bool(number.reading.covers)
        # "release", "version", "v", "r"; or nothing.
        self.mark = (lead["word"] or lead["prefix"] or "").casefold()
        self.preposition = " ".join((lead["preposition"] or "").casefold().split())
        self.beside = lead["before"] or lead["after"] or lead["pre"]
        self.before = text[max(0, number.start - _WINDOW) : number.start]
        self.after = text[number.end : number.end + _WINDOW]
        self.head = text[max(0, lead.start() - _WINDOW) : lead.start()]
        self.begins = not text[: lead.start()].strip()
        # Whether what follows is no noun.
        self.bounded = bool(BOUNDARY.match(text, number.end))
        # The word right before the number, but for a mark between them.
        bare = lead.start() in (number.start, lead.start("word"), lead.start("prefix"))
        self.owner = _OWNER.search(self.head) if bare else None
        # Whether somebody does something with it, or it is a subject: "we run 17.20", "is 17.20".
        self.told_of = self._follows_verb() or bool(_AUXILIARY.search(self.before))
        # Whether a word for a release stands with the number, or nothing else does.
        self.tail = TAIL.match(text, number.end)
        alone = not (text[: lead.start()] + text[number.end :]).strip(" ?.!")
        self.told = bool(self.mark or (self.tail and self.tail["word"]) or alone)

    def claim(self) -> Claim:
        """Judge by what claims the number: a unit, the product, a value, the word before it."""
        if OF_UNIT.match(self.after.lstrip(" \u00a0-")):
            sure = self.mark and self.known and self.number.dotted
            return Claim.RELEASE if sure else Claim.OTHER_THING
        for judged in (self._of_product, self._of_something, self._of_value, self._of_word):
            if (claim := judged()) is not None:
                return claim
        return self._standing_free() if self.number.dotted else self._single()

    def _follows_verb(self) -> bool:
        owner = self.owner
        if owner is None or owner["joint"] or owner["bound"]:
            return False
        word, earlier = owner["word"], self.head[: owner.start("word")]
        if word != word.lower() or word in _SUBJECTS:
            return False
        told = word.endswith("ing") or _AUXILIARY.search(earlier)
        return bool(told) or not _SUBJECTS.isdisjoint(re.findall(r"\w+", earlier.casefold())[-1:])

    def _keywords(self) -> int:
        """How many words there are, if they are a query of keywords and no sentence."""
        if len(self.text) > _LONGEST_QUERY:
            return 0
        around = f"{self.text[: self.lead.start()]} {self.text[self.number.end :]}"
        words = re.findall(r"[^\W\d_][\w'-]*", around)
        return len(words) if STOP_WORDS.isdisjoint(map(str.casefold, words)) else 0

    def _of_product(self) -> Claim | None:
        """Judge by the product's name: "Lamp 2.0", but "lamp-dimmer 2.0" may be another's."""
        number, lead = self.number, self.lead
        if OWN in lead[0]:
            if self.known and not lead["word"] and _OWN_INSIDE.search(self.before):
                return Claim.DOUBTFUL
            likely = self.known or number.dotted or number.shaped or lead["word"]
            return Claim.RELEASE if likely else Claim.NOTHING
        glued = not self.mark and re.search(r"[\w.]$", self.before)
        if self.known and number.dotted and (glued or re.search(r"\bis\s+$", lead[0])):
            # "dj4.2" may be the product's, and may be another's.
            return Claim.RELEASE if number.high or not glued else Claim.DOUBTFUL
        near = _BESIDE_OWN.search(self.head) if number.dotted or number.whole else None
        if near and near["joint"] == "-":
            return Claim.DOUBTFUL if self.known else Claim.OTHER_THING
        told = near and (self.known or number.akin or near["word"].casefold() in _CLAIMS_NOTHING)
        return Claim.RELEASE if told and number.dotted else None

    def _of_something(self) -> Claim | None:
        """Judge "version 1.4 of something", which is not the product."""
        owner = _OF_SOMETHING.match(self.after)
        if not owner or owner["word"] in _CLAIMS_NOTHING:
            return None
        return Claim.DOUBTFUL if self.known else Claim.OTHER_THING

    def _of_value(self) -> Claim | None:
        """Judge a number that something is set to or measures: "a timeout of 17.20"."""
        if self.mark or not (_VALUE.search(self.before) or _MEASURED.search(self.before)):
            return None
        possible = self.number.whole and self.number.dotted and not _VALUE.search(self.before)
        return Claim.DOUBTFUL if possible else Claim.OTHER_THING

    def _of_word(self) -> Claim | None:
        """Judge by the word before the number: "Python 3.8" and "port 17" are not the product's."""
        if self.owner is None or self._follows_verb():
            return None
        number, word, joint = self.number, self.owner["word"], self.owner["joint"]
        if word[0] == OTHER or self.owner["bound"]:
            return Claim.OTHER_THING
        if joint and not self.mark:
            if joint == "/" and self.after.startswith("/") and number.dotted and number.akin:
                return Claim.RELEASE
            package = joint in "-_" and number.long
            return Claim.DOUBTFUL if package else Claim.OTHER_THING
        if word.casefold() in _CLAIMS_NOTHING:
            return None
        # The first letter of a question is a capital in any word.
        first = not self.head[: self.owner.start("word")].strip()
        named = bool(re.search(r"[A-Z\d.]", word[first:])) and not _CODE.search(word)
        keywords, dotted = self._keywords(), number.dotted
        if self.known and (self.mark or (dotted and number.whole)):
            if not (dotted or self.bounded or len(self.mark) > 1):
                return Claim.OTHER_THING
            queried = word[0].islower() and keywords > (0 if self.mark else 2)
            sure = number.long or number.lettered or queried
            sure = self.mark.startswith("r") or (sure and not named)
            return Claim.RELEASE if sure and (dotted or len(self.mark) > 1) else Claim.DOUBTFUL
        if self.mark:
            likely = dotted or len(self.mark) > 1 or (self.bounded and keywords > 1)
            likely = self.mark.startswith("rel") or (likely and not named)
            return Claim.DOUBTFUL if likely else Claim.OTHER_THING
        if dotted and not self.known:
            ends = len(number.tokens) > 2 or not self.text[number.end :].strip(" ?.!")
            if ends and number.akin and not named:
                return Claim.DOUBTFUL
            return Claim.NOTHING if word == word.lower() else Claim.OTHER_THING
        qualifies = keywords > 1 and number.exact and number.high and self.bounded
        return Claim.DOUBTFUL if qualifies else Claim.OTHER_THING

    def _standing_free(self) -> Claim:
        if self.known or self.told or (self.bounded and self.preposition in PLACED):
            return Claim.RELEASE
        number = self.number
        placed = self.preposition and (number.akin or self.preposition not in _LOOSE)
        cue = placed or self.beside or self.lead["open"] or self.told_of
        cue = self.bounded and number.near and (cue or self.before.endswith(", "))
        likely = (cue and not number.lettered) or (number.akin and self.begins)
        return Claim.DOUBTFUL if likely else Claim.NOTHING

    def _single(self) -> Claim:
        """Judge a number of one part ("17") that no word claims: it needs a cue."""
        number, lead = self.number, self.lead
        placed = self.preposition in PLACED or self.beside
        ranged = (self.tail and self.tail["range"] and number.whole) or _RELEASE_BESIDE.search(
            lead[0]
        )
        if lead["word"] or (self.told and (self.bounded or self.known)) or (self.known and ranged):
            return Claim.RELEASE
        if not self.known:
            meant = number.near and (self.told_of or (self.bounded and placed))
            return Claim.DOUBTFUL if meant or self.mark else Claim.NOTHING
        if number.high and (self.preposition or self.beside or self.told_of):
            if self.bounded or (number.exact and self.told_of):
                return Claim.RELEASE
            return Claim.DOUBTFUL if number.exact and placed else Claim.NOTHING
        if not self.bounded:
            return Claim.DOUBTFUL if self.told_of else Claim.NOTHING
        if placed or (self.preposition == "to" and MOVES.search(self.text)):
            return Claim.RELEASE
        told = (
            self.told_of or self.begins or self.preposition in {"for", "with", "of", "from", "than"}
        )
        return Claim.DOUBTFUL if told else Claim.NOTHING
