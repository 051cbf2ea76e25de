"""A process that answers a question for ever; it tells the conversation."""

import sys
from dataclasses import replace
from pathlib import Path

from chatbot.assembly import open_chatbot
from chatbot.conversations.open_questions import Question
from chatbot.settings import Settings
from tests.ui.scripted import Endless
from tests.ui.valve_corpus import LATEST
from ui.serving.asking import QuestionRunner


def main(data_dir: Path, database_url: str) -> None:
    settings = Settings(data_dir=data_dir, database_url=database_url, generator="none")
    chatbot = replace(open_chatbot(settings), model=Endless())
    conversation = chatbot.conversations.start("valve", LATEST)
    asking = QuestionRunner(chatbot).ask(Question(LATEST, conversation), chatbot)
    while not asking.progress.written:
        asking.wait(0.05)
    sys.stdout.write(f"{conversation}\n")
    sys.stdout.flush()
    asking.wait(60)


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2])
