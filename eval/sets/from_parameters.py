"""Questions from what releases state about their parameters, and from what differs there."""

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence

from chatbot.retrieval.support import plain, whole
from chatbot.review.regression_set import patterns_of
from chatbot.text.words import filtered
from corpora.indexing.corpus import Corpus
from corpora.parameters.parameter import (
    DEFAULT,
    DEPRECATED,
    DESCRIPTION,
    RANGE,
    REPLACED,
    SINCE,
    SYNTAX,
    TYPE,
    UNIT,
    Fact,
    Parameter,
    Replacement,
)
from corpora.parameters.releases import Change, Outcome, ReleaseParameters, changes
from eval.gold import Asks, GoldQuestion, QuestionKind
from eval.sets.pages import drafted, stated_on
from eval.sets.proposals import Draft, StatedOn
from eval.sets.wording import in_turn, question_id, unnumbered

_WORDED = {
    DEFAULT: "What is the default of {thing} in {release}?",
    RANGE: "Which values can {thing} have in {release}?",
    TYPE: "Of what type is {thing} in {release}?",
    SYNTAX: "What is the syntax of {thing} in {release}?",
}
_ONE_WORD = "What is the {relation} of {thing} in {release}?"
_OTHER = "What does {release} give as “{relation}” of {thing}?"
_DIFFERS = "How does the {relation} of {thing} differ between {older} and {newer}?"
_NOT_ASKED = {DESCRIPTION, UNIT, SINCE, DEPRECATED, REPLACED}
_LONGEST = 120
"""Characters of a value; what is longer is a text."""
_FEW_WORDS = 3

Stated = tuple[Corpus, ReleaseParameters]
"""A release, and what it states."""


def drafts_of_release(corpus: Corpus, stated: ReleaseParameters) -> Iterator[Draft]:
    """A question for each short value that a release states, its sections in turn."""
    by_owner: defaultdict[str, list[Parameter]] = defaultdict(list)
    for parameter in stated.parameters:
        by_owner[parameter.owner].append(parameter)
    yield from in_turn(
        *(
            (draft for p in parameters for draft in _of_parameter(corpus, stated, p))
            for parameters in by_owner.values()
        )
    )


def drafts_of_changes(older: Stated, newer: Stated) -> Iterator[Draft]:
    """Questions on what is changed, new and gone from one release to the other, in turn.

    What is new is also asked of the older release and what is gone of the newer one, where the
    right answer is that it is not documented.
    """
    differing = changes(older[1], newer[1])
    changed = (d for c in differing for d in _of_changed(older, newer, c))
    new = (d for c in differing for d in _of_new(older, newer, c))
    gone = (d for c in differing if c.outcome is Outcome.GONE for d in _absent(older, newer, c))
    yield from in_turn(changed, new, gone)


def _of_parameter(
    corpus: Corpus, stated: ReleaseParameters, parameter: Parameter, came_from: str = ""
) -> Iterator[Draft]:
    for relation in dict.fromkeys(fact.relation for fact in parameter.facts):
        value = parameter.value(relation)
        if relation in _NOT_ASKED or not value or len(value) > _LONGEST:
            continue
        question = _asked(relation, _thing(parameter, stated), corpus.release)
        if plain(value) == plain(parameter.name):
            continue
        pages = _pages(corpus, parameter, relation)
        origin = came_from or f"a parameter of {corpus.release}"
        yield _of_value(corpus, question, value, pages, origin)


def _of_new(older: Stated, newer: Stated, change: Change) -> Iterator[Draft]:
    if change.outcome is Outcome.NEW and change.after:
        yield from _absent(newer, older, change)
        yield from _of_parameter(*newer, change.after, f"new in {newer[0].release}")


