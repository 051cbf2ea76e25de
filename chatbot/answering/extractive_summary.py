"""An answer put together from earlier ones without a model, in the manner of AnswerBot.

AnswerBot (Xu et al., 2017; GraphContextGen A.2.1) takes three steps: related questions, useful
paragraphs of their answers, and a diverse summary of these by maximal marginal relevance. Its
votes, formats and word2vec are left out: usefulness is the cosine to the question.
"""

from collections.abc import Iterator
from dataclasses import replace

from chatbot.text.languages import gettext
from chatbot.text.markdown import renumbered, without_marks
from chatbot.turn import Answer, Citation, Remembered, Route, RuleStep, Turn
from corpora.indexing.embedding import Embedder

UNCHECKED = "Put together from earlier answers, word for word: the documentation was not read."


def summarise_answers(embedder: Embedder, *, paragraphs: int) -> RuleStep:
    """Answer with at most so many paragraphs of the answers to the related questions of a turn.

    They are chosen by maximal marginal relevance (Carbonell and Goldstein, 1998; λ = 0.5) and keep
    their citations. It abstains where there is no related question, and on a comparison, since a
    release's questions say nothing of another one.
    """

    def summarise(turn: Turn) -> Turn:
        from langchain_core.vectorstores.utils import maximal_marginal_relevance

        good = turn.recollection.good if turn.recollection else ()
        candidates = [(pair, text) for pair in good for text in paragraphs_of(pair.answer)]
        if not candidates or len(turn.resolution.releases) > 1:
            return replace(turn, route=Route.REFERENCE, answer=_nothing(turn))
        bare = [without_marks(text) for _, text in candidates]
        (question_vector,) = embedder.embed_queries([turn.queries.base])
        vectors = embedder.embed(bare)
        best = maximal_marginal_relevance(
            question_vector, list(vectors), lambda_mult=0.5, k=paragraphs
        )
        citations: list[Citation] = []
        quoted = [_cited(*candidates[i], citations) for i in best]
        answer = Answer(
            "\n\n".join(quoted),
            abstained=False,
            citations=tuple(citations),
            value=bare[best[0]],
            warnings=(UNCHECKED,),
        )
        return replace(turn, route=Route.REFERENCE, answer=answer)

    return summarise


def paragraphs_of(answer: str) -> Iterator[str]:
    """The paragraphs of an answer; a list, table or code stays with the line that leads in."""
    part = ""
    for text in answer.split("\n\n"):
        part = f"{part}\n\n{text}" if part else text
        if part.count("```") % 2 == 0 and not without_marks(part).rstrip().endswith(":"):
            yield part
            part = ""
    if part:
        yield part


def _cited(pair: Remembered, text: str, citations: list[Citation]) -> str:
    """A paragraph with the marks of its pair's citations as they are counted here."""

    def mark(number: int) -> str:
        if not 0 < number <= len(pair.citations):
            return ""
        citation = pair.citations[number - 1]
        if citation not in citations:
            citations.append(citation)
        return f"[{citations.index(citation) + 1}]"

    return renumbered(text, mark)


def _nothing(turn: Turn) -> Answer:
    product, release = turn.target
    if len(turn.resolution.releases) > 1:
        return Answer(
            gettext("Earlier answers are of one release each: ask for one of them."), True
        )
    return Answer(
        gettext(
            "No question like it was answered for {product} {release} before.",
            product=product,
            release=release,
        ),
        True,
    )
