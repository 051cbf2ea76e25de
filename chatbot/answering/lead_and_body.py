"""Step 5 of QAMR III-B for a small model: a written lead, and a body copied from the page."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import pairwise
from typing import Any

from langchain_core.language_models import BaseChatModel

from chatbot.answering.body import (
    Part,
    as_markdown,
    compose,
    covers_all,
    listings,
    listings_apart,
    shown_whole,
    stands_alone,
)
from chatbot.answering.citing import marked
from chatbot.answering.lead import Lead, Sentence, checked
from chatbot.answering.lead_prompt import UNKNOWN, LeadPrompt, lead_prompt
from chatbot.answering.refusals import (
    NO_PASSAGE,
    REJECTED_BEFORE,
    UNKNOWN_TO_MODEL,
    nothing_found,
)
from chatbot.memory.prompting import REJECTED, is_rejected, route_of
from chatbot.retrieval.asked_rows import AskedCells, asked_cells, is_titled, matching_rows
from chatbot.retrieval.passages import Passage
from chatbot.retrieval.question_types import QuestionType
from chatbot.retrieval.records import in_words, sentences
from chatbot.retrieval.release_of_text import OtherReleases, attributed, other_releases
from chatbot.retrieval.support import cite_words, is_denial, names, says_unknown
from chatbot.runtime.model_calls import call
from chatbot.text.languages import gettext, gettext_noop, shown_list
from chatbot.text.markdown import with_marks_as_code, without_marks
from chatbot.text.sanitizer import as_code, as_document_words, as_words, harmless
from chatbot.text.words import filtered, listed, things_named, words_of
from chatbot.turn import Answer, Citation, ModelStep, Record, Turn
from corpora.catalog.release import Product
from corpora.indexing.corpus import Corpus
from corpora.indexing.lexical import tokens
from ingestion.page import BlockKind

STEP = "answer_generation"
REFUSAL_PROBABILITY = 0.18
"""The probability of "I don't know" at the beginning of a reply from which it is refused."""
BORNE_REFUSAL_PROBABILITY = 0.25
"""The same where one record bears the question (docs/decisions/0018)."""
DENIAL_PROBABILITY = 0.05
"""The same for a "No" that no record bears; with less doubt the best passage is shown."""
_BORNE = 0.5
"""The least share of a question's words that the release has where a record bears it."""
_MOST_LACKING = 3
"""Words that are named of those that a passage lacks."""
NO_MODEL = gettext_noop("No language model is set up: this is the best passage.")
TOO_LONG = gettext_noop(
    "The question is too long for the language model: this is the best passage."
)
REMOVED = gettext_noop("A sentence was left out: the documentation does not support it.")


def write_lead_and_body(
    model: BaseChatModel | None,
    open_corpus: Callable[[str, str], Corpus],
    products: Callable[[], Sequence[Product]],
    *,
    budget: int,
    max_tokens: int,
    same: float,
) -> ModelStep:
    """A step that answers from the selected records only, by the passages that they stand in.

    The model writes a lead from `budget` characters of them; unsupported sentences are removed.
    Behind it stand steps, a list, a table or code, where these are asked for. Where no lead is
    left, or there is no model, the best passage is quoted, unless a name of the question stands
    nowhere. An answer that people rejected for a question with a cosine of at least `same` is not
    given again.
    """

    async def write(turn: Turn) -> Turn:
        prompt, corpus = lead_prompt(turn, budget), open_corpus(*turn.target)
        if prompt is None:
            return replace(turn, answer=nothing_found(turn, NO_PASSAGE, corpus.languages))
        draft = _Draft(turn, prompt, corpus, products())
        if model is None:
            return replace(turn, answer=replace(draft.passage(), warnings=(gettext(NO_MODEL),)))
        chosen: dict[str, Any] = {}
        if turn.temperature is not None:
            chosen["temperature"] = turn.temperature
        made = await call(
            model,
            prompt.messages,
            step=STEP,
            shown=True,
            unless=(UNKNOWN, draft.limit),
            max_tokens=max_tokens,
            **chosen,
        )
        turn = replace(turn, calls=(*turn.calls, made), route=route_of(turn))
        draft.turn = turn
        if made.problem:
            return replace(turn, answer=replace(draft.passage(), warnings=(gettext(TOO_LONG),)))
        reply = made.reply
        if made.completion_tokens >= max_tokens:
            # It was cut off, so that its last sentence is not whole.
            reply = " ".join(sentences(reply)[:-1])
        answer = _answer(draft, reply)
        if is_rejected(turn, answer.value, same):
            answer = replace(nothing_found(turn, REJECTED_BEFORE), warnings=(gettext(REJECTED),))
        return replace(turn, answer=answer)

    return write