def _of_changed(older: Stated, newer: Stated, change: Change) -> Iterator[Draft]:
    (old, _), (new, stated) = older, newer
    before, after = change.before, change.after
    if not (before and after):
        return
    for difference in change.differences:
        was, now, relation = difference.before, difference.after, difference.relation
        if relation in _NOT_ASKED or not (was and now) or max(len(was), len(now)) > _LONGEST:
            continue
        came_from = f"changed from {old.release} to {new.release}"
        thing, here = _thing(after, stated), _pages(new, after, relation)
        asked = _asked(relation, thing, new.release)
        yield _of_value(new, asked, now, here, came_from)
        pages = (*_pages(old, before, relation), *here)
        question = _DIFFERS.format(
            relation=_noun(relation), thing=thing, older=old.release, newer=new.release
        )
        answer = f"{old.release}: {was}. {new.release}: {now}."
        patterns = tuple(dict.fromkeys((*_patterns(was), *_patterns(now))))
        yield drafted(new, question, answer, pages, came_from, patterns=patterns, older=old.release)


def _absent(there: Stated, missing: Stated, change: Change) -> Iterator[Draft]:
    """A question that a release cannot answer, on the page where the other one documents it."""
    corpus, stated = there
    parameter, release = change.shown, missing[0].release
    relations = (f.relation for f in parameter.facts if f.relation in _WORDED)
    if (relation := next(relations, None)) is None:
        return
    pages = [_page(corpus, parameter)]
    said = f"{release} does not document {parameter.name}; {corpus.release} does."
    if by := change.replaced_by:
        said = f"{release} does not document {parameter.name}: {by.new} takes its place."
        pages.append(_page(missing[0], by))
    question = _asked(relation, _thing(parameter, stated), release)
    gold = GoldQuestion(
        id=question_id(corpus.product, release, question),
        product=corpus.product,
        question=question,
        kind=QuestionKind.UNANSWERABLE,
        gold_answer=said,
        release=release,
    )
    outcome = "gone from" if change.outcome is Outcome.GONE else "not yet in"
    yield Draft(gold, f"{outcome} {release}", tuple(pages))


def _of_value(
    corpus: Corpus, question: str, value: str, pages: Sequence[StatedOn], came_from: str
) -> Draft:
    patterns = _patterns(value)
    return drafted(corpus, question, value, pages, came_from, asks=Asks.VALUE, patterns=patterns)


def _asked(relation: str, thing: str, release: str) -> str:
    # "What is the ports of" would be wrong, and so would "What are the status of".
    is_single = relation.isalpha() and not relation.endswith("s")
    form = _WORDED.get(relation) or (_ONE_WORD if is_single else _OTHER)
    return form.format(relation=relation, thing=thing, release=release)


def _noun(relation: str) -> str:
    return relation if relation in _WORDED or relation.isalpha() else f"“{relation}”"


def _thing(parameter: Parameter, stated: ReleaseParameters) -> str:
    """A parameter by its kind and name, and by what it belongs to where others have that name."""
    name = f"the {parameter.kind} {parameter.name}" if parameter.kind.isalpha() else parameter.name
    alone = len(stated.named(parameter.name)) < 2
    return name if alone or not parameter.owner else f"{name} (“{unnumbered(parameter.owner)}”)"


def _patterns(value: str) -> list[str]:
    """Those of the figures and names of a value; of short values in words each of them.

    None of "on", "off" and the like, which stand in any sentence.
    """
    if found := patterns_of(value):
        return found
    parts = [part.strip() for part in re.split(r"[,;|]", value) if part.strip()]
    short = all(len(part.split()) <= _FEW_WORDS and filtered(part) for part in parts)
    return [whole(part).pattern for part in parts] if short else []


def _pages(corpus: Corpus, parameter: Parameter, relation: str) -> tuple[StatedOn, ...]:
    """Where a value stands, with its unit where that stands elsewhere."""
    facts = (fact for name in (relation, UNIT) if (fact := parameter.fact(name)))
    return tuple(dict.fromkeys(_page(corpus, fact) for fact in facts))


def _page(corpus: Corpus, stated: Fact | Parameter | Replacement) -> StatedOn:
    place = stated.place
    page = corpus.page(place.page_id)
    return stated_on(page, corpus.release, stated.quote, (place.section,), place.anchor)
