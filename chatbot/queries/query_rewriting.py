"""Step 1 of QAMR III-B: Base, Filtered and Versionless, as a model has read them or by rules."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import dropwhile

from chatbot.queries.clarification import with_release
from chatbot.releases.resolution import cut
from chatbot.releases.rules import resolve_release
from chatbot.text.words import filtered, word_set, words_of
from chatbot.turn import Queries, RuleStep, Turn
from corpora.catalog.release import Product
from corpora.indexing.lexical import identifiers

_GOES_ON = word_set("and or so ok thanks about")
_POINTS_BACK = word_set("it that this they them then other")
_ASKS = word_set("what how which is")
_LONGEST_TOPIC = 4_000
"""Letters, the nearest first: follow-ups to follow-ups would make it ever longer."""


def rewrite_query(products: Callable[[], Sequence[Product]]) -> RuleStep:
    """Make standalone queries from the question and the conversation; keep those that were read.

    Base takes over what the last standalone question was about, without its release; Filtered
    drops stop words and keeps identifiers; Versionless drops the release, too.
    """

    def rewrite(turn: Turn) -> Turn:
        if turn.rewritten is not None:
            return replace(turn, queries=turn.rewritten)
        resolution, known = turn.resolution, products()
        assert resolution is not None

        def without_release(text: str) -> str:
            return cut(text, resolve_release(text, known, product=resolution.product).mentions)

        bare = cut(turn.question, resolution.own_mentions)
        topic, said = carried_over(bare, turn.history, without_release)
        context = "; ".join(part for part in (topic, said) if part)
        base = f"{turn.question} ({context})" if context else turn.question
        is_moved = resolution.own_mentions and not filtered(bare)
        if topic and len(resolution.releases) == 1 and is_moved:
            # "And in 2.0?" is the question before, asked of this release.
            base = with_release(topic, (), resolution.releases, resolution.product)
        subject = f"{bare} {topic}".strip()
        versionless = filtered(f"{subject} {said}") if resolution.mentions else None
        return replace(
            turn,
            queries=Queries(base, filtered(base), versionless or None, subject, said, topic=topic),
        )

    return rewrite


def ask_as_is(turn: Turn) -> Turn:
    """Make the question, as it stands, the only query (QAMR IV-C)."""
    question = turn.question
    return replace(turn, queries=Queries(question, question, None, subject=question))


def only_base(rewrite: RuleStep) -> RuleStep:
    """The one rewritten query of the paper's baseline (QAMR IV-C)."""

    def rewrite_to_base(turn: Turn) -> Turn:
        queries = rewrite(turn).queries
        assert queries is not None
        return replace(turn, queries=replace(queries, filtered=queries.base, versionless=None))

    return rewrite_to_base


def is_follow_up(bare: str) -> bool:
    """Whether a question, given without its release, leans on the turn before it.

    It points back ("it", "that"), or says little and asks nothing whole.
    """
    words, topic = words_of(bare.lower()), filtered(bare).split()
    said = list(dropwhile(_GOES_ON.__contains__, words))
    if not _POINTS_BACK.isdisjoint(said[:3] if len(topic) > 3 else said):
        return True
    is_whole = len(topic) > 1 or not all(map(str.islower, topic))
    return len(topic) <= 3 and not (is_whole and not _ASKS.isdisjoint(said[:1]))


def carried_over(
    bare: str,
    history: Sequence[tuple[str, str]],
    without_release: Callable[[str], str],
) -> tuple[str, str]:
    """What a follow-up takes over: the questions before it, and the words of the last reply.

    Both are empty for a question that stands on its own. Where both questions name one thing as
    in code, that of the follow-up takes the place of the other, of which nothing is asked now.
    """
    if not history or not is_follow_up(bare):
        return "", ""
    previous, reply = history[-1]
    asked = without_release(previous)
    earlier, _ = carried_over(asked, history[:-1], without_release)
    topic = f"{asked} {earlier}".strip()[:_LONGEST_TOPIC]
    new, old = identifiers(bare), identifiers(asked)
    if len(filtered(bare).split()) == len(new) == len(old) == 1:
        kept = (word for word in asked.split() if old[0] not in word.lower())
        return " ".join(kept), ""
    known = [w for w in filtered(without_release(reply)).split() if not w[0].isdigit()]
    return topic, " ".join(known)[:200]
