"""The words beside a number or a name of a release, as far as they say what it is.

Those right before it that belong to it ("in the version before"), the word that may own it, the
noun behind it, and what stands between two that are named side by side.
"""

import re
from itertools import takewhile

from chatbot.releases.product_names import AFTER, BEFORE, NEWEST, OTHER, OWN, SINCE
from chatbot.text.asked_words import ALSO, VERSION, VERSION_ENDS, phrases
from chatbot.text.words import FUNCTION_WORDS, word_set

_WINDOW = 64
LINES = word_set("series line branch")
OF_RELEASES = LINES | word_set("release releases version versions docs lts notes guide 版本")
FREE = FUNCTION_WORDS | OF_RELEASES | {"v", "r", ""}
"""Words that no number belongs to."""
_THAN = r"(?:\b(?P<than>than|as)\s+(?=(?:in|on|with|under|for)\s))?"
"""Before the preposition of a release that another one is held against: "than in 2.1"."""
_WORDS_BEFORE = re.compile(
    r"(?:\b(?P<negation>(?<!\bor\s)not|unlike|(?:instead|rather|other)\s+(?:of|than)|except)\s+)?"
    r"(?:(?<![\w./-])"
    r"(?:(?:(?:in|of|for)\s+)?(?:the\s+)?(?P<count>\w+\s+)?(?:release|version|one)s?\s+)?"
    rf"(?:(?P<before>before|prior\s+to|(?:older|earlier)\s+than|below|{BEFORE}+)"
    rf"|(?P<after>after|newer\s+than|above|{AFTER}+))\s+"
    rf"|(?P<since>{SINCE}+)\s*"
    rf"|{_THAN}(?<![\w./-])(?:(?<!roll )back\s+)?(?P<preposition>in|on|for|with|under|of|at|by"
    r"|using|running|into|to|from|since|until|as\s+of|than|vs\.?|versus|against|about|w/)\s+"
    r"|(?P<pre>\bpre)[\s-])?"
    r"(?:\b(?:the|our|my|your|an?|both|old|new|la|le|el|der)\s+){0,2}"
    rf"(?:(?<!\w)(?P<newest>{NEWEST})\s+(?:of\s+(?:the\s+)?)?)?"
    rf"(?P<product>{OWN}+(?:\[\w+\]|(?:-[a-z]+)+(?=-))?(?:['’]s)?(?:[\s,:_=<>~^@/|\[\]()\"-]|\bin\b)*)?"
    rf"(?:\b(?P<word>rel\w{{1,3}}se|vers(?!us)\w*|fassung|rel|ver|v|r|{VERSION})"
    rf"(?:s?[\s.:=#_/-]+(?:is\s+)?|(?<={VERSION_ENDS})))?"
    r"(?P<open>[(\[\"'“‘]*)(?P<prefix>(?<![a-z0-9.])(?:v|r|ver|rel|release|version)[.\-_]?)?\Z",
    re.IGNORECASE,
)
"""The words right before a number that belong to it; matches the end of any text."""
_OWNER = re.compile(
    rf"(?P<sign>(?<![\w{OWN}])[-$@<{{/.~#&]+)?[`\"'“]*"
    rf"(?P<word>{OTHER}+|[^\W\d_](?:[\w+#]|(?:[./-]|::|->)(?=\w))*)(?:['’]s)?"
    r"(?P<code>\([\w, ]*\)|\[\w+\]|[>}`\"'”](?=\s|\Z))*(?P<joint>\s*[^\w\s,;.)?!]*\s*)\Z"
)
"""The word before a number, with signs of code before it and behind it."""
JOINED = re.compile(
    r"\s*(?:(?P<comma>,)\s*)?(?:(?P<join>[/&+→–-]|[-=]>|and|or|vs?\.?|versus|to|against|than)\s*)?"
    r"(?:(?P<place>(?:in|on|with|from)\b)\s*)?"
    rf"(?:(?:in|on|from|the|with|both|to|releases?|versions?|v|r|{OWN}++)\s*)*[<>=~!^]*",
    re.I,
)
"""The text that may stand between two releases that are named side by side."""
WAYS = ("→", "->", "=>", "to")
"""Between a release and the one that it is left for."""
_APART = (*WAYS, "-", "–", "against", "than")
COMPARATIVE = r"worse|better|(?:high|low|larg|small|long|short|fast|slow|strict)er"
CHANGED = (
    r"\b(?:geändert|cambi(?:ó|ad\w|at\w|os?)|mudou|mudan\w+|(?:измен|отлич|сравн|разниц|нов)\w*)\b"
    r"|(?:[变變変][化更]|改[变變进進动動了]|[変变]わ|[区區][别別]|不同|差[异異別分]|[違违]い"
    r"|新(?:功能|增|機能|し))[ぁ-ん]*|(?:바뀌|바뀐|변경|달라|차이)\w*"
)
"""The words for "changed" and "differs" that no English one begins like."""
CONTRASTS = re.compile(
    r"\b(?:vs|versus|compar\w+|diff\w*|(?<!\bwe\s)chang\w+|(?<!\bin\s)between|same|happens"
    r"|breaks?|new\s+since|unterschied\w*|neu\s+seit|seit\s+\S+\s+neu"
    rf"|{COMPARATIVE})\b"
    rf"|{CHANGED}|\bwhat(?:['’]s|\s+is)\s+new\b",
    re.I,
)
"""Asks for what differs, also of a move from one release to another."""


def is_joined(text: str, start: int, end: int) -> bool:
    """Whether all between two names puts them side by side: "and", ",", "/", "und in"."""
    between = text[start:end].strip()
    if also := phrases(ALSO).match(between):
        rest = between[also.end() :].casefold().split()
        return len(rest) < 2 and {*text[:start].casefold().split()}.issuperset(rest)
    joined = JOINED.fullmatch(text, start, end)
    if joined is None or not (joined["comma"] or joined["join"]):
        return False
    return joined["join"] not in _APART and joined["place"] != "with"


def words_before(text: str, start: int) -> re.Match[str]:
    """The match of the words right before a name at `start` that belong to it."""
    match = _WORDS_BEFORE.search(text, max(0, start - _WINDOW), start)
    assert match is not None, "every part of the pattern may be missing"
    return match


def owner_before(text: str, start: int) -> re.Match[str] | None:
    """The match of the word right before a number at `start`, which the number may belong to."""
    return _OWNER.search(text, max(0, start - _WINDOW), start)


def preposition(before: re.Match[str]) -> str:
    """The preposition in the words before a name, with single blanks."""
    said = " ".join((before["preposition"] or "").casefold().split())
    return "since" if before["since"] else said


def ends_name(text: str, end: int) -> bool:
    """Whether a name ends at `end`: the end of the text, a sign or a stop word follows, and no
    noun."""
    return next_word(text, end) in FREE


def next_word(text: str, end: int) -> str:
    """The word that follows, in small letters; none if there is a sign."""
    following = text[end : end + _WINDOW].split(maxsplit=1)
    word = "".join(takewhile(str.isalpha, following[0])) if following else ""
    return word.casefold()


def last_word(text: str) -> str:
    """The last word, in small letters, without brackets and quotes; none in an empty text."""
    words = text[-_WINDOW:].casefold().split()
    return words[-1].strip("\"'([,") if words else ""
