"""Step 5 of QAMR III-B: a written lead, and a body composed letter for letter from the passages."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import islice

from langchain_core.language_models import BaseChatModel

from chatbot.answering.body import (
    FEW_WORDS,
    Part,
    compose,
    paragraphs,
    shortened,
    table_of,
    told_in_prose,
)
from chatbot.answering.lead import (
    Sentence,
    adds_to,
    check,
    to_the_point,
    with_verdict,
)
from chatbot.answering.lead_prompt import UNKNOWN, lead_prompt
from chatbot.answering.undocumented_gate import nothing_found, refusal
from chatbot.memory.pairs import Origin
from chatbot.memory.prompting import REJECTED, is_rejected, repeats, route_of
from chatbot.retrieval.forms import (
    ASKS_DEFAULT,
    in_words,
    read_rows,
    read_value,
)
from chatbot.retrieval.kinds import FORMS, Kind, without_opening
from chatbot.retrieval.passages import Passage, best_passages, continued, short_section
from chatbot.retrieval.provenance import cite, cite_words, names, says_unknown
from chatbot.retrieval.records import sentences
from chatbot.retrieval.release_of_text import OtherReleases, other_releases, said_of
from chatbot.runtime.model_calls import call
from chatbot.text.citation_markers import with_marks_as_code, without_marks
from chatbot.text.phrasing import listed
from chatbot.text.sanitizer import as_words, harmless
from chatbot.turn import Answer, Citation, ModelStep, Record, Turn
from corpora.catalog.release import Product
from corpora.indexing.corpus import Corpus
from corpora.indexing.lexical import identifiers, tokens
from ingestion.page import BlockKind

STEP = "answer_generation"
WORDED = (Kind.YES_NO, Kind.EXPLANATION, Kind.DEFINITION)
"""Kinds whose lead the best paragraphs follow: a small model leaves the reason out."""
_MORE = re.compile(
    r"\band (?:what|how|why|when|where|which|does|do|is|are|can)\b|\?.*\?", re.I | re.S
)
"""A second question behind the first."""
_EXPLAINED = re.compile(r" \([^()]*\)")
"""What the glossary put behind a term of the question, which an answer does not repeat."""
_VERDICT = re.compile(r"\W*(?:yes|no)\b", re.I)
DOUBTED = 0.18
"""How likely it may be that the model says so, for it to be asked for an answer all the same."""
UNSURE, DOUBTFUL = 0.05, 0.16
"""Its likelihood from which no passage is shown where nothing is borne: of a value, of others."""
MOST_OUTSIDE = 3
"""Statements of others than the documentation that are told beside an answer."""
NO_MODEL = "No language model is set up: this is the best passage."
TOO_LONG = "The question is too long for the language model: this is the best passage."
REMOVED = "A sentence was removed or replaced: the documentation does not say it."


def generate_answer(
    model: BaseChatModel | None,
    open_corpus: Callable[[str, str], Corpus],
    products: Callable[[], Sequence[Product]],
    *,
    budget: int,
    max_tokens: int,
    same: float,
) -> ModelStep:
    """Answer from the selected records only, by the passages that they stand in.

    A value that stands in a form is read without a model; else the model writes a lead of one to
    three sentences from `budget` characters of the passages. Each sentence is checked and goes if
    nothing bears it; where none is left, or there is no model, the best passage leads, introduced
    in a plain sentence. A lead that people rejected as the answer to a question whose cosine to
    this one is at least `same` is not given again.
    """

    async def generate(turn: Turn) -> Turn:
        assert turn.queries is not None
        prompt = lead_prompt(turn, budget)
        if prompt is None:
            return replace(turn, answer=nothing_found(turn))
        subject, passages, scored = prompt.subject, prompt.passages, prompt.scored
        kind, shown = prompt.kind, prompt.shown
        corpus = open_corpus(*turn.asked)
        known = products()
        draft = _Draft(turn, kind, passages, scored, corpus, known)
        two_questions = _MORE.search(without_opening(subject)) is not None
        read = None if two_questions and model is not None else _read(draft)
        if read is not None:
            return replace(turn, answer=_accepted(draft, draft.written([read]), same))
        if model is None:
            return replace(turn, answer=replace(draft.unwritten(), warnings=(NO_MODEL,)))
        chosen = {} if turn.temperature is None else {"temperature": turn.temperature}
        made = await call(
            model,
            prompt.messages,
            step=STEP,
            shown=True,
            unless=(UNKNOWN, DOUBTED),
            max_tokens=max_tokens,
            **chosen,
        )
        turn = replace(turn, calls=(*turn.calls, made), route=route_of(turn))
        if made.problem:
            return replace(turn, answer=replace(draft.unwritten(), warnings=(TOO_LONG,)))
        reply = made.reply
        if made.completion_tokens >= max_tokens:
            # It was cut off, so that its last sentence is not whole.
            reply = " ".join(sentences(reply)[:-1])
        draft.turn = turn
        if "```" in reply and kind not in FORMS:
            # Code that the model writes is left out: it is copied from the page as steps are.
            draft.kind = Kind.STEPS
        if kind is Kind.VALUE and _VERDICT.match(reply):
            # "Is" may be left out: "retries still on in 2.0?" is a question all the same.
            draft.kind = Kind.YES_NO
        answer = _checked(draft, reply, shown)
        return replace(turn, answer=_accepted(draft, answer, same))

    return generate


def _read(draft: _Draft) -> Sentence | None:
    """What a reader takes from a form: a value, what is gone, or the rows of a table."""
    one = draft.kind in (Kind.VALUE, Kind.DEFINITION, Kind.CHANGE)
    one = one or (draft.kind is Kind.LIST and ASKS_DEFAULT.search(draft.subject) is not None)
    if one and (value := read_value(draft.subject, draft.scored)):
        return Sentence(value.sentence, best_passages([value.record])[0], value.record)
    if draft.kind is Kind.TABLE and (table := table_of(draft.passages)) is not None:
        rows, sentence = read_rows(draft.subject, continued(table, draft.corpus.page))
        return Sentence(sentence, table, rows[0]) if rows else None
    return None


def _checked(draft: _Draft, reply: str, shown: Sequence[Passage]) -> Answer:
    """What the model replied, as far as the passages bear it."""
    turn = draft.turn
    assert turn.queries is not None
    pages = "\n".join(passage.page.text for passage in shown)
    text = harmless(reply, evidence=pages)
    for explained in _EXPLAINED.findall(turn.queries.base):
        if explained not in turn.question:
            text = text.replace(explained, "")
    bare = without_marks(text).strip()
    if says_unknown(bare):
        return refusal(turn)
    own = f"{turn.question} {turn.queries.base} {' '.join(turn.asked)}"
    relations = turn.recollection.relations if turn.recollection else ()
    outside = [relation for relation in relations if relation.source]
    said = check(text, shown, draft.scored, own, outside)
    kept = [sentence for sentence in said if sentence.passage is not None]
    words = 2 if draft.kind is Kind.EXPLANATION else 1
    # A verdict may repeat the question, what follows it may not.
    verdict = kept[:1] if draft.kind is Kind.YES_NO else []
    others = kept[len(verdict) :]
    kept = verdict + [sentence for sentence in others if adds_to(own, sentence.text, words)]
    if draft.kind not in (Kind.STEPS, Kind.YES_NO):
        # A step and a verdict need no word of the question.
        pointed = to_the_point(kept, draft.subject)
        said = [sentence for sentence in said if sentence in pointed or sentence not in kept]
        kept = pointed
    coined = all(name.isalpha() and name.islower() for name in turn.unmentioned)
    if not kept and turn.unmentioned and not coined:
        return replace(refusal(turn), warnings=(REMOVED,))
    invented = draft.kind is Kind.STEPS and any(
        not draft.corpus.frequency(tokens(name)[0]) for name in identifiers(bare)
    )
    unsure = turn.calls[-1].doubt >= (UNSURE if draft.kind is Kind.VALUE else DOUBTFUL)
    if not kept and (invented or unsure):
        # What the model made up is no reason to show passages that speak of something else.
        return replace(nothing_found(turn), warnings=(REMOVED,))
    if draft.kind is Kind.YES_NO:
        kept = with_verdict(kept, draft.subject)
    if kept and draft.kind is Kind.STEPS:
        asked = set(tokens(own))
        draft.follow(max(kept, key=lambda said: len(set(tokens(said.text)) - asked)))
    answer = draft.written(kept) if kept else draft.unwritten()
    told = (r.attributed for r in outside if names(f"{own} {bare}", r.head, r.tail))
    answer = replace(answer, outside=tuple(islice(told, MOST_OUTSIDE)))
    stays = answer.value.casefold()
    unborne = any(sentence.passage is None for sentence in said)
    gone = any(s.text.rstrip(".").casefold() not in stays for s in said)
    return replace(answer, warnings=(REMOVED,)) if unborne or gone else answer


def _accepted(draft: _Draft, answer: Answer, same: float) -> Answer:
    if not is_rejected(draft.turn, answer.value, same):
        return answer
    rest = replace(draft.unwritten(), warnings=(REJECTED,))
    # What was rejected stands under no notice that it is not given again.
    bad = draft.turn.recollection.bad if draft.turn.recollection else ()
    rejected = [pair for pair in bad if pair.origin != Origin.MEASURED]
    repeated = any(repeats(rest, pair) for pair in rejected)
    return replace(nothing_found(draft.turn), warnings=(REJECTED,)) if repeated else rest


@dataclass
class _Draft:
    """An answer on its way: its lead gets marks, its body follows, both share the citations."""

    turn: Turn
    kind: Kind
    passages: Sequence[Passage]
    scored: Sequence[Record]
    corpus: Corpus
    products: Sequence[Product]
    _citations: list[Citation] = field(default_factory=list)
    _numbers: dict[tuple[int, int], int] = field(default_factory=dict)

    @property
    def subject(self) -> str:
        assert self.turn.queries is not None
        return self.turn.queries.subject

    @cached_property
    def best(self) -> Sentence:
        """The best record of the best passage as a sentence; of a listing what explains it."""
        scores = {r.place: r.score for r in self.scored}
        passage = self.passages[0]
        worded = [r for r in passage.records if r.kind != BlockKind.CODE] or passage.records
        record = max(worded, key=lambda r: scores.get(r.place, 0.0))
        return Sentence(in_words(record), passage, record)

    @cached_property
    def _parts(self) -> tuple[Part, ...]:
        parts = compose(self.kind, self.passages, self.subject, self.corpus.page)
        return tuple(shortened(part, self.scored) for part in parts)

    @cached_property
    def _others(self) -> OtherReleases:
        return other_releases(self.turn, self.products)

    def _of_its_release(self, sentence: Sentence) -> Sentence:
        assert sentence.record is not None
        others = self._others(sentence.record)
        text = said_of(others, sentence.text, sentence.record, self.turn, self.products)
        return replace(sentence, text=text)

    def follow(self, lead: Sentence) -> None:
        """Let the body come from the section that the lead was written from."""
        assert lead.passage is not None
        best = self.passages[0].score
        first = [p for p in self.passages if p.place == lead.passage.place]
        rest = [p for p in self.passages if p.place != lead.passage.place]
        self.passages = [*(replace(p, score=best) for p in first), *rest]

    def written(self, said: Sequence[Sentence]) -> Answer:
        """The sentences of a lead, each with the mark of what bears it, and the body."""
        in_body = {passage.place for part in self._parts for passage in part.passages}
        marked = []
        said = list(dict.fromkeys(map(self._of_its_release, said)))
        for sentence in said:
            assert sentence.passage is not None
            assert sentence.record is not None
            whole = sentence.passage.place in in_body
            mark = self._mark(sentence.passage, sentence.passage if whole else sentence.record)
            ended = sentence.text[-1:] in ".!?:"
            marks = " ".join(dict.fromkeys((mark, *self._marks_of_relations(sentence.text))))
            marked.append(_marked(sentence.text if ended else f"{sentence.text}.", marks))
        value = " ".join(sentence.text for sentence in said)
        by_model = self.kind in WORDED and bool(self.turn.calls)
        prose = told_in_prose(self.passages, self.scored, self.subject, value) if by_model else ()
        parts = prose or self._parts
        text = "\n\n".join((" ".join(marked), *self._body(parts)))
        return Answer(text, False, tuple(self._citations), value)

    def unwritten(self) -> Answer:
        """The best passage under a plain sentence, where nothing could be written about it.

        A row of a table is a sentence of its own.
        """
        assert self.best.record is not None
        if self.best.record.cells and self.kind is not Kind.STEPS:
            return replace(self.written([self.best]), unwritten=True)
        best = self.passages[0]
        section = short_section(best, FEW_WORDS) or (best,)
        composed = self.kind in (Kind.STEPS, Kind.LIST) and self._parts
        parts = composed or [shortened(Part((p,), p.blocks), self.scored) for p in section]
        heading, release = parts[0].passages[0].heading, self.turn.asked[1]
        others = self._others(self.best.record)
        of = f" of {listed(others)}" if others else ""
        value = f"The {release} documentation says this{of} under “{as_words(heading)}”"
        marks, *body = self._body(parts, introduced=True)
        text = "\n\n".join((f"{value} {marks}:", *body))
        return Answer(text, False, tuple(self._citations), value + ":", unwritten=True)

    def _body(self, parts: Sequence[Part], *, introduced: bool = False) -> list[str]:
        """The parts as Markdown, each with the marks of its passages.

        They stand behind each of its paragraphs, and behind its heading where it begins with a
        list, a table or code; of a part that is `introduced` by a sentence of ours they come
        first, for that sentence.
        """
        shown = []
        for i, part in enumerate(parts):
            marks = " ".join(self._mark(passage, passage) for passage in part.passages)
            written = list(paragraphs(part.blocks))
            others = [self._others(r) for passage in part.passages for r in passage.records]
            if introduced and i == 0:
                shown.append(marks)
            elif not written[0][1] or (others and all(others)):
                heading = with_marks_as_code(as_words(part.passages[0].heading))
                of = f" ({', '.join(others[0])})" if others and all(others) else ""
                shown.append(f"{heading}{of} {marks}:")
            shown += [_marked(text, marks) if prose else text for text, prose in written]
        return shown

    def _marks_of_relations(self, sentence: str) -> Iterator[str]:
        """The marks of what the graph states between things that a sentence names."""
        found = self.turn.recollection
        for relation in found.relations if found and self.turn.calls else ():
            if relation.citation and names(sentence, relation.head, relation.tail):
                if relation.citation not in self._citations:
                    self._citations.append(relation.citation)
                yield f"[{self._citations.index(relation.citation) + 1}]"

    def _mark(self, passage: Passage, borne_by: Passage | Record) -> str:
        """The mark of the citation of a passage, which is made once."""
        if passage.place not in self._numbers:
            release = self.turn.asked[1]
            if isinstance(borne_by, Record):
                citation = cite(borne_by, release)
            else:
                citation = cite_words(
                    passage.page, passage.text, passage.path, passage.anchor, release
                )
            self._citations.append(citation)
            self._numbers[passage.place] = len(self._citations)
        return f"[{self._numbers[passage.place]}]"


def _marked(text: str, marks: str) -> str:
    """A paragraph with its marks before the stop."""
    stop = text[-1:] if text[-1:] in ".:!?" else ""
    return f"{text.removesuffix(stop)} {marks}{stop}"