def _answer(draft: _Draft, reply: str) -> Answer:
    """The supported sentences of a reply, and the body."""
    turn = draft.turn
    shown = draft.prompt.shown
    text = harmless(reply, evidence="\n".join(passage.page.text for passage in shown))
    if says_unknown(without_marks(text).strip()):
        if draft.row_asked or draft.titled:
            return draft.passage(draft.titled)
        doubt = f"doubt {turn.calls[-1].doubt:.2f}, limit {draft.limit}"
        return nothing_found(turn, f"{UNKNOWN_TO_MODEL} ({doubt})", draft.corpus.languages)
    own = f"{turn.question} {turn.queries.base} {' '.join(turn.target)}"
    relations = turn.recollection.relations if turn.recollection else ()
    outside = [relation for relation in relations if relation.source]
    lead = checked(text, shown, own, outside, draft.weight)
    if not draft.gives_asked_cells(lead.sentences):
        lead = Lead((), lead.is_whole)
    answer = draft.written(lead.sentences) if lead.sentences else draft.passage()
    denied = is_denial(text) and turn.calls[-1].doubt >= DENIAL_PROBABILITY
    denied = denied and not (draft.row_asked or draft.titled)
    if not lead.sentences and (turn.unmentioned or denied):
        lacking = listed(map(as_code, turn.unmentioned)) if turn.unmentioned else "what denies it"
        refusal = f"lead: no sentence is supported, and the release lacks {lacking}"
        answer, outside = nothing_found(turn, refusal, draft.corpus.languages), []
    named = (r.attributed for r in outside if names(f"{own} {text}", r.head, r.tail))
    return replace(
        answer, outside=tuple(named), warnings=() if lead.is_whole else (gettext(REMOVED),)
    )


