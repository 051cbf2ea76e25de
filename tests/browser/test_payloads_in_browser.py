import sys
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import OpenPage, free_port, running
from tests.ui.payloads import PAYLOADS
from ui.wording.escaping import visible

pytestmark = pytest.mark.browser

APP = Path(__file__).with_name("payload_app.py")


def words(text: str) -> str:
    return " ".join(text.split())


def test_no_payload_is_anything_but_text_in_the_browser(open_page: OpenPage) -> None:
    port = free_port()
    command = [sys.executable, "-m", "streamlit", "run", str(APP), f"--server.port={port}"]
    command += ["--server.address=127.0.0.1", "--server.headless=true"]
    quiet = {"STREAMLIT_BROWSER_GATHER_USAGE_STATS": "false"}
    with running(command, port, quiet) as address:
        page = open_page(address)
        expect(page.get_by_role("heading", name="All are shown")).to_be_visible(timeout=60_000)
        for i in range(len(PAYLOADS)):
            expect(page.locator(f".st-key-button-{i}")).not_to_have_text("", timeout=60_000)
        for i, payload in enumerate(PAYLOADS):
            text = words(visible(payload))
            shown = {
                kind: words(page.locator(f".st-key-{kind}-{i}").inner_text())
                for kind in ("text", "quote", "mark", "cell", "button", "error")
            }
            assert shown == {
                "text": text,
                "quote": text,
                "mark": f"before {text} after",
                "cell": f"head other {text} end",
                "button": text,
                "error": f"No answer: {text}",
            }
        assert page.locator("main a, main img, main iframe, main script, .katex").count() == 0
