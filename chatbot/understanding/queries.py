"""The queries of a question (QAMR III-B, step 1): rewritten, spelt right, with synonyms."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import cache, partial
from string import ascii_lowercase

from chatbot.releases.release_choice import SENTENCE
from chatbot.releases.resolution import Mention, Reason, Resolution, bare_part, cut
from chatbot.releases.rules import resolve_release
from chatbot.runtime.concurrency import end_if_left
from chatbot.text.words import FUNCTION_WORDS, filtered, things_named, words_of
from chatbot.turn import Queries, RuleStep, Turn
from chatbot.understanding.clarification import with_release
from chatbot.understanding.follow_ups import (
    Rows,
    adds_nothing,
    context_of_follow_up,
    is_follow_up,
    rows_with,
)
from chatbot.understanding.glossary import Term, documents, places, terms_in
from corpora.catalog.glossary import Entry
from corpora.catalog.languages import ENGLISH
from corpora.catalog.release import Product
from corpora.database.read_once import once
from corpora.indexing.corpus import Corpus
from corpora.indexing.lexical import UNSPACED_RUN

_WORD = re.compile(r"(?<![\w.\-/])[^\W\dA-Z_]{4,60}(?![\w\-/]|\.\w)")
_FEW = 3
"""The most words, beside stop words, of a sentence that only names the release."""
_MOST_SYNONYMS = 3
"""The most synonyms of one term; more of them drown the rest of a query."""


def rewrite_query(
    products: Callable[[], Sequence[Product]],
    open_corpus: Callable[[str, str], Corpus | None],
) -> RuleStep:
    """Make standalone queries from the question and the conversation; keep those that were read.

    Base takes over the topic of the last standalone question, without its release, and with the
    thing that a follow-up names anew in the place of the old one; Filtered drops stop words and
    keeps identifiers; Versionless drops the release, too.
    """

    def rewrite(turn: Turn) -> Turn:
        if turn.rewritten is not None:
            return replace(turn, phrased=turn.rewritten)
        resolution, known = turn.resolution, products()

        def without_release(text: str) -> str:
            return cut(text, resolve_release(text, known, product=resolution.product).mentions)

        def rows_about(words: Sequence[str]) -> Rows:
            named = resolution.releases
            corpus = open_corpus(resolution.product or "", named[-1]) if named else None
            return rows_with(corpus, words) if corpus else {}

        beside = _beside_question(turn.question, resolution)
        question = cut(turn.question, beside) if beside else turn.question
        bare = cut(turn.question, [*resolution.own_mentions, *beside])
        topic, reply_words = context_of_follow_up(bare, turn.history, without_release, rows_about)
        context = "; ".join(part for part in (topic, reply_words) if part)
        base = f"{question} ({context})" if context else question
        subject = f"{bare} {topic}".strip()
        if topic and len(resolution.releases) == 1 and adds_nothing(bare, topic):
            # "And in 2.0?" is the question before, asked of this release.
            named = resolution.releases if resolution.own_mentions else ()
            base = with_release(topic, (), named, resolution.product) if named else topic
            subject = topic
        versionless = filtered(f"{subject} {reply_words}") if resolution.mentions else None
        return replace(
            turn,
            phrased=Queries(
                base, filtered(base), versionless or None, subject, reply_words, topic=topic
            ),
        )

    return rewrite


def _beside_question(question: str, resolution: Resolution) -> list[Mention]:
    """The sentences that only say what release a question beside them is about: "We run 2.1."

    Such a one has a few words and no name, or is about another release and said to be context; and
    the question does not go on from it.
    """
    parts = [part.span() for part in SENTENCE.finditer(question)]
    bare = {span: bare_part(question, *span, resolution.mentions) for span in parts}
    asking = [span for span in parts if question[slice(*span)].endswith("?")]
    if len(asking) != 1 or (is_follow_up(of := bare[asking[0]]) and not things_named(of)):
        return []

    def is_beside(start: int, end: int) -> bool:
        text = bare[start, end]
        named = {m.release for m in resolution.mentions if start <= m.start < end}
        if (start, end) in asking or not named:
            return False
        if resolution.reason is Reason.CONTEXT and named.isdisjoint(resolution.releases):
            return True
        is_short = len({*words_of(text.casefold())} - FUNCTION_WORDS) <= _FEW
        return is_short and not things_named(text)

    return [Mention(s, e, question[s:e]) for s, e in parts if is_beside(s, e)]


def ask_as_is(turn: Turn) -> Turn:
    """Make the question, as it stands, the only query (QAMR IV-C)."""
    question = turn.question
    return replace(turn, phrased=Queries(question, question, None, subject=question))


def only_base(rewrite: RuleStep) -> RuleStep:
    """The one rewritten query of the paper's baseline (QAMR IV-C)."""

    def rewrite_to_base(turn: Turn) -> Turn:
        queries = rewrite(turn).queries
        return replace(turn, phrased=replace(queries, filtered=queries.base, versionless=None))

    return rewrite_to_base


