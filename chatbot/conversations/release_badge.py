"""The source of an answer in words: product, release, how they were found, and the time taken."""

from dataclasses import dataclass

from chatbot.reply import Reply
from chatbot.text.languages import figure, gettext, gettext_noop

_UNRESOLVED = {
    "unknown": gettext_noop("unknown release"),
    "ambiguous": gettext_noop("several releases"),
}


@dataclass(frozen=True)
class ReleaseBadge:
    """`name` says product and release, `explanation` how they were determined.

    It is `settled` unless the answer asks for a release. Both may hold text of any origin.
    """

    name: str
    explanation: str
    settled: bool = True


def release_badge(reply: Reply) -> ReleaseBadge:
    """The badge of an answer, read from its reply."""
    product = reply.product or ""
    names = reply.release or ", ".join(reply.compared_releases)
    if reply.route == "compare":
        return ReleaseBadge(f"{product} {names}".strip(), gettext("compared"))
    if reply.route == "inventory" and not names:
        return ReleaseBadge(product or gettext("catalog"), gettext("from the catalog"))
    if reply.route == "chat":
        if reply.abstained:
            return ReleaseBadge(gettext("outside the documentation"), "")
        return ReleaseBadge(gettext("no document needed"), "")
    if names:
        return ReleaseBadge(f"{product} {names}".strip(), reply.release_explanation)
    open_ = _UNRESOLVED.get(reply.release_status)
    if open_ is None:
        return ReleaseBadge("", "")
    # The answer says why, and asks.
    return ReleaseBadge(f"{product} {gettext(open_)}".strip(), "", settled=False)


def duration(reply: Reply) -> str:
    """The time that the answer took; empty for answers of earlier versions."""
    seconds = reply.seconds
    if seconds is None:
        return ""
    if seconds < 0.1:
        return gettext("under 0.1 s")
    if seconds < 9.95:
        return gettext("{number} s", number=figure(seconds, 1))
    minutes, rest = divmod(round(seconds), 60)
    if minutes:
        return gettext("{minutes} min {seconds} s", minutes=minutes, seconds=rest)
    return gettext("{number} s", number=rest)
