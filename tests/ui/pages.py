"""The chat page without a browser: open it, ask, wait, press buttons, read."""

import time
from pathlib import Path

from streamlit.testing.v1 import AppTest
from streamlit.util import calc_hash

APP = Path(__file__).parents[2] / "ui" / "app.py"


def go_to(page: AppTest, name: str) -> AppTest:
    """Go to a page that this person has by its address; it is drawn with the next run."""
    # Of itself it knows pages by their files only, and ours are functions.
    if calc_hash(name) not in page._registered_pages:
        raise ValueError(f"{name} is no registered page")
    page._page_hash = calc_hash(name)
    return page


def open_page(conversation: str | None = None, turn: int | None = None) -> AppTest:
    page = AppTest.from_file(str(APP), default_timeout=30)
    if conversation:
        page.query_params["conversation"] = conversation
    if turn:
        page.query_params["turn"] = str(turn)
    page.run()
    assert not page.exception
    return page


def ask(page: AppTest, question: str) -> AppTest:
    page.chat_input[0].set_value(question).run()
    return settle(page)


def settle(page: AppTest, seconds: float = 30) -> AppTest:
    end = time.monotonic() + seconds
    while any(button.label == "Stop" for button in page.button):
        assert time.monotonic() < end, "the question still runs"
        time.sleep(0.05)
        page.run()
    assert not page.exception
    return page


def texts(page: AppTest) -> str:
    return "\n".join(element.value for element in page.markdown)


def button(page: AppTest, label: str) -> AppTest:
    next(b for b in page.button if label in b.label).click().run()
    assert not page.exception
    return page
