"""Pages for admins without a browser, over a database that a test may change."""

import re

from streamlit.testing.v1 import AppTest

from tests.ui.pages import APP, go_to


def open_admin_page(name: str, **address: str) -> AppTest:
    """Open a page by its address; `address` is what else that says."""
    page = go_to(run(AppTest.from_file(str(APP), default_timeout=30)), name)
    for key, value in address.items():
        page.query_params[key] = value
    return run(page)


def run(page: AppTest) -> AppTest:
    page.run()
    assert not page.exception
    return page


def press(page: AppTest, label: str, at: int = 0) -> AppTest:
    [b for b in page.button if label in b.label][at].click()
    return run(page)


def tab(page: AppTest, key: str, name: str) -> AppTest:
    page.session_state[key] = name
    return run(page)


def shown(page: AppTest) -> str:
    """The texts of a page with the escapes resolved, as a browser shows them."""
    return plain("\n".join(element.value for element in page.markdown))


def errors(page: AppTest) -> str:
    return plain("\n".join(element.value for element in page.error))


def notices(page: AppTest) -> str:
    return plain("\n".join(element.value for element in page.toast))


def plain(markdown: str) -> str:
    return re.sub(r"\\([!-/:-@\[-`{-~])", r"\1", markdown)


def choose(page: AppTest, row: int) -> AppTest:
    """Choose a row of the first table."""
    page.session_state[page.dataframe[0].key] = {"selection": {"rows": [row]}}
    return run(page)
