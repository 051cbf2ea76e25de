"""One answer of a run scored: by rule, and what a judge is shown of it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from chatbot.reply import Reply
from chatbot.retrieval.support import quantities, unsupported
from eval import answers
from eval.answers import AnswerScore, PageText, score_answer, shown_by
from eval.figures import Share, share
from eval.gold import GoldQuestion, QuestionKind
from eval.judging.judge import NOT_SHOWN, JudgedAnswer, JudgeScore
from eval.likeness import LIKENESS, Alike
from eval.own_words import own_words, sentences
from eval.runs.folder import AnswerRecord, ContextText, ScoreRecord
from eval.runs.measures import MEASURES
from eval.runs.ranking import ranking_scores

_OF_EVIDENCE = tuple(name for name, m in MEASURES.items() if m.group == "retrieval")
"""What only a system tells that shows what it was given and what it found."""
_OF_RELEASE = (
    *("wrong_release", "release_right", "silently_wrong_release", "cited_wrong_release"),
    *("gold_page", "sentences_unsupported", "sentences_unmarked"),
)
"""What only a system tells that names its release, or cites."""
_BY_RULE = tuple(name for name in answers.MEASURES if name not in ("judged", "reads_well"))


@dataclass(frozen=True)
class Scorer:
    """Scores answers by rule; `newest` is the newest release of each product that has one."""

    page_text: PageText
    alike: Alike
    newest: Mapping[str, str]

    def values(self, question: GoldQuestion, record: AnswerRecord) -> dict[str, float | None]:
        """The scores by the names of `MEASURES`; None where one does not apply."""
        score = score_answer(question, record.reply, self._page_text(record), self.alike)
        return {
            **{name: _number(getattr(score, name)) for name in _BY_RULE},
            **self._by_column(question, score),
            "wrong_release": _number(wrong_release(question, record)),
            "figures": figures(question, record.reply).ratio,
            "context_other_release": _foreign(question, record.context).ratio,
            **ranking_scores(question, record.retrieved),
            **{
                name: None if score.likeness is None else getattr(score.likeness, name)
                for name in LIKENESS
            },
            **_cost(record),
        }

    def _page_text(self, record: AnswerRecord) -> PageText:
        """A system of others may cite pages, but their numbers are not those of ours."""
        return (lambda product, citation: "") if record.opaque else self.page_text

    def judged(self, question: GoldQuestion, record: AnswerRecord) -> JudgedAnswer:
        """What a judge is shown of an answer; the texts that it was given say their release."""
        reply = record.reply or Reply(answer="")
        page_text = self._page_text(record)
        texts = [shown_by(c, page_text(question.product, c)) for c in reply.citations]
        return JudgedAnswer(
            question=question.in_conversation,
            answer=own_words(reply.answer),
            context=tuple(f"{_place(text)}:\n{text.text}" for text in record.context),
            gold=question.gold_answer,
            answerable=question.answerable,
            refused=reply.abstained,
            facts=tuple(fact.says for fact in question.facts),
            cited=tuple(
                (s.text, tuple(texts[n - 1] for n in s.cited if 0 < n <= len(texts)))
                for s in sentences(reply.answer)
            ),
            opaque=record.opaque,
        )

    def _by_column(self, question: GoldQuestion, score: AnswerScore) -> dict[str, float | None]:
        """Rightness in the column of lockdocs that a question belongs to.

        That are a release that is older and named, the newest one, and what is not documented.
        """
        column = ""
        if not question.answerable:
            column = "right_held_out"
        elif (
            question.kind is not QuestionKind.COMPARE
            and not question.spans_releases
            and question.product in self.newest
        ):
            older = question.release not in (None, self.newest[question.product])
            column = "right_older" if older else "right_newest"
        names = ("right_older", "right_newest", "right_held_out")
        return {name: _number(score.correct) if name == column else None for name in names}


def score_record(
    system: str,
    record: AnswerRecord,
    values: Mapping[str, float | None],
    judged: Sequence[JudgeScore] = (),
) -> ScoreRecord:
    """The scores of an answer by rule and by a judge as one record.

    What a system of others does not show enough for is no score, however the rule counts it.
    """
    hidden = dict.fromkeys(name for name in _not_shown(record) if values.get(name) is not None)
    return ScoreRecord(
        id=record.id,
        system=system,
        repeat=record.repeat,
        values={**values, **hidden, **{score.metric: score.score for score in judged}},
        unscored={
            **dict.fromkeys(hidden, NOT_SHOWN),
            **{score.metric: score.unscored for score in judged if score.lacks_score},
        },
        reasons={score.metric: score.reason for score in judged if score.reason},
    )


def _not_shown(record: AnswerRecord) -> tuple[str, ...]:
    """The measures that cannot be made of an answer, since its system does not show enough."""
    if not record.opaque:
        return ()
    reply = record.reply
    tells = reply and (reply.citations or reply.release or reply.release_status != "none")
    return (*_OF_EVIDENCE, *(() if tells else _OF_RELEASE))


def wrong_release(question: GoldQuestion, record: AnswerRecord) -> bool | None:
    """Whether an answer rests on no text of a release that is meant, though on others.

    It rests on what it cites; where it cites nothing, on the release that it says it is from, else
    on all that the model was given. Does not apply to what may rest on any release.
    """
    reply = record.reply
    if reply is None or question.spans_releases:
        return None
    if reply.abstained:
        return False
    cited = {citation.release for citation in reply.citations}
    said = {reply.release, *reply.compared_releases} - {None}
    rests_on = cited or said or {text.release for text in record.context}
    return bool(rests_on) and rests_on.isdisjoint(question.gold_releases)


def figures(question: GoldQuestion, reply: Reply | None) -> Share:
    """How many of the gold answer's figures with units an answer states, figure and unit alike."""
    wanted = quantities(question.gold_answer) if question.answerable else ()
    said = "" if reply is None or reply.abstained else own_words(reply.answer)
    return share(not unsupported(figure, [said], "") for figure in wanted)


def _foreign(question: GoldQuestion, context: Sequence[ContextText]) -> Share:
    """How many of the texts that the model was given are of another release than those meant."""
    applies = question.gold_releases and not question.spans_releases
    given = context if applies else ()
    return share(text.release not in question.gold_releases for text in given)


def _cost(record: AnswerRecord) -> dict[str, float | None]:
    if record.reply is None:
        return dict.fromkeys(("seconds", "model_calls", "prompt_tokens", "completion_tokens"))
    spent = {
        "model_calls": record.calls,
        "prompt_tokens": record.prompt_tokens,
        "completion_tokens": record.completion_tokens,
    }
    # A system of others that tells none has used some all the same.
    told = {name: number or None if record.opaque else number for name, number in spent.items()}
    return {"seconds": record.reply.seconds, **told}


def _number(value: bool | Share | None) -> float | None:
    if value is None:
        return None
    return value.ratio if isinstance(value, Share) else float(value)


def _place(text: ContextText) -> str:
    return " › ".join(filter(None, (f"Release {text.release}", text.file, text.section)))
