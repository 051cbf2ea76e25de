import http.client
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from chatbot.settings import Settings
from tests.browser.chat import SLOW, ask, fits
from tests.browser.conftest import free_port, strata_serves
from tests.browser.signing_in import (
    ADMIN,
    GROUP,
    LIAR,
    OTHER,
    USER,
    naming_proxy,
    provider,
)

pytestmark = pytest.mark.browser

QUESTION = "What is the default of wait-to-restore in 17.20?"

Visit = Callable[..., Page]


@pytest.fixture(scope="module")
def strata(documentation: Settings) -> Iterator[str]:
    """The address of a Strata where people sign in with OpenID Connect."""
    port = free_port()
    with (
        provider() as issuer,
        strata_serves(
            documentation,
            port=port,
            oidc_issuer=issuer,
            oidc_client_id="strata",
            oidc_client_secret="a-secret",
            public_url=f"http://127.0.0.1:{port}",
            admins="ada@example.org",
            admin_claim="groups=strata",
            users="@example.org",
        ) as address,
    ):
        yield address


@pytest.fixture
def visit(chromium: Browser) -> Iterator[Visit]:
    """Opens an address as somebody who was never there; nothing outside may be asked for."""
    contexts = []
    outside: list[str] = []

    def leave_out(route: Any) -> None:
        outside.append(route.request.url)
        route.abort()

    def at(address: str, width: int = 1440, height: int = 900, **cookies: str) -> Page:
        context = chromium.new_context(viewport={"width": width, "height": height})
        contexts.append(context)
        context.route(re.compile(r"^https?://(?!127\.0\.0\.1:)"), leave_out)
        for name, value in cookies.items():
            context.add_cookies([{"name": name, "value": value, "url": address}])
        page = context.new_page()
        page.set_default_timeout(SLOW)
        page.goto(address)
        return page

    yield at
    for context in contexts:
        context.close()
    # The provider of the tests asks for a style sheet; Strata asks for nothing.
    assert [url for url in outside if not url.endswith("pico.min.css")] == []


def is_outside(page: Page) -> bool:
    """Whether the page says how to sign in, and nothing of what lies behind."""
    expect(page.get_by_role("button", name="Sign in")).to_be_visible(timeout=SLOW)
    expect(page.locator("[data-test-script-state=notRunning]")).to_be_attached(timeout=SLOW)
    shown = page.locator("body").inner_text()
    hidden = ("tessaline", "valve", "Chat", "Account", "History", "torque", "example.org")
    return not any(word in shown for word in hidden)


def sign_in(page: Page, person: Mapping[str, Any]) -> list[str]:
    """Sign in at the provider; return which pages and sections of pages there are then."""
    page.get_by_role("button", name="Sign in").click()
    page.locator(f"button[value='{person['sub']}']").click()
    links = page.get_by_test_id("stTopNavLink")
    expect(links.first).to_be_visible(timeout=SLOW)
    expect(page.get_by_test_id("stChatInputTextArea")).to_be_visible(timeout=SLOW)
    sections = page.get_by_test_id("stTopNavSection")
    found = [*links.all_inner_texts(), *sections.all_inner_texts()]
    # Beside a name stands its icon, which is text of a font.
    return [next(line for line in name.split("\n") if line[:1].isupper()) for name in found]


def signed_in(visit: Visit, strata: str, person: Mapping[str, Any]) -> Page:
    page = visit(strata)
    sign_in(page, person)
    return page


def status(address: str, path: str, come_from: str = "127.0.0.1", **headers: str) -> int:
    """What the server answers to somebody who connects from an address."""
    port = int(address.rpartition(":")[2])
    connection = http.client.HTTPConnection("127.0.0.1", port, 10, (come_from, 0))
    try:
        connection.request("GET", path, headers=headers)
        return connection.getresponse().status
    finally:
        connection.close()