@dataclass
class _Draft:
    """An answer on its way: its lead gets marks, its body follows, both share the citations."""

    turn: Turn
    prompt: LeadPrompt
    corpus: Corpus
    products: Sequence[Product]
    _citations: list[Citation] = field(default_factory=list)
    _numbers: dict[tuple[int, int], int] = field(default_factory=dict)

    @cached_property
    def _others(self) -> OtherReleases:
        return other_releases(self.turn, self.products)

    @cached_property
    def _asked(self) -> list[tuple[Passage, AskedCells]]:
        """The passages with the cells that a question for a value names by their row."""
        if self.prompt.kind not in (QuestionType.VALUE, QuestionType.DEFINITION):
            return []
        text = "\n".join(passage.text for passage in self.prompt.shown)
        tables = ((p, [r for r in p.records if r.cells]) for p in self.prompt.shown)
        asked = ((p, asked_cells(self.prompt.subject, rows, text)) for p, rows in tables)
        return [(passage, cells) for passage, cells in asked if cells]

    @property
    def row_asked(self) -> Passage | None:
        """The passage with a row and a column that the question names."""
        return next((passage for passage, cells in self._asked if cells.has_column), None)

    @property
    def titled(self) -> Passage | None:
        """The passage whose heading has all words of the question, where these are several."""
        titled = (p for p in self.prompt.shown if is_titled(p.heading, self.prompt.subject))
        return next(titled, None)

    @cached_property
    def limit(self) -> float:
        """The doubt from which it is refused.

        A record bears the question if it has, with its headings, all its words that the release
        has, and these are at least half of them.
        """
        words = [set(tokens(word)) for word in filtered(self.prompt.subject).split()]
        known = [of for of in words if any(map(self.corpus.frequency, of))]
        if not known or len(known) < _BORNE * len(words):
            return REFUSAL_PROBABILITY
        records = (r for excerpt in self.prompt.excerpts for r in excerpt.records)
        texts = (set(tokens(" ".join((*r.path, r.reading)))) for r in records)
        is_borne = any(all(of & text for of in known) for text in texts)
        return BORNE_REFUSAL_PROBABILITY if is_borne else REFUSAL_PROBABILITY

    def weight(self, word: str) -> float:
        """The rarity of a word in the release; a word of the product's name has none."""
        if word in tokens(self.turn.target[0]):
            return 0.0
        return max(map(self.corpus.idf, self.corpus.terms(word)), default=0.0)

    def gives_asked_cells(self, lead: Sequence[Sentence]) -> bool:
        """Whether a lead says what stands in the cells that the question names, if it names any."""
        text = " ".join(sentence.text for sentence in lead)
        return not lead or not self._asked or any(c.given_by(text) for _, c in self._asked)

    def written(self, lead: Sequence[Sentence]) -> Answer:
        """The sentences of a lead, each with the marks of its passages, and the body.

        Of a list a small model often names a part: then the list stands in its place. Steps follow
        the lead, and so do listings that it does not cover.
        """
        lead = list(dict.fromkeys(map(self._of_its_release, lead)))
        value = " ".join(sentence.text for sentence in lead)
        best, kind = lead[0].supported_by[0][0], self.prompt.kind
        part = self._compose(best) or (listings(best) if kind is QuestionType.STEPS else None)
        if (
            part
            and kind is QuestionType.LIST
            and stands_alone(part)
            and not covers_all(value, part)
        ):
            shown = self._shown(part)
            return Answer(shown, False, tuple(self._citations), shown.partition("\n")[0])
        part = part if kind is QuestionType.STEPS and part and not covers_all(value, part) else None
        whole = {passage.place for passage in part.passages} if part else set()
        marked_sentences = []
        for sentence in lead:
            marks = [self._mark(p, p if p.place in whole else r) for p, r in sentence.supported_by]
            marks += self._marks_of_relations(sentence.text)
            ended = sentence.text[-1:] in ".!?:"
            text = sentence.text if ended else f"{sentence.text}."
            marked_sentences.append(marked(text, list(dict.fromkeys(marks))))
        text = " ".join(marked_sentences) + (f"\n\n{self._shown(part)}" if part else "")
        return Answer(text, False, tuple(self._citations), value)

    def passage(self, titled: Passage | None = None) -> Answer:
        """The best passage under a plain sentence, where nothing could be written about it.

        The rows of a table that are asked for are sentences of their own.
        """
        best = self.row_asked or titled or self.prompt.passages[0]
        rows = matching_rows(self.prompt.subject, [r for r in best.records if r.cells])
        if rows and self.prompt.kind not in (QuestionType.STEPS, QuestionType.LIST):
            lead, below = [], []
            for row in rows:
                cells, apart = listings_apart(row.cells, [best.page])
                lead.append(Sentence(in_words(replace(row, cells=tuple(cells))), ((best, row),)))
                below += apart
            answer = self.written(lead)
            text = "\n\n".join((answer.text, *dict.fromkeys(below)))
            return replace(answer, text=text, unwritten=True)
        part = self._compose(best) or shown_whole(best)
        if best not in part.passages:
            # The steps or the list of its section stand below what was found, not in its place.
            part = replace(part, passages=(best, *part.passages), blocks=best.blocks + part.blocks)
        shown = self._shown(part)
        release, lacking = self.turn.target[1], self._lacking(best, shown)
        value = gettext(
            "The passage of the {release} documentation that fits best:", release=release
        )
        if lacking:
            value = gettext(
                "The nearest passage in the {release} documentation; it lacks {words}:",
                release=release,
                words=shown_list(map(as_code, lacking)),
            )
        text = f"{value}\n\n{shown}"
        return Answer(text, False, tuple(self._citations), value, unwritten=True)

    def _lacking(self, passage: Passage, shown: str) -> list[str]:
        """The words of the question that neither a passage has nor what is above it: the rarest.

        Nothing tells a passage that answers in other words from one about something else: whoever
        asks can.
        """
        question, page = self.turn.question.casefold(), passage.page
        has = set(tokens(" ".join((page.document.title, *passage.path, passage.text, shown))))
        asked = filtered(self.turn.queries.own_subject, self.corpus.languages).split()
        # A figure or a piece of markup would look like one of the passage.
        names = (word for word in dict.fromkeys(asked) if word.replace("-", "_").isidentifier())
        # Of "how often" a passage says how often, in other words; of "how X25 does it" it may not.
        degrees = {word for how, word in pairwise(words_of(question)) if how == "how"}
        degrees -= {name.casefold() for name in things_named(self.turn.question)}
        words = [w for w in names if w.casefold() in question and w.casefold() not in degrees]
        lacking = [word for word in words if (of := tokens(word)) and has.isdisjoint(of)]

        rarest = sorted(lacking, key=self.weight, reverse=True)[:_MOST_LACKING]
        return [word for word in lacking if word in rarest]

    def _compose(self, passage: Passage) -> Part | None:
        return compose(self.prompt.kind, passage, self.prompt.subject, self.corpus.page)

    def _of_its_release(self, sentence: Sentence) -> Sentence:
        record = sentence.supported_by[0][1]
        text = attributed(self._others(record), sentence.text, record, self.turn, self.products)
        return replace(sentence, text=text)

    def _shown(self, part: Part) -> str:
        """A part as Markdown; its marks stand behind the words that lead in to it, or its heading.

        Listings follow the lead, and need no heading.
        """
        others = [self._others(r) for passage in part.passages for r in passage.records]
        of = f" ({shown_list(others[0])})" if others and all(others) else ""
        marks = [self._mark(passage, passage) for passage in part.passages]
        note = f"\n\n{part.note}" if part.note else ""
        first, *rest = part.blocks
        pages = [passage.page for passage in part.passages]
        if first.kind is BlockKind.CODE and not of and self.turn.calls:
            return as_markdown(part.blocks)
        if first.kind is BlockKind.PARAGRAPH and not of:
            lead = marked(as_document_words(first.text), marks)
            return f"{lead}\n\n{as_markdown(rest, pages)}{note}"
        heading = with_marks_as_code(as_words(part.passages[0].heading))
        return f"{marked(f'{heading}{of}:', marks)}\n\n{as_markdown(part.blocks, pages)}{note}"

    def _marks_of_relations(self, sentence: str) -> Iterator[str]:
        """The marks of the graph's relations between things that a sentence names."""
        recollection = self.turn.recollection
        for relation in recollection.relations if recollection and self.turn.calls else ():
            if relation.citation and names(sentence, relation.head, relation.tail):
                if relation.citation not in self._citations:
                    self._citations.append(relation.citation)
                yield f"[{self._citations.index(relation.citation) + 1}]"

    def _mark(self, passage: Passage, quoted: Passage | Record) -> str:
        """The mark of the citation of a passage, which is made once."""
        if passage.place not in self._numbers:
            words = quoted.quote if isinstance(quoted, Record) else quoted.text
            release = self.turn.target[1]
            citation = cite_words(quoted.page, words, quoted.path, quoted.anchor, release)
            self._citations.append(citation)
            self._numbers[passage.place] = len(self._citations)
        return f"[{self._numbers[passage.place]}]"
