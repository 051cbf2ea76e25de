"""The fall-back to older releases where the latest has no answer."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import reduce
from typing import Any

from chatbot.releases.resolution import Reason, ReleaseStatus
from chatbot.retrieval.records import records
from chatbot.retrieval.support import cite_words
from chatbot.runtime.concurrency import in_thread
from chatbot.text.languages import gettext
from chatbot.text.words import search_terms
from chatbot.turn import Answer, Citation, ModelStep, Queries, Route, RuleStep, Turn
from corpora.indexing.corpus import Corpus

MIN_COVERAGE = 0.9
"""The least coverage by a passage of another release for that release to be named."""
MIN_COVERAGE_TO_TRY = 0.5
"""The coverage above which the best release is tried, where none reaches `MIN_COVERAGE`."""
MAX_NEAREST_PAGES = 3
"""The most pages that an "I don't know" offers."""

OpenCorpus = Callable[[str, str], Corpus]
Releases = Callable[[str], Sequence[str]]


def answer_from_newest(
    answering: ModelStep,
    find: RuleStep,
    best_guess: Callable[[Turn], str | None],
    *,
    tries_when_named: bool,
) -> ModelStep:
    """Answer from the newest release that has an answer, and say so, if none was named (law 3).

    `find` finds the releases that have one, and where there is none `best_guess` the one to try;
    `answering` answers a question of one release. With a release named the turn keeps its refusal;
    with `tries_when_named` it names the best guess if that has an answer, which is not shown.
    """

    async def answer(turn: Turn) -> Turn:
        if not _is_unanswered(turn):
            return _with_target(turn)
        turn = await in_thread(find, turn)
        resolution = turn.resolution
        named = resolution.mentions or resolution.status is not ReleaseStatus.LATEST
        newest = next(iter(turn.found_in), None)
        if newest is None and (tries_when_named or not named):
            newest = await in_thread(best_guess, turn)
        if newest is None or (named and turn.found_in):
            return turn
        latest = resolution.releases[0]
        why = gettext("not documented in {release}", release=latest)
        of = replace(resolution, releases=(newest,), explanation=why)
        again = await answering(replace(turn, resolved=of, **_UNANSWERED))
        if again.answer is None or again.answer.abstained:
            return replace(turn, calls=again.calls, timings=again.timings)
        if named:
            return replace(turn, found_in=(newest,), calls=again.calls, timings=again.timings)
        lead = gettext(
            "{latest} does not document this. From {newest}:", latest=latest, newest=newest
        )
        led = _led(lead, again.answer)
        refusal = turn.answer.refusal if turn.answer else ""
        return replace(again, answer=replace(led, refusal=refusal))

    return answer


_UNANSWERED: dict[str, Any] = {
    name: getattr(Turn(""), name)
    for name in (
        *("phrased", "recollection", "retrieved", "reduced", "selected"),
        *("unmentioned", "temperature", "refusal", "answer", "nearest"),
    )
}


def _with_target(turn: Turn) -> Turn:
    """The turn whose answer says why it is from this one of the releases that are named."""
    resolution, answer = turn.resolved, turn.answer
    if not (resolution and answer) or resolution.reason not in (Reason.TARGET, Reason.CONTEXT):
        return turn
    if answer.abstained or turn.route is Route.INVENTORY:
        return turn
    lead = f"{resolution.explanation}:"
    if resolution.reason is Reason.TARGET:
        lead = gettext("For {release}, your target release:", release=turn.target[1])
    return replace(turn, answer=_led(lead, answer))


def _led(lead: str, answer: Answer) -> Answer:
    """The answer behind a lead, on a line of its own where it has several."""
    gap = "\n\n" if "\n" in answer.text else " "
    value = f"{lead} {answer.value}" if answer.value else ""
    return replace(answer, text=f"{lead}{gap}{answer.text}", value=value)


def find_other_releases(
    retrieve: RuleStep,
    search: Sequence[RuleStep],
    open_corpus: OpenCorpus,
    releases: Releases,
    *,
    most: int = 8,
) -> tuple[RuleStep, Callable[[Turn], str | None]]:
    """Steps for an unanswered turn: its nearest pages, and the releases that have an answer.

    `retrieve` finds the pages where the turn was refused before. Where the gate does not know of
    the releases, the newest `most` of the others are asked; `search` are the steps from the
    queries to the pages. A release counts if a passage of it holds nearly all words of the
    question, and more of them than any of the release that was asked. The other function gives
    the one with most of them, if that is more than the release that was asked has.
    """

    def find(turn: Turn) -> Turn:
        if not _is_unanswered(turn):
            return turn
        turn = turn if turn.retrieved else retrieve(turn)
        documented_in = turn.found_in
        # What is unmentioned stands in no release.
        if not documented_in and not turn.unmentioned:
            own = coverage_in(turn, turn.target[1])
            others = _others(turn, releases)[:most]
            documented_in = tuple(r for r in others if own < coverage_in(turn, r) >= MIN_COVERAGE)
        return replace(turn, nearest=nearest_pages(turn), found_in=documented_in)

    def coverage_in(turn: Turn, release: str) -> float:
        side = _searched(turn, release, search)
        if side.answer is not None or side.unmentioned:
            return 0.0
        return _best_coverage(side, open_corpus(*side.target))

    def best_guess(turn: Turn) -> str | None:
        shares = {release: coverage_in(turn, release) for release in _others(turn, releases)[:most]}
        best = max(shares, key=lambda release: shares[release], default=None)
        least = max(MIN_COVERAGE_TO_TRY, coverage_in(turn, turn.target[1]))
        return best if best and shares[best] > least else None

    return find, best_guess


def nearest_pages(turn: Turn) -> tuple[Citation, ...]:
    """The pages that retrieval scored highest, each once, without quoted words."""
    _, release = turn.target
    ranked = sorted(turn.retrieved, key=lambda chunk: -chunk.score)
    pages = {chunk.page.id: chunk.page for chunk in ranked}
    return tuple(
        cite_words(page, "", page.heading_path, page.anchor, release)
        for page in list(pages.values())[:MAX_NEAREST_PAGES]
    )


def _is_unanswered(turn: Turn) -> bool:
    """Whether one release was searched and has no answer."""
    return (
        turn.answer is not None
        and turn.answer.abstained
        and turn.route is Route.DOCUMENTS
        and turn.phrased is not None
        and turn.resolved is not None
        and len(turn.resolved.releases) == 1
    )


def _others(turn: Turn, releases: Callable[[str], Sequence[str]]) -> list[str]:
    """The other releases of the product, the newest first."""
    product, own = turn.target
    return [release for release in reversed(releases(product)) if release != own]


def _searched(turn: Turn, release: str, search: Sequence[RuleStep]) -> Turn:
    """The same question to another release, as if nobody had named one, after some steps."""
    queries = turn.queries
    bare = queries.versionless or queries.filtered
    side = Turn(
        turn.question,
        product=turn.product,
        resolved=replace(turn.resolution, releases=(release,), mentions=()),
        phrased=Queries(queries.subject, bare, None, queries.subject, queries.known),
    )
    return reduce(lambda side, step: step(side), search, side)


def _best_coverage(turn: Turn, corpus: Corpus) -> float:
    """The best coverage of the question by a retrieved record, 0 to 1.

    A word that the release does not know counts as rare.
    """
    terms = {*search_terms(turn.queries.subject, "", corpus)}
    weights = {token: corpus.idf(token) for token in terms}
    candidates = (record for chunk in turn.retrieved for record in records(chunk.page))
    held_by = (" ".join((r.reading, *r.path, r.page.document.title)) for r in candidates)
    texts = (set(corpus.terms(text)) for text in held_by)
    held = (sum(weights[token] for token in terms & text) for text in texts)
    return max(held, default=0.0) / (sum(weights.values()) or 1.0)
