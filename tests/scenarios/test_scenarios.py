"""What a user would be hurt by, asked of the whole chatbot: `*.jsonl`, over `documents/`."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from chatbot.reply import Reply
from chatbot.text.markdown import marks
from eval.scenarios import Row, Scenarios, faults, read_rows

ROWS = read_rows(Path(__file__).parent)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.id)
def test_a_reply_does_not_hurt_its_reader(
    row: Row, scenarios: Scenarios, request: pytest.FixtureRequest
) -> None:
    if row.holds_from and row.holds_from != scenarios.profile:
        strict = not scenarios.profile
        request.applymarker(pytest.mark.xfail(reason=row.because, strict=strict))
    reply = scenarios.reply_to(row)
    assert not [*faults(row, reply), *misquoted(reply, scenarios)], reply.answer


def misquoted(reply: Reply, scenarios: Scenarios) -> Iterator[str]:
    """What of a reply's citations does not hold, whatever was asked."""
    numbers = range(1, len(reply.citations) + 1)
    if set(marks(reply.answer)) != set(numbers):
        yield "its marks are not its citations"
    for citation in reply.citations:
        of = citation.product or reply.product
        corpus = scenarios.chatbot.corpora.corpus(of, citation.release)
        if citation.quote not in corpus.page(citation.page_id).text:
            yield f"quotes what is not there: {citation.quote}"
    for side in reply.sides:
        if {reply.citations[n - 1].source for n in side.citations} - {side.release}:
            yield f"cites another release for {side.release}"
        if side.status == "documented" and not side.citations:
            yield f"says without a citation that {side.release} documents it"
    if reply.sides and sorted(n for side in reply.sides for n in side.citations) != [*numbers]:
        yield "a citation is of no side"


def test_each_row_has_a_name_of_its_own() -> None:
    assert len({row.id for row in ROWS}) == len(ROWS)
