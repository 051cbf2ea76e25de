"""A product that is closed, in a browser: of somebody without the right, and of one with it."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from chatbot.accounts.people import LOCAL
from chatbot.administration.administration import Administration
from chatbot.memory.suspending import open_database
from chatbot.settings import Settings
from corpora.catalog.rights import Audience, Right
from corpora.database.engine import Database
from tests.browser.chat import SLOW, ask, choose_product, last_answer, listed, main, settle
from tests.browser.signing_in import NamingProxy, naming_proxy
from tests.ui.valve_corpus import QUESTION

pytestmark = pytest.mark.browser

GROUPS = "X-Forwarded-Groups"
BO = "bo@example.org"
ANN = f"ann@example.org\r\n{GROUPS}: staff"
"""Who is in a group, as the proxy says in a header of its own."""


@pytest.fixture
def proxy(documentation: Settings) -> Iterator[NamingProxy]:
    """What signs people in at a Strata with the products tessaline and valve."""
    with naming_proxy(documentation, BO, proxy_groups_header=GROUPS) as proxy:
        yield proxy


@pytest.fixture
def database(documentation: Settings) -> Iterator[Database]:
    """The database of it; what is said of the valve is taken back."""
    database = open_database(documentation)
    yield database
    Administration(database, LOCAL).change_right("valve", "", None)
    database.close()


def opened(page: Page, proxy: NamingProxy, path: str = "") -> str:
    """Everything that stands on a page, which somebody opens anew."""
    page.goto(f"{proxy.address}/{path}")
    expect(page.get_by_test_id("stTopNavLink").first).to_be_visible(timeout=SLOW)
    settle(page)
    chosen = page.locator("input").evaluate_all("inputs => inputs.map(input => input.value)")
    return "\n".join([page.locator("body").inner_text(), *chosen]).casefold()


def products(page: Page) -> list[str]:
    """The products among which somebody chooses on the chat page."""
    page.get_by_test_id("stSelectbox").first.get_by_role("combobox").click()
    expect(page.get_by_role("option").first).to_be_visible()
    found = page.get_by_role("option").all_inner_texts()
    page.keyboard.press("Escape")
    return found


def test_who_may_not_see_a_product_finds_it_nowhere(
    proxy: NamingProxy, database: Database, chromium: Browser
) -> None:
    bo, ann = (chromium.new_context().new_page() for _ in range(2))
    opened(bo, proxy)
    every = products(bo)
    assert {"tessaline", "valve"} <= set(every)
    choose_product(bo, "valve")
    ask(bo, QUESTION)
    assert "45 s" in last_answer(bo)
    link = bo.url.rpartition("/")[2]
    assert "conversation=" in link

    Administration(database, LOCAL).change_right(
        "valve", "", Right(Audience.GROUPS, ("staff", "partners"))
    )
    for path in ("", "releases", "releases?releases-product=valve", "account", "?product=valve"):
        shown = opened(bo, proxy, path)
        assert "valve" not in shown, path
        assert "hold_time" not in shown, path
    opened(bo, proxy)
    assert products(bo) == [name for name in every if name != "valve"]
    choose_product(bo, "tessaline")
    expect(listed(bo, QUESTION)).to_have_count(0)
    opened(bo, proxy, link)
    expect(bo.get_by_text("This conversation no longer exists.")).to_be_visible(timeout=SLOW)
    assert "45 s" not in main(bo).inner_text()
    for question in ("Which products do you know?", "What is the default of hold_tme?"):
        ask(bo, question)
        told = last_answer(bo).casefold()
        assert not any(word in told for word in ("valve", "hold_time", "45 s"))
    opened(bo, proxy, "documents")
    expect(bo.get_by_text("Page not found")).to_be_visible(timeout=SLOW)

    proxy.person = ANN
    assert "hold_time" in opened(ann, proxy, "releases?releases-product=valve")
    opened(ann, proxy)
    choose_product(ann, "valve")
    ask(ann, QUESTION)
    assert "45 s" in last_answer(ann)
    for page in (bo, ann):
        page.context.close()
