"""Runs go with the turns whose questions they asked."""

from pathlib import Path

import pytest

from chatbot.conversations.conversations import Conversations
from chatbot.reply import Reply
from corpora.database.engine import Database
from eval.gold import gold_lines
from eval.runs.folder import RunFolder
from eval.runs.forgetting import forget_runs
from tests.eval.made_gold import gold
from tests.eval.made_run import RIGHT, made_run

pytestmark = pytest.mark.database


@pytest.mark.parametrize("named", ["regression-turn-{}", "saved-7-turn-{}"])
def test_a_run_goes_with_the_turn_whose_question_it_asked(
    database: Database, tmp_path: Path, named: str
) -> None:
    conversations = Conversations(database)
    conversation = conversations.start("router", "A talk")
    turn = conversations.add(conversation, "timeout in 2.0?", Reply(answer="60 seconds"))
    # The other run has a question of somebody's own file, whatever its id looks like.
    ids = ("turn-1", named.format(turn))
    for name, asked in (("other", ids[:1]), ("of a turn", ids)):
        files = RunFolder(made_run(tmp_path / "evaluation" / name, {"embedded": [RIGHT]}))
        quoted = 'What is "id": "regression-turn-99"?'
        questions = (gold(id=asked_as, question=quoted) for asked_as in asked)
        files.questions.write_text("".join(gold_lines(questions)), "utf-8")
    assert forget_runs(database, tmp_path) == 0
    conversations.delete(conversation)
    assert forget_runs(database, tmp_path) == 1
    assert [path.name for path in (tmp_path / "evaluation").iterdir()] == ["other"]
    assert forget_runs(database, tmp_path / "nowhere") == 0
