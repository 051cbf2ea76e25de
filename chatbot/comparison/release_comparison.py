"""The same question to several releases, one below the other (design, law 2)."""

from collections.abc import Callable, Sequence
from dataclasses import replace

from chatbot.comparison.computed import computed_answer
from chatbot.comparison.presence import Finding, find_everywhere, presence_in_words
from chatbot.comparison.sides import compared_topic, own_questions, side_of, with_sides
from chatbot.comparison.topic import asks_where
from chatbot.comparison.values import names_in, parameters_named, stated_values, stating_value
from chatbot.comparison.wording import in_each, joined
from chatbot.releases.resolution import ReleaseStatus
from chatbot.runtime.concurrency import in_thread, together
from chatbot.text.languages import gettext, shown_list
from chatbot.text.question_language import is_foreign
from chatbot.text.words import things_named
from chatbot.turn import Answer, ModelStep, Turn
from corpora.indexing.corpus import Corpus
from corpora.parameters.releases import OpenParameters, ReleaseParameters

OpenCorpus = Callable[[str, str], Corpus]


def compare_releases(
    gather: ModelStep,
    write: ModelStep,
    open_corpus: OpenCorpus,
    open_parameters: OpenParameters,
    releases: Callable[[str], Sequence[str]],
) -> ModelStep:
    """A step that answers a comparison: computed, else with each release's answer, oldest first.

    The releases that document a thing and the stated values of parameters are computed. `gather`
    takes a side up to its evidence, `write` from there to its answer. `releases` gives the releases
    of a product, oldest first.
    """

    async def compare(turn: Turn) -> Turn:
        resolution = turn.resolution
        if resolution.status is not ReleaseStatus.COMPARED:
            return turn
        assert resolution.product is not None
        order = await in_thread(releases, resolution.product)
        names = [release for release in order if release in resolution.releases]
        own = await in_thread(own_questions, turn, open_parameters)
        sides = await together(gather(side_of(turn, release, own)) for release in names)
        corpora = await in_thread(lambda: [open_corpus(*side.target) for side in sides])
        topic = compared_topic(sides)
        parameters = await in_thread(lambda: [open_parameters(*side.target) for side in sides])
        if is_foreign(turn.question, corpora[-1].languages):
            # The other words say nothing to these documents.
            topic = await in_thread(names_in, topic, parameters) or topic
        if own:
            return await _each_its_own(turn, sides, parameters, write)
        if asks_where(turn.question):
            if not topic:
                return with_sides(turn, sides, _nothing_named(names))
            if answers := await in_thread(stating_value, topic, parameters):
                told = [of or Answer(gettext("nothing found."), abstained=True) for of in answers]
                bare = [replace(side, answer=None) for side in sides]
                return with_sides(turn, bare, in_each(names, told))
            things = [word for word in topic.split() if things_named(word)]
            stated = await in_thread(parameters_named, topic, parameters)
            for thing in (*stated, topic, *things):
                findings = await in_thread(find_everywhere, thing, corpora)
                if things[-1:] == [thing] or any(f.citation or f.note for f in findings):
                    return await _where(turn, sides, thing, findings, parameters, write)
        computed = await in_thread(computed_answer, topic, corpora, parameters)
        if computed is not None:
            return with_sides(turn, [replace(side, answer=None) for side in sides], computed)
        if not topic:
            newest = await write(sides[-1])
            answered = [*(replace(side, answer=None) for side in sides[:-1]), newest]
            answer = newest.answer
            if answer is None or answer.abstained:
                answer = _nothing_named(names)
            return with_sides(turn, answered, answer)
        answered = [await write(side) for side in sides]
        return with_sides(turn, answered, _below_each_other(answered))

    return compare


async def _each_its_own(
    turn: Turn,
    sides: Sequence[Turn],
    parameters: Sequence[ReleaseParameters],
    write: ModelStep,
) -> Turn:
    """The answer to each release's own question: the stated value of a parameter, else written."""
    answered: list[Turn] = []
    for side, of in zip(sides, parameters, strict=True):
        topic = compared_topic([side])
        stated = await in_thread(stated_values, topic, [of]) if topic else None
        answered.append(replace(side, answer=stated[0]) if stated else await write(side))
    return with_sides(turn, answered, _below_each_other(answered, apart=True))


async def _where(
    turn: Turn,
    sides: Sequence[Turn],
    thing: str,
    findings: Sequence[Finding],
    parameters: Sequence[ReleaseParameters],
    write: ModelStep,
) -> Turn:
    """The releases that document a thing, with the answers of the first and the last of them.

    Of a release that the question names as well, what it states: "since when, and what in 2.0?".
    """
    named = {m.release for m in turn.resolution.mentions if m.release and m.release in m.text}
    there = [finding.citation is not None for finding in findings]
    answered: list[Turn] = []
    parts = [("", presence_in_words(thing, findings))]
    for i, (side, finding) in enumerate(zip(sides, findings, strict=True)):
        is_edge = there[i] and not all(there[max(i - 1, 0) : i + 2])
        written = await write(side) if is_edge and side.answer is None else side
        answer = written.answer
        if is_edge and answer and not answer.abstained and not answer.unwritten:
            parts.append((f"**{finding.release}:**", answer))
        elif there[i] and finding.release in named:
            stated = await in_thread(stated_values, thing, parameters[i : i + 1])
            parts += [(f"**{finding.release}:**", of) for of in stated or ()]
        answered.append(replace(written, documented=finding.status, answer=None))
    return with_sides(turn, answered, joined(parts))


def _below_each_other(sides: Sequence[Turn], *, apart: bool = False) -> Answer:
    answers = []
    for side in sides:
        answer = side.answer
        is_told = answer is not None and not answer.abstained
        answers.append(
            answer if answer and is_told else Answer(gettext("nothing found."), abstained=True)
        )
    releases = [side.target[1] for side in sides]
    if all(answer.abstained for answer in answers):
        text = gettext(
            "I couldn't find this in the documentation of {releases}.",
            releases=shown_list(releases, choice=True),
        )
        return Answer(text, abstained=True)
    if apart:
        return joined([(f"**{r}:**", a) for r, a in zip(releases, answers, strict=True)])
    return in_each(releases, _without_common_items(answers))


def _without_common_items(answers: Sequence[Answer]) -> list[Answer]:
    """The answers without the items of their lists that stand alike in all."""
    items = [{x for x in a.text.split("\n") if x.startswith("- ")} for a in answers]
    common = set.intersection(*items)
    if len(set(map(frozenset, items))) == 1 or any("```" in a.text for a in answers):
        return list(answers)
    left = [[x for x in answer.text.split("\n") if x not in common] for answer in answers]
    note = [f"- {gettext('the rest is the same in all')}"] if common else []
    return [replace(a, text="\n".join([*x, *note])) for a, x in zip(answers, left, strict=True)]


def _nothing_named(releases: Sequence[str]) -> Answer:
    """The question back which thing is to be compared."""
    text = gettext(
        "I can't tell what to look for in {releases}: ask again with the name of a thing, "
        "and I compare the pages on it.",
        releases=shown_list(releases),
    )
    return Answer(text, abstained=True)