def correct_spelling(
    open_corpus: Callable[[str, str], Corpus],
    releases: Callable[[str], Sequence[str]],
    is_ordinary_word: Callable[[str], bool],
) -> RuleStep:
    """A step that replaces a word neither of English nor of a release by the release's nearest.

    An everyday word goes before a name. Names stay as typed, and so do Base, which the model reads,
    and the words of a question to documents in another language. Words of a script that the release
    does not use are left out where others are left.
    """

    def correct(turn: Turn) -> Turn:
        product, release = turn.target
        opened = cache(partial(open_corpus, product))

        # However often a question has a word, it is looked up once.
        @cache
        def right(word: str) -> str:
            end_if_left()
            here = opened(release)
            everywhere = (opened(name) for name in releases(product))
            if (
                # Which words of another language are ordinary, nothing says.
                here.languages != (ENGLISH,)
                or is_ordinary_word(word)
                or any(corpus.frequency(word) for corpus in everywhere)
            ):
                return word
            used = filter(here.frequency, filter(is_ordinary_word, _one_edit_away(word)))
            return next(iter((*used, *here.similar(word))), word)

        def corrected(text: str) -> str:
            return _WORD.sub(lambda match: right(match[0]), text)

        def in_its_scripts(text: str) -> str:
            def known(run: re.Match[str]) -> str:
                return run[0] if any(map(here.frequency, here.terms(run[0]))) else " "

            here = opened(release)
            kept = UNSPACED_RUN.sub(known, text)
            return kept if words_of(kept) else text

        original = turn.queries
        queries = replace(
            original,
            subject=corrected(in_its_scripts(original.subject)),
            asked=corrected(original.subject),
            filtered=corrected(in_its_scripts(original.filtered)),
            versionless=original.versionless and corrected(in_its_scripts(original.versionless)),
        )
        return replace(turn, phrased=queries)

    return correct


def expand_terms(
    glossary: Callable[[str], Sequence[Entry]],
    open_corpus: Callable[[str, str], Corpus],
    is_ordinary_word: Callable[[str], bool],
) -> RuleStep:
    """Put synonyms of the glossary that the release has into the queries (QAMR, lesson 2).

    Base explains a term, as in "PM (performance monitoring)"; Filtered and Versionless end with
    its synonyms; in the subject a term that the release lacks is replaced, or noted as lacking.
    """

    def expand(turn: Turn) -> Turn:
        product, release = turn.target
        entries = once(glossary, product)
        if not entries:
            return turn
        corpus, queries = open_corpus(product, release), turn.queries

        # However often a question has a word, the release is asked once.
        def has(wording: str) -> bool:
            return once(documents, corpus, wording)

        def documented(text: str) -> list[Term]:
            return [
                replace(term, synonyms=tuple(filter(has, term.synonyms))[:_MOST_SYNONYMS])
                for term in terms_in(text, entries, is_ordinary_word)
            ]

        terms = terms_in(queries.subject, entries, is_ordinary_word)
        meant = documented(queries.subject)
        added = filtered(" ".join(dict.fromkeys(s for term in meant for s in term.synonyms)))
        return replace(
            turn,
            phrased=replace(
                queries,
                base=_explained(queries.base, documented(queries.base), lambda term: True),
                filtered=f"{queries.filtered} {added}".strip(),
                versionless=queries.versionless and f"{queries.versionless} {added}".strip(),
                subject=_explained(queries.subject, meant, lambda term: has(term.written)),
                lacking=tuple(
                    wordings
                    for term in terms
                    if not any(map(has, wordings := (term.written, *term.synonyms)))
                ),
            ),
        )

    return expand


def _one_edit_away(word: str) -> Iterator[str]:
    for i in range(len(word) + 1):
        before, after = word[:i], word[i:]
        yield before + after[1:2] + after[:1] + after[2:]
        for letter in ("", *ascii_lowercase):
            yield before + letter + after
            yield before + letter + after[1:]


def _explained(text: str, terms: Sequence[Term], stays: Callable[[Term], bool]) -> str:
    """Put synonyms behind every term, or in the place of one that does not stay."""
    for term in reversed(terms):
        if new := [synonym for synonym in term.synonyms if not any(places(text, synonym))]:
            first, *others = [term.written, *new] if stays(term) else new
            words = f"{first} ({', '.join(others)})" if others else first
            text = f"{text[: term.start]}{words}{text[term.end :]}"
    return text
