"""Step 5 of QAMR III-B for a small model: a written lead, and a body copied from the page."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import islice

from langchain_core.language_models import BaseChatModel

from chatbot.answering.body import Part, compose, paragraphs, shown_whole
from chatbot.answering.lead import VERDICT, Sentence, checked
from chatbot.answering.lead_prompt import UNKNOWN, LeadPrompt, lead_prompt
from chatbot.answering.refusals import nothing_found, refusal
from chatbot.memory.pairs import Origin
from chatbot.memory.prompting import REJECTED, is_rejected, repeats, route_of
from chatbot.retrieval.forms import in_words, rows_asked
from chatbot.retrieval.kinds import Kind
from chatbot.retrieval.passages import Passage
from chatbot.retrieval.provenance import cite, cite_words, names, says_unknown
from chatbot.retrieval.records import sentences
from chatbot.retrieval.release_of_text import OtherReleases, other_releases, said_of
from chatbot.runtime.model_calls import call
from chatbot.text.citation_markers import with_marks_as_code, without_marks
from chatbot.text.phrasing import listed
from chatbot.text.query_terms import filtered
from chatbot.text.sanitizer import as_words, harmless
from chatbot.turn import Answer, Citation, ModelStep, Record, Triplet, Turn
from corpora.catalog.release import Product
from corpora.indexing.corpus import Corpus
from corpora.indexing.lexical import tokens

STEP = "answer_generation"
DOUBTED = 0.18
"""How likely it may be that the model says so, for it to be asked for an answer all the same."""
DOUBTFUL = 0.1
"""Its likelihood from which no passage is shown where nothing it wrote is borne."""
ADDS = 0.34
"""The share of its words that a body has to add to its lead; else it would be said twice."""
MOST_OUTSIDE = 3
"""Statements of others than the documentation that are told beside an answer."""
NO_MODEL = "No language model is set up: this is the best passage."
TOO_LONG = "The question is too long for the language model: this is the best passage."
REMOVED = "A sentence was removed or replaced: the documentation does not say it."


def write_lead_and_body(
    model: BaseChatModel | None,
    open_corpus: Callable[[str, str], Corpus],
    products: Callable[[], Sequence[Product]],
    *,
    budget: int,
    max_tokens: int,
    same: float,
) -> ModelStep:
    """Answer from the selected records only, by the passages that they stand in.

    The model writes a lead of one to three sentences from `budget` characters of the passages.
    Each is held against them, and goes if they do not bear it. Behind it stand steps, a list, a
    table or code, where these are asked for, of the passage that bears the lead. Where no lead is
    left, or there is no model, the best passage is shown as what it is, unless a name of the
    question stands nowhere or the model was in doubt: then it is refused. What people rejected as
    the answer to a question whose cosine to this one is at least `same` is not given again.
    """

    async def write(turn: Turn) -> Turn:
        prompt = lead_prompt(turn, budget)
        if prompt is None:
            return replace(turn, answer=nothing_found(turn))
        draft = _Draft(turn, prompt, open_corpus(*turn.asked), products())
        if model is None:
            return replace(turn, answer=replace(draft.passage(), warnings=(NO_MODEL,)))
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
        draft.turn = turn
        if made.problem:
            return replace(turn, answer=replace(draft.passage(), warnings=(TOO_LONG,)))
        reply = made.reply
        if made.completion_tokens >= max_tokens:
            # It was cut off, so that its last sentence is not whole.
            reply = " ".join(sentences(reply)[:-1])
        return replace(turn, answer=_accepted(draft, _answer(draft, reply), same))

    return write


def _answer(draft: _Draft, reply: str) -> Answer:
    """What the model replied, as far as the passages bear it, and the body."""
    turn = draft.turn
    assert turn.queries is not None
    shown = draft.prompt.shown
    text = harmless(reply, evidence="\n".join(passage.page.text for passage in shown))
    bare = without_marks(text).strip()
    if says_unknown(bare):
        return refusal(turn)
    own = f"{turn.question} {turn.queries.base} {' '.join(turn.asked)}"
    relations = turn.recollection.relations if turn.recollection else ()
    outside = [relation for relation in relations if relation.source]
    lead = checked(text, shown, own, outside)
    if lead.said:
        if "```" in reply or VERDICT.match(bare):
            # What it wrote tells better than the words of the question what was asked for.
            draft.kind = Kind.STEPS if "```" in reply else Kind.YES_NO
        answer = draft.written(lead.said)
    elif turn.unmentioned and not all(n.isalpha() and n.islower() for n in turn.unmentioned):
        answer = refusal(turn)
    elif turn.calls[-1].doubt >= DOUBTFUL:
        # What the model made up is no reason to show passages that speak of something else.
        answer = nothing_found(turn)
    else:
        answer = draft.passage()
    if not answer.abstained:
        answer = replace(answer, outside=_told_by_others(outside, f"{own} {bare}"))
    return answer if lead.is_whole else replace(answer, warnings=(REMOVED,))


def _told_by_others(outside: Sequence[Triplet], said: str) -> tuple[str, ...]:
    told = (r.attributed for r in outside if names(said, r.head, r.tail))
    return tuple(islice(told, MOST_OUTSIDE))


def _accepted(draft: _Draft, answer: Answer, same: float) -> Answer:
    if not is_rejected(draft.turn, answer.value, same):
        return answer
    rest = replace(draft.passage(), warnings=(REJECTED,))
    # What was rejected stands under no notice that it is not given again.
    bad = draft.turn.recollection.bad if draft.turn.recollection else ()
    rejected = [pair for pair in bad if pair.origin != Origin.MEASURED]
    repeated = any(repeats(rest, pair) for pair in rejected)
    return replace(nothing_found(draft.turn), warnings=(REJECTED,)) if repeated else rest


@dataclass
class _Draft:
    """An answer on its way: its lead gets marks, its body follows, both share the citations."""

    turn: Turn
    prompt: LeadPrompt
    corpus: Corpus
    products: Sequence[Product]
    _citations: list[Citation] = field(default_factory=list)
    _numbers: dict[tuple[int, int], int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.kind = self.prompt.kind

    @cached_property
    def _others(self) -> OtherReleases:
        return other_releases(self.turn, self.products)

    def written(self, said: Sequence[Sentence]) -> Answer:
        """The sentences of a lead, each with the marks of what bears it, and the body."""
        said = list(dict.fromkeys(map(self._of_its_release, said)))
        value = " ".join(sentence.text for sentence in said)
        parts = self._body(said[0].borne_by[0][0], value)
        if self._leaves_out_rows(parts, value):
            # A small model names a part of what is asked for; the rows below are all of it.
            shown = self._shown(parts)
            return Answer("\n\n".join(shown), False, tuple(self._citations), shown[0])
        whole = {passage.place for part in parts for passage in part.passages}
        marked = []
        for sentence in said:
            marks = [self._mark(p, p if p.place in whole else r) for p, r in sentence.borne_by]
            marks += self._marks_of_relations(sentence.text)
            ended = sentence.text[-1:] in ".!?:"
            text = sentence.text if ended else f"{sentence.text}."
            marked.append(_marked(text, " ".join(dict.fromkeys(marks))))
        text = "\n\n".join((" ".join(marked), *self._shown(parts)))
        return Answer(text, False, tuple(self._citations), value)

    def passage(self) -> Answer:
        """The best passage under a plain sentence, where nothing could be written about it.

        The rows of a table that are asked for are sentences of their own.
        """
        best = self.prompt.passages[0]
        record = max(best.records, key=self._score)
        rows = rows_asked(self.prompt.subject, [r for r in best.records if r.cells])
        if rows and self.kind not in (Kind.STEPS, Kind.LIST):
            said = [Sentence(in_words(row), ((best, row),)) for row in rows]
            return replace(self.written(said), unwritten=True)
        composed = compose(self.kind, best, self.prompt.subject, self.corpus.page)
        parts = composed or shown_whole(best)
        others = self._others(record)
        of = f" of {listed(others)}" if others else ""
        heading = as_words(parts[0].passages[0].heading)
        value = f"The passage of the {self.turn.asked[1]} documentation that fits best"
        value = f"{value} is{of} under “{heading}”" if of else f"{value} is “{heading}”"
        marks, *body = self._shown(parts, introduced=True)
        text = "\n\n".join((f"{value} {marks}:", *body))
        return Answer(text, False, tuple(self._citations), f"{value}:", unwritten=True)

    def _score(self, record: Record) -> float:
        return next((r.score for r in self.prompt.scored if r.place == record.place), 0.0)

    def _of_its_release(self, sentence: Sentence) -> Sentence:
        record = sentence.borne_by[0][1]
        others = self._others(record)
        text = said_of(others, sentence.text, record, self.turn, self.products)
        return replace(sentence, text=text)

    def _body(self, passage: Passage, lead: str) -> tuple[Part, ...]:
        """What follows a lead; nothing where the lead says nearly all of it."""
        parts = compose(self.kind, passage, self.prompt.subject, self.corpus.page)
        blocks = (block.text for part in parts for block in part.blocks)
        words = set(tokens(filtered(" ".join(blocks))))
        return parts if len(words.difference(tokens(lead))) > ADDS * len(words) else ()

    def _leaves_out_rows(self, parts: Sequence[Part], lead: str) -> bool:
        """Whether a lead lacks the name of a row that is asked for by its value."""
        quotes = {block.text for part in parts for block in part.blocks}
        rows = [r for part in parts for p in part.passages for r in p.records if r.cells]
        asked = rows_asked(self.prompt.subject, rows)
        found = [row.cells[0][1] for row in asked if row.quote in quotes]
        return bool(found) and not names(lead, *found)

    def _shown(self, parts: Sequence[Part], *, introduced: bool = False) -> list[str]:
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
