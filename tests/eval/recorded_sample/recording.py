"""The sample's questions, the default model's replies to their prompts, and the scores of that day.

`python -m tests.eval.recorded_sample.recording DATA` asks the default model anew, in a data folder
with the sample (`make run` makes one), and writes both files here.
"""

import json
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from chatbot.assembly import open_chatbot
from chatbot.chatbot import Chatbot
from chatbot.models.embedded import EmbeddedChatModel
from chatbot.settings import read_settings
from eval.answer_summary import score_answers
from eval.answers import AnswerScore, read_answers
from eval.asking import ask_all, page_text
from eval.gold import GoldQuestion, read_gold
from eval.recording import RecordedChatModel, recorded

HERE = Path(__file__).parent
REPLIES, SCORES = HERE / "replies.jsonl", HERE / "scores.json"
QUESTIONS = HERE.parents[2] / "examples" / "questions.jsonl"
MEASURED = ("correct", "gold_page", "release_right")


def ask_sample(
    chatbot: Chatbot, model: RecordedChatModel, replies: Path
) -> tuple[tuple[GoldQuestion, ...], tuple[AnswerScore, ...]]:
    """Ask everything in the profile of the default model; the questions and their scores."""
    gold = read_gold(QUESTIONS)
    own = chatbot.settings.model_copy(update={"profile": "embedded"})
    asked = replace(chatbot, settings=own, model=model)
    ask_all(asked, gold, replies, lambda progress: None)
    found = score_answers(gold, read_answers(replies), page_text=page_text(asked))
    return gold, found.scores


def values(scores: Sequence[AnswerScore]) -> dict[str, dict[str, float]]:
    """Each measure by question, where it applies."""
    return {
        measure: {
            score.id: float(value)
            for score in scores
            if (value := getattr(score, measure)) is not None
        }
        for measure in MEASURED
    }


def record(data: Path) -> None:
    """Ask the default model, and keep what it said and how that was scored."""
    chatbot = open_chatbot(read_settings(data_dir=data))
    assert isinstance(chatbot.model, EmbeddedChatModel)
    REPLIES.unlink(missing_ok=True)
    answers = data / "recorded-answers.jsonl"
    answers.unlink(missing_ok=True)
    _, scores = ask_sample(chatbot, recorded(REPLIES, chatbot.model), answers)
    # A reply in work has a line of its own, which the whole one replaces.
    rows = {json.loads(line)["prompt"]: line for line in REPLIES.read_text("utf-8").splitlines()}
    REPLIES.write_text("".join(f"{line}\n" for line in rows.values()), "utf-8")
    SCORES.write_text(json.dumps(values(scores), indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    record(Path(sys.argv[1]))