def test_who_is_not_signed_in_sees_how_to_and_nothing_else(strata: str, visit: Visit) -> None:
    page = visit(strata)
    assert is_outside(page)
    for path in ("history", "account", "?conversation=1&turn=1"):
        page.goto(f"{strata}/{path}")
        assert is_outside(page)
    page.set_viewport_size({"width": 390, "height": 844})
    assert fits(page)
    assert page.get_by_role("heading", name="Strata").is_visible()
    assert status(strata, "/_stcore/health") == 200
    for path in ("/_stcore/metrics", "/media/0123.png", "/_stcore/upload_file/a/b"):
        assert status(strata, path) == 401


def test_a_user_has_their_own_conversations_and_no_page_of_admins(
    strata: str, visit: Visit
) -> None:
    page = visit(strata)
    assert sign_in(page, USER) == ["Chat", "Releases", "Account"]
    ask(page, QUESTION)
    mine = page.url
    assert "conversation=" in mine
    for path in ("history", "audit"):
        page.goto(f"{strata}/{path}")
        expect(page.get_by_text("Page not found")).to_be_visible(timeout=SLOW)
    page.get_by_role("dialog").get_by_role("button", name="Close").click()

    other = signed_in(visit, strata, OTHER)
    other.goto(mine)
    expect(other.get_by_role("heading", name=re.compile("Ask about"))).to_be_visible(timeout=SLOW)
    expect(other.locator("[data-test-script-state=notRunning]")).to_be_attached(timeout=SLOW)
    assert "wait-to-restore in 17.20?" not in other.locator("body").inner_text()
    assert "conversation=" not in other.url

    page.get_by_role("link", name="Account").click()
    expect(page.get_by_text("Signed in as Bo *b* (bo@example.org)")).to_be_visible(timeout=SLOW)
    with page.expect_download() as download:
        page.get_by_role("button", name="Download as JSON").click()
    assert QUESTION in download.value.path().read_text("utf-8")
    page.get_by_role("button", name="Delete all").click()
    page.get_by_text("Yes, delete all of my conversations").click()
    page.get_by_role("button", name="Delete", exact=True).click()
    page.get_by_role("button", name="End session").click()
    assert is_outside(page)
    sign_in(page, USER)
    expect(page.get_by_text("Your conversations will appear here.")).to_be_visible(timeout=SLOW)


def test_admins_have_more_pages_until_they_sign_out(strata: str, visit: Visit) -> None:
    page = visit(strata)
    pages = sign_in(page, ADMIN)
    assert pages == ["Chat", "Releases", "Account", "Admin"]
    page.get_by_test_id("stTopNavSection").click()
    page.get_by_role("menuitem", name="Audit log").click()
    expect(page.get_by_role("heading", name="Audit log")).to_be_visible(timeout=SLOW)
    assert status(strata, "/_stcore/metrics", Cookie=_cookies(page)) == 200

    page.get_by_role("link", name="Account").click()
    page.get_by_role("button", name="Sign out").click()
    page.get_by_role("button", name="End session").click()
    assert is_outside(page)
    page.go_back()
    page.goto(f"{strata}/audit")
    assert is_outside(page)
    assert status(strata, "/_stcore/metrics", Cookie=_cookies(page)) == 401
    assert sign_in(page, GROUP) == pages


def test_an_address_that_is_not_verified_makes_no_admin(strata: str, visit: Visit) -> None:
    liar = visit(strata)
    liar.get_by_role("button", name="Sign in").click()
    liar.locator(f"button[value='{LIAR['sub']}']").click()
    expect(liar.get_by_text("Di may not use this Strata")).to_be_visible(timeout=SLOW)
    assert liar.get_by_test_id("stTopNavLink").count() == 0


def test_a_proxy_names_people_and_nobody_else_does(documentation: Settings, visit: Visit) -> None:
    with naming_proxy(documentation, "Bo@example.org") as proxy:
        page = visit(f"{proxy.address}/account")
        expect(page.get_by_text("Signed in as bo@example.org")).to_be_visible(timeout=SLOW)
        assert "History" not in page.locator("body").inner_text()

        proxy.person = ""
        page.reload()
        expect(page.get_by_text("and sign in there")).to_be_visible(timeout=SLOW)
        assert page.get_by_test_id("stTopNavLink").count() == 0


def _cookies(page: Page) -> str:
    return "; ".join(f"{c['name']}={c['value']}" for c in page.context.cookies())
