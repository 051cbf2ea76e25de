"""What kind of answer a question wants: a reason, a way, a yes or no, a place, a time."""

from __future__ import annotations

import re

_WAY = (
    r"(?:commands?|procedures?|steps?|syntax|instructions?|calls?|statements?|sql|code|snippet"
    r"|keystrokes?)"
)
_ONE = r"(?:i|we|you|one|somebody|someone|people|users?|an admin|admins?|it)"
_HOWTO = re.compile(
    r"(?<!\S)(?:"
    rf"how (?:to|(?:do|can|could|should|would|must|may|might|shall) {_ONE}(?!\S))"
    r"|how (?:can|could|should|must|may|might|shall) (?:\S+ ){1,8}?be(?!\S)"
    r"|how (?:is|are) (?!.*\b(?:call|nam|rat|classif|label)(?:l?ed)\b)(?:\S+ ){1,8}?"
    r"(?:\w+ed|disable|enable|configure|shutdown|restart|remove|rename|rollback|backup"
    r"|written|made|built|done|set|sent|put|shown|taken|run|read|found|got|given|kept)(?!\S)"
    rf"|(?:what|which)(?: \S+){{0,2}} {_WAY}(?!\S)"
    r"|(?:which|what) (?:methods?|functions?|class|cli)(?= (?!is|was|does|has)\w+s(?!\S))"
    rf"|(?<!to )what (?:do|must|should|would|have|need|can|shall) {_ONE} (?:(?:have|need|got) to )?"
    r"(?:do|type|enter|run|write|call|set|use|issue|execute|put|add)(?!\S)"
    rf"|what (?:do|must|should) {_ONE} (?:have|need) to (?:do|type|enter|run|write|call|set|use)"
    r"|(?:what|which)(?: (?:things?|actions?))? (?:has|have|needs?|must|should|is|are) (?:to )?be"
    r" (?:done|typed|entered|run|set|called)(?!\S)"
    rf"|WHERE (?:can|could|do|may) {_ONE} (?:see|look|view|check|read)(?!\S)"
    r"|how (?!do |does |did |is |are |can |could )(?:\S+ ){1,5}?(?:is|are) \w+ed(?!\S)"
    r"|(?:the )?(?:\w+ )?(?:way|steps?|procedure|commands?|instructions?|syntax|recipe)"
    r" (?:to|for|of)(?!\S)"
    r"|steps? (?:is|are) (?:needed|required|necessary)|howto"
    r"|(?:walk|guide|lead) (?:me|us) through|in (?:what|which) way"
    r"|how (?:i|we|you|one) (?!\S+ (?:called|named)\b)\S+|how(?= \|| ?$)|(?:which|what) steps"
    r"|(?:^|\| |the )(?:methods?|functions?|commands?) (?:that|which|to|for)(?!\S))"
)
_AUXILIARY = re.compile(
    r"(?:^|\| )(?:(?:and|but|so|then|also) )*(?:is|are|does|do|did|can|could|may|must|should|will"
    r"|would|has|have|was|were|am|shall)(?!\S)(?! not \|)"
)
_WORKS = re.compile(
    r"(?<!\S)how (?:do|does|did) (?!(?:it|this|that|i|we|you|one) )(?:\S+ )+?"
    r"(?:work|works|function)(?= \||$)"
)
_BY_ITSELF = re.compile(
    r"(?<!\S)how (?:is|are) .* by (?!\w+ing\b)|(?<!\S)how (?:do|does|did)(?!\S)"
)
_SOMEBODY = re.compile(rf"(?<!\S)how (?:do|does|did) {_ONE}(?!\S)|(?<!\S)i(?!\S)")
_WISH = re.compile(
    r"(?:^|\| )(?:i|we) (?:need|want|would like|have|wish|must|am trying|are trying|try)"
    r"(?: to)?(?!\S)"
)
_QUESTION_WORD = re.compile(
    r"(?<!\S)(?:what|which|how|who|WHO|WHERE|WHEN|HOW[A-Z]+|MAXIMUM|MINIMUM|DEFAULT)(?!\S)"
)
_COMPATIBLE = frozenset(
    frozenset(pair)
    for pair in (
        ("HOW", "WORKS"),
        ("", "WORKS"),
        ("HOWTO", "KEYWORDS"),
        ("", "KEYWORDS"),
        ("HOWTO", "HOW"),
        ("", "HOW"),
    )
)


def kind_of(plain: str) -> str:
    """Return the kind of a question in plain text with its marks; empty for "what" and "which".

    HOW asks how something works by itself; KEYWORDS are no sentence.
    """
    tokens = plain.split()
    for mark in ("SINCE", "WHY"):
        if mark in tokens:
            return mark
    if _WORKS.search(plain):
        return "WORKS"
    if _asks_who(tokens) and "how" not in tokens:
        return "WHO"
    if _HOWTO.search(plain):
        return "HOW" if _BY_ITSELF.search(plain) and not _SOMEBODY.search(plain) else "HOWTO"
    if "WHETHER" in tokens and "DEFAULT" not in tokens:
        return "WHETHER"
    if _asks_who(tokens):
        return "WHO"
    if _BY_ITSELF.search(plain):
        return "HOW"
    words = _QUESTION_WORD.search(plain)
    named = words and words[0] not in ("WHEN", "WHERE")
    if words and words[0] in ("MAXIMUM", "MINIMUM"):
        named = not _AUXILIARY.match(plain)
    if "DEFAULT" not in tokens and _AUXILIARY.search(plain) and not named:
        return "WHETHER"
    if _WISH.search(plain) and not words:
        return "HOWTO"
    return "" if words else "KEYWORDS"


def compatible(kind: str, other: str) -> bool:
    """Whether two questions of these kinds may ask the same."""
    return kind == other or frozenset((kind, other)) in _COMPATIBLE


def _asks_who(tokens: list[str]) -> bool:
    """Whether "who" comes before any other question word."""
    asked = next((t for t in tokens if _QUESTION_WORD.fullmatch(t)), "")
    return asked == "WHO"
