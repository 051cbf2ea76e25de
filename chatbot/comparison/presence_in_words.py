"""Since which release, up to which, in which: one sentence that names the releases."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from chatbot.comparison.presence import Finding, Remark, expected_first, without_category
from chatbot.comparison.wording import Quotes, after, asks_yes_or_no, in_bare_words, in_short
from chatbot.text.phrasing import listed
from chatbot.text.sanitizer import as_code
from chatbot.turn import Answer, Documented


def presence_in_words(
    thing: str, findings: Sequence[Finding], oldest: str, question: str = ""
) -> Answer:
    """Where a thing is documented, each release with the place that shows it.

    `oldest` is the first release of the product that there is.
    """
    quotes = Quotes()
    named = as_code(without_category(thing))
    looked = [f for f in findings if f.status is not Documented.NO_CORPUS]
    there = [f for f in looked if f.status is Documented.DOCUMENTED]
    lead = _lead(named, looked, there, oldest, quotes)
    if there and asks_yes_or_no(question):
        lead = after("Yes" if len(there) == len(looked) else "No", lead)
    notes = [*_own_words(looked, there, quotes), *_without_corpus(findings)]
    text = " ".join((lead, *notes))
    known = bool(there) or any(f.status is Documented.REMOVED for f in looked)
    return Answer(
        text=text,
        abstained=not known,
        citations=tuple(quotes.citations),
        value=in_bare_words(text) if known else "",
    )


def remarks_in_words(thing: str, word: str, remarks: Sequence[tuple[str, Remark]]) -> Answer:
    """What the documents say on when a thing was changed or deprecated, the oldest first.

    Each remark comes with the release that it is cited from.
    """
    quotes = Quotes()
    named = as_code(without_category(thing))
    sentences = []
    for release, remark in remarks:
        words = in_short(remark.words).rstrip(".")
        told = f": {words[:1].upper()}{words[1:]}" if words else ""
        mark = quotes.mark(remark.record, release)
        sentences.append(f"{named} {word} {remark.release}{told} {mark}.")
    text = " ".join(sentences)
    return Answer(text, False, tuple(quotes.citations), in_bare_words(text))


def _lead(
    named: str, looked: Sequence[Finding], there: Sequence[Finding], oldest: str, quotes: Quotes
) -> str:
    order = [f.release for f in looked]
    gone = [f for f in looked if f.status is Documented.REMOVED]
    if not there and not gone:
        of = f"documentation of {listed(order, 'or')}" if order[1:] else f"{order[0]} documentation"
        return f"I couldn't find {named} in the {of}."
    if not there:
        return f"{named} is documented in none of {listed(order)}; {_says_gone(gone[0], quotes)}."
    first, last = order.index(there[0].release), order.index(there[-1].release)
    cited = [_cited(f, quotes) for f in there]
    unbroken = last - first + 1 == len(there)
    if len(there) == len(looked):
        also = f"; {there[0].release} is the oldest release here" if order[0] == oldest else ""
        every = f"all of {listed(cited)}" if len(cited) > 1 else cited[0]
        return f"{named} is documented in {every}{also}."
    if first == last == len(order) - 1 or (unbroken and last == len(order) - 1):
        told = f"first documented in {cited[0]}"
        told += f", and also in {listed(cited[1:])}" if cited[1:] else ""
    elif len(there) == 1:
        told = f"documented in {cited[0]} only"
    elif unbroken:
        told = f"documented from {cited[0]} to {listed([*cited[2:], cited[-1]][-1:])}"
        told += f", also in {listed(cited[1:-1])}" if cited[1:-1] else ""
    else:
        told = f"documented in {listed(cited)}"
    ends = [f for f in gone if order.index(f.release) > last]
    rest = [f for f in looked if f not in there and f not in ends]
    parts = [f"{named} is {told}", *(_says_gone(f, quotes) for f in ends[:1])]
    mentioned = [f for f in rest if f.record is not None and f not in gone]
    if bare := [f.release for f in rest if f not in mentioned]:
        parts.append(f"{listed(bare)} {'does' if len(bare) == 1 else 'do'} not document it")
    parts += [f"{_cited(f, quotes)} only mentions it" for f in mentioned]
    return f"{'; '.join(parts)}."


def _cited(finding: Finding, quotes: Quotes) -> str:
    if finding.record is None:
        return finding.release
    return f"{finding.release} {quotes.mark(finding.record, finding.release)}"


def _says_gone(finding: Finding, quotes: Quotes) -> str:
    assert finding.record is not None
    words = in_short(finding.record.reading).rstrip(".")
    mark = quotes.mark(finding.record, finding.release)
    return f"{finding.release} says that it is gone: {words} {mark}"


def _own_words(
    looked: Sequence[Finding], there: Sequence[Finding], quotes: Quotes
) -> Iterator[str]:
    """What a page itself says on since when, and whether the first release here agrees."""
    releases = [f.release for f in looked]
    said = next((f for f in reversed(there) if f.since), None)
    if said is None or said.since is None or said.said is None:
        return
    first = there[0].release
    expected = expected_first(said.since, releases)
    mark = quotes.mark(said.said, said.release)
    told = f"the text of {said.release} says that it is new in {said.since} {mark}"
    if expected == first and (expected != releases[0] or first.startswith(said.since)):
        yield f"T{told[1:]}."
    elif expected == first:
        yield f"T{told[1:]}, which is older than the releases here."
    else:
        yield f"But {told}."


def _without_corpus(findings: Sequence[Finding]) -> Iterator[str]:
    if missing := [f.release for f in findings if f.status is Documented.NO_CORPUS]:
        yield f"There is no documentation of {listed(missing)} to look into."
