from pathlib import Path

import pytest
from playwright.sync_api import expect

from chatbot.assembly import open_chatbot
from chatbot.settings import Settings
from tests.browser.chat import ask, choose_product, fits, main
from tests.browser.conftest import OpenPage
from tests.ui.api.test_figures import ingest

pytestmark = pytest.mark.browser


def test_the_figures_of_the_cited_section_stand_below_the_answer(
    served: str, documentation: Settings, open_page: OpenPage, tmp_path: Path
) -> None:
    chatbot = open_chatbot(documentation)
    ingest(chatbot, tmp_path / "winch")
    chatbot.database.close()
    page = open_page(served)
    choose_product(page, "winch")
    ask(page, "Which colour has the brake cable?")
    figure = main(page).get_by_role("img", name="A green cable")
    expect(figure).to_be_visible()
    assert figure.evaluate("image => image.complete && image.naturalWidth") > 100
    assert fits(page)
    small = figure.bounding_box()
    main(page).get_by_role("button", name="A green cable", exact=True).click()
    large = page.get_by_role("dialog").get_by_role("img", name="A green cable")
    expect(large).to_be_visible()
    assert small is not None
    page.wait_for_function(
        """width => document.querySelector('[role=dialog] img').getBoundingClientRect().width
                    > width""",
        arg=small["width"],
    )
    page.keyboard.press("Escape")
    page.set_viewport_size({"width": 390, "height": 844})
    expect(figure).to_be_visible()
    assert fits(page)
