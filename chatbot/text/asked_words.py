"""The words by which questions about the catalog, and courtesies, are known in every language.

Each list stands here in English, and in the files of the other languages in their own words. All
languages count at once, whatever that of the page.
"""

import re
from functools import cache

from chatbot.text.languages import ENGLISH, LANGUAGES, gettext_noop, translations
from chatbot.text.words import words_of
from corpora.indexing.lexical import UNSPACED

GREETING = gettext_noop("hello hi hey")
THANKS = gettext_noop("thanks thank thx ok great helpful helped lot bye")
ABILITIES = gettext_noop("what can you do help me for")
HELP = gettext_noop("you help")
HOW = gettext_noop("how")
ASKED = gettext_noop("what which where when why who")
PRODUCTS = gettext_noop("products")
RELEASES = gettext_noop("releases versions")
ONE_RELEASE = gettext_noop("release version")
DOCUMENTS = gettext_noop("documents")
DOCUMENTATION = gettext_noop("documentation docs")
THERE = gettext_noop("was got know there list documented available exist came released")
WHETHER = gettext_noop("is are do does have")
FILLING = gettext_noop("for here how in many of the what what's which you u")
OWN_RELEASE = gettext_noop("which release am I on | which version do I have")
EVERY_RELEASE = gettext_noop("in which releases | in all releases | since when")
OLDEST_RELEASE = gettext_noop("oldest release")
NEXT_RELEASE = gettext_noop("next release")
PREVIOUS_RELEASE = gettext_noop("previous release")
BEFORE = gettext_noop("version preceding ~ | release preceding ~ | predecessor of ~")
AFTER = gettext_noop("version following ~ | release following ~ | successor of ~")
SINCE = gettext_noop("since ~")
ALSO = gettext_noop("and | also | then")
"""Whole phrases, set apart by "|"; those with "~" stand before a release, or behind it."""
_ELSEWHERE = {
    PREVIOUS_RELEASE: "предыдущая версия | предыдущей версии | предыдущую версию"
    " | versione precedente | versão anterior | 이전 버전 | 이전버전 | 이전 릴리스",
    BEFORE: BEFORE,
    AFTER: AFTER,
    SINCE: "с ~ | с версии ~ | с версией ~ | со ~ | чем в ~ | dalla ~"
    " | ~ 이후 | ~ 부터 | ~ 보다 | ~ 와 | ~ 과",
}
"""Further phrases, also of languages that replies are not in."""
VERSION, VERSION_ENDS = r"版本|バージョン|リリース|버전|верси\w+", "[本ンス전]"
"""The word for a release in other scripts, and the letters of it that no blank follows."""
_AHEAD = (
    rf"(?=\s*(?:[^\W\d]{{1,9}}\s+){{0,2}}(?:{VERSION})?\s?[\"'(\[]*"
    r"(?:[vr]?\d{number}|(?-i:[A-Z])|[\ue000\ue001]))"
)
_BEHIND = rf"(?<=[\dx*])\s?(?:的?(?:{VERSION}|版)\s?)?"
"""A release, or a name, has to be there: many of those phrases are common words."""
LISTS = (
    *(GREETING, THANKS, ABILITIES, HELP, HOW, PRODUCTS, RELEASES, ONE_RELEASE, DOCUMENTS),
    *(DOCUMENTATION, THERE, WHETHER, FILLING),
)


@cache
def words(*lists: str) -> frozenset[str]:
    """The words of some lists in all languages, in small letters."""
    return frozenset().union(*(words_in(code, *lists) for code in LANGUAGES))


@cache
def words_in(code: str, *lists: str) -> frozenset[str]:
    """The words of some lists, else of all, in one language."""
    told = (translations(code).gettext(one) for one in lists or LISTS)
    return frozenset(word for text in told for word in text.casefold().split())


def words_asked(question: str) -> list[str]:
    """The words of a question in small letters; where no blanks part them, those that are known."""
    found: list[str] = []
    for word in words_of(question.casefold().replace("’", "'")):
        parts = _unspaced().findall(word)
        found += parts if parts and "".join(parts) == word else [word]
    return found


@cache
def _unspaced() -> re.Pattern[str]:
    known = sorted((w for w in words(*LISTS) if re.match(f"[{UNSPACED}]", w)), key=len)
    return re.compile("|".join(map(re.escape, reversed(known))) or r"(?!)")


def asks_whether(question: str) -> bool:
    """Whether a question is to be answered with Yes or No, by its first or its last word."""
    asked = words_asked(question)
    ends = tuple(word for word in words(WHETHER) if re.match(f"[{UNSPACED}]", word))
    return asked[0] in words(WHETHER) or bool(ends and asked[-1].endswith(ends))


def starts_question(text: str) -> bool:
    """Whether a text begins with a word for a question: "What is x", also "First, what is x"."""
    first, comma, rest = text.partition(",")
    said = words_asked(rest if comma and len(words_of(first)) == 1 else text)
    return not words(HOW, ASKED).isdisjoint(said[:1])


@cache
def own_release() -> re.Pattern[str]:
    """Matches, from its beginning on, a question for the release that the asker has."""
    return re.compile(rf"(?:{phrases(OWN_RELEASE).pattern})\s*(?:[?？:：]|$)", re.I)


@cache
def phrases(of: str) -> re.Pattern[str]:
    """Finds the phrases of a list in all languages but English, whose grammar has rules."""
    told = [translations(code).gettext(of) for code in LANGUAGES if code != ENGLISH]
    every = "|".join([*told, _ELSEWHERE[of]] if of in _ELSEWHERE else told).split("|")
    longest_first = sorted(map(str.strip, every), key=len, reverse=True)
    return re.compile("|".join(_phrase(phrase.split()) for phrase in longest_first), re.I)


def _phrase(parts: list[str]) -> str:
    words = r"\s+".join(re.escape(part) for part in parts if part != "~")
    if parts[0] == "~":
        return f"{_BEHIND}{words}"
    words = words if re.match(f"[{UNSPACED}]", words) else rf"(?<!\w){words}(?!\w)"
    # A word of one letter stands before many a number.
    ahead = _AHEAD.replace("{number}", r"+[.x]" if len(parts[0]) == 1 else "")
    return words + ahead * (parts[-1] == "~")
