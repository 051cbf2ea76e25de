"""Replies of the chatbot scored against gold questions, by rules alone."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from chatbot.reply import Reply
from chatbot.retrieval.support import unsupported
from chatbot.turn import Citation
from eval.figures import NONE, Share, share
from eval.gold import Asks, GoldQuestion, GoldSource, QuestionKind, read_lines
from eval.likeness import Alike, Likeness
from eval.own_words import own_words, sentences


class RecordedReply(Reply):
    """A line of `strata ask --batch`: the reply with its `id`, or `id` and `error`."""

    id: str
    error: str | None = None
    answer: str = ""


PageText = Callable[[str, Citation], str]
"""The text of the page of a product that a citation is from; empty where it is not to be had."""


@dataclass(frozen=True, slots=True)
class AnswerScore:
    """What is right and wrong about the reply to one question; None where a rule does not apply.

    `silently_wrong_release`: answered from the latest release, though another one is meant and
    named. `correct` looks at the answer's own words, and is None without patterns for them;
    `judged` (right) and `reads_well` are what a reader said. `gold_page` is a citation of the page
    or the anchor of the gold source, or of its file where it has neither; a comparison needs one on
    every side. `likeness` is told where the documentation says it, and decides nothing; a refusal
    says nothing. `seconds` is None where the reply does not tell.
    """

    id: str
    kind: QuestionKind
    answerable: bool
    asks: Asks | None = None
    error: str | None = None
    silently_wrong_release: bool | None = None
    correct: bool | None = False
    judged: bool | None = None
    reads_well: bool | None = None
    refused: bool = False
    facts: Share = NONE
    steps_complete: bool | None = None
    sentences_unsupported: Share = NONE
    sentences_unmarked: Share = NONE
    release_right: bool | None = None
    cited_wrong_release: bool | None = False
    gold_page: bool | None = None
    likeness: Likeness | None = None
    seconds: float | None = None
    model_calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0

    @property
    def rightly_refused(self) -> bool | None:
        """Refused, since the documentation of that release does not say it."""
        return None if self.answerable else self.refused

    @property
    def wrongly_refused(self) -> bool | None:
        """Refused, though the documentation says it."""
        return self.refused if self.answerable else None

    @property
    def failed(self) -> bool:
        """Whether there is no reply."""
        return self.error is not None


MEASURES = {
    "silently_wrong_release": ("silently wrong release", "silent"),
    "correct": ("right, own words", "right"),
    "judged": ("right, judged", ""),
    "reads_well": ("reads well, judged", ""),
    "facts": ("facts stated", "facts"),
    "steps_complete": ("how-to complete and in order", "steps"),
    "sentences_unsupported": ("sentences their sources do not support", "unsupp."),
    "sentences_unmarked": ("sentences without a mark", ""),
    "rightly_refused": ("refused, rightly", ""),
    "wrongly_refused": ("refused, wrongly", ""),
    "release_right": ("release right", ""),
    "cited_wrong_release": ("cites a wrong release", ""),
    "gold_page": ("cites the gold page", ""),
    "failed": ("failed or missing", ""),
}
"""What is counted over scores: the field, how the report calls it, and the column of what is told
of each kind of question, too."""


def read_answers(path: Path) -> dict[str, RecordedReply]:
    """Read the replies of a batch by question id; of several lines with one id the last counts.

    Raises GoldError for a file that cannot be read and a line that is no object with an `id`.
    """
    return {row.id: row for row in read_lines(path, RecordedReply)}


def score_answer(
    question: GoldQuestion,
    reply: Reply | None,
    page_text: PageText = lambda product, citation: "",
    alike: Alike | None = None,
) -> AnswerScore:
    """Score one reply: None for a question that was not answered, an object with `error` alike.

    Without `alike` nothing is said of likeness.
    """
    error = "no reply" if reply is None else getattr(reply, "error", None)
    if reply is None or error is not None:
        reply = Reply(answer="")
    failed, refused, answerable = error is not None, reply.abstained, question.answerable
    answer_text = "" if refused else own_words(reply.answer)
    foreign = any(c.release not in question.gold_releases for c in reply.citations)
    return AnswerScore(
        id=question.id,
        kind=question.kind,
        answerable=answerable,
        asks=question.asks,
        error=error,
        silently_wrong_release=None if failed else _silently_wrong(question, reply),
        correct=_correct(question, answer_text, refused=refused),
        refused=refused,
        facts=Share(question.facts_in(answer_text), len(question.facts)) if answerable else NONE,
        steps_complete=question.has_steps(answer_text) if answerable and question.steps else None,
        release_right=False if failed and answerable else _release_right(question, reply),
        cited_wrong_release=None if question.spans_releases and not failed else foreign,
        gold_page=_cites_gold(question, reply.citations),
        likeness=alike(answer_text, question.gold_answer) if alike and answerable else None,
        seconds=reply.seconds,
        model_calls=reply.model_calls,
        prompt_tokens=reply.prompt_tokens,
        completion_tokens=reply.completion_tokens,
        **({} if failed or refused else _of_sentences(question, reply, page_text)),
    )


def _correct(question: GoldQuestion, answer: str, *, refused: bool) -> bool | None:
    if not question.answerable:
        return refused
    return False if refused else question.accepts(answer)


def _of_sentences(question: GoldQuestion, reply: Reply, page_text: PageText) -> dict[str, Any]:
    """The sentences of an answer that was given: those unsupported, and those without a mark.

    A sentence is held against what it cites by the check that answers pass (names, figures with
    units, code); one without a mark against all that the answer cites.
    """
    evidence = [shown_by(c, page_text(question.product, c)) for c in reply.citations]
    questions = "\n".join([question.question, *(user for user, _ in question.history)])
    cited = [
        (s, [evidence[n - 1] for n in s.cited if 0 < n <= len(evidence)] or evidence)
        for s in sentences(reply.answer)
    ]
    return {
        "sentences_unsupported": share(bool(unsupported(s.text, of, questions)) for s, of in cited),
        "sentences_unmarked": share(not s.cited for s, _ in cited),
    }


def shown_by(citation: Citation, page: str) -> str:
    """What a citation shows: its quote, its page if that still has it, and where it stands."""
    quote = citation.quote
    place = (citation.release, citation.document, citation.section, citation.file)
    return "\n".join([page if quote and quote in page else quote, *filter(None, place)])


def _silently_wrong(question: GoldQuestion, reply: Reply) -> bool | None:
    if question.release is None and not question.releases:
        return None
    latest = reply.release_status == "latest"
    return latest and reply.release not in question.gold_releases


def _release_right(question: GoldQuestion, reply: Reply) -> bool | None:
    cited = {citation.release for citation in reply.citations}
    if question.release_not_in_corpora:
        return reply.release_status == "unknown"
    if question.spans_releases:
        shown = {reply.release, *reply.compared_releases, *cited} - {None}
        return not shown.isdisjoint(question.gold_releases) if shown else None
    if question.kind is QuestionKind.COMPARE:
        compared = cited.union(reply.compared_releases)
        return reply.release_status == "compared" and compared.issuperset(question.releases)
    if not question.answerable and reply.release is None:
        return None
    return (reply.release,) == question.gold_releases


def _cites_gold(question: GoldQuestion, citations: Sequence[Citation]) -> bool | None:
    if not question.answerable or not question.sources:
        return None
    cited = (any(_is_of(c, source) for c in citations) for source in question.sources)
    return all(cited) if question.kind is QuestionKind.COMPARE else any(cited)


def _is_of(citation: Citation, source: GoldSource) -> bool:
    """Whether a citation is from the source: its page or anchor, or its file where it has none."""
    if citation.release != source.release or not source.is_in(citation.file):
        return False
    if source.page is not None:
        return citation.page == source.page
    return source.anchor is None or same_anchor(citation.anchor, source.anchor)


def same_anchor(anchor: str | None, gold: str) -> bool:
    """Whether `anchor` is the gold one, its member or its owner ("Query" and "Query.update")."""
    return anchor is not None and (
        anchor == gold or anchor.startswith(f"{gold}.") or gold.startswith(f"{anchor}.")
    )
