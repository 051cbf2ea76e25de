"""What a judge says of an answer's statements and sentences: relevant, faithful, attributed."""

from eval.judging.judge import NOT_APPLICABLE, Judge, JudgedAnswer, Unscored
from eval.judging.verdicts import numbered, statements_of, verdicts_on, why_not
from prompts import fenced, fenced_list

SUPPORT = {"full": 1.0, "partial": 0.5, "none": 0.0}
"""What a sentence gets for the support that its citations give it (TREC RAG 2024)."""


async def answer_relevancy(judge: Judge, answer: JudgedAnswer) -> tuple[float, str]:
    """The statements that are not judged irrelevant to the question, of all (QAMR IV-B2)."""
    statements = await _statements(judge, answer)
    verdicts = await verdicts_on(
        judge,
        "judge_answer_relevancy",
        len(statements),
        ("yes", "no", "unsure"),
        question=fenced("question", answer.question),
        statements=numbered("statement", statements),
    )
    relevant = sum(verdict.verdict != "no" for verdict in verdicts)
    return relevant / len(verdicts), why_not(verdicts, statements, "yes")


async def faithfulness(judge: Judge, answer: JudgedAnswer) -> tuple[float, str]:
    """The statements that the context does not contradict, of all (QAMR IV-B3, DeepEval).

    What the context neither says nor contradicts is told in the reason.
    """
    statements = await _statements(judge, answer)
    verdicts = await verdicts_on(
        judge,
        "judge_faithfulness",
        len(statements),
        ("yes", "no", "unsure"),
        context=numbered("chunk", answer.context),
        statements=numbered("statement", statements),
    )
    faithful = sum(verdict.verdict != "no" for verdict in verdicts)
    return faithful / len(verdicts), why_not(verdicts, statements, "yes")


async def attribution(judge: Judge, answer: JudgedAnswer) -> tuple[float, str]:
    """The mean support of the sentences with marks by what they cite: full 1, partial ½, none 0.

    (TREC RAG 2024, weighted precision.) Sentences without a mark are counted in the reason.
    """
    marked = [(sentence, cited) for sentence, cited in answer.cited if cited]
    texts = list(dict.fromkeys(text for _, cited in marked for text in cited))
    sections = [
        fenced(
            "statement",
            sentence,
            number=number,
            cites=", ".join(str(texts.index(text) + 1) for text in cited),
        )
        for number, (sentence, cited) in enumerate(marked, 1)
    ]
    verdicts = await verdicts_on(
        judge,
        "judge_attribution",
        len(marked),
        tuple(SUPPORT),
        passages=numbered("passage", texts),
        statements=fenced_list(sections),
    )
    why = why_not(verdicts, [sentence for sentence, _ in marked], "full")
    if unmarked := len(answer.cited) - len(marked):
        why = "\n".join(filter(None, (why, f"sentences without a mark: {unmarked}")))
    return sum(SUPPORT[verdict.verdict] for verdict in verdicts) / len(verdicts), why


async def _statements(judge: Judge, answer: JudgedAnswer) -> list[str]:
    statements = await statements_of(judge, answer.question, answer.answer)
    if not statements:
        raise Unscored(f"{NOT_APPLICABLE}: the answer states nothing")
    return statements
