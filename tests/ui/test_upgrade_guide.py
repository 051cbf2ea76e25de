"""The upgrade guide and the gaps between releases: page, command line and programs."""

import json
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from chatbot.accounts.people import Person
from chatbot.chatbot import Chatbot
from chatbot.models.scripted import ScriptedChatModel
from chatbot.settings import Settings
from tests.ui.admin_pages import open_admin_page, press, run, shown, tab
from tests.ui.conftest import Command, MakeChatbot, SignIn

USER = Person("bo@example.org", "Bo", is_admin=False)
ADMIN = Person("ada@example.org", "Ada", is_admin=True)
CONFIG = "[valve]\nhold_time = 12\ndrain_time = 7\npassword = <b>hunter2</b>\n"


@pytest.fixture
def guide(valve: MakeChatbot, signed_in: SignIn) -> AppTest:
    """The upgrade guide of the page Releases, as somebody sees it who is no admin."""
    valve(None)
    signed_in(USER)
    return tab(open_admin_page("releases"), "releases-tabs", "Upgrade guide")


def test_the_page_lists_what_changes_of_a_configuration(guide: AppTest) -> None:
    guide.text_area(key="upgrade-uses").set_value(CONFIG)
    told = shown(press(guide, "Make the guide"))
    assert "From 1.0 to 2.0: new defaults and values: 1." in told
    assert "**hold_time**" in told
    assert "2.0: default: 20 s → 45 s" in told
    assert "drain_time" not in told
    assert "hunter2" not in told
    labels = [b.label for b in guide.button if "·" in b.label]
    assert [label.split(" · ")[0] for label in labels] == ["1\\.0", "2\\.0"]


def test_the_page_tells_what_a_model_read_and_what_it_did_not(
    valve: MakeChatbot, valve_settings: Settings, signed_in: SignIn
) -> None:
    signed_in(USER)
    server = {"backend": "server", "model": "m", "server_url": "http://127.0.0.1:9/v1"}
    capable = valve_settings.model_copy(update=server)
    nothing = ScriptedChatModel(otherwise='{"changes": []}')
    for model, wanted in ((nothing, "nothing that changes"), (ScriptedChatModel(), "did not read")):
        valve(model, capable)
        page = tab(open_admin_page("releases"), "releases-tabs", "Upgrade guide")
        page.text_area(key="upgrade-uses").set_value(CONFIG)
        told = shown(press(page, "Make the guide"))
        assert wanted in told
        assert ("hold_time" in told) is (wanted == "did not read")


def test_the_page_says_so_where_nothing_changes_and_what_is_wrong(guide: AppTest) -> None:
    guide.text_area(key="upgrade-uses").set_value("drain_time = 7")
    assert "Nothing of it changes" in shown(press(guide, "Make the guide"))
    guide.text_area(key="upgrade-uses").set_value(",;,")
    press(guide, "Make the guide")
    assert "name features" in guide.error[0].value
    guide.selectbox(key="releases-from").select("2.0")
    guide.selectbox(key="releases-to").select("1.0")
    run(guide)
    guide.text_area(key="upgrade-uses").set_value("hold_time")
    press(guide, "Make the guide")
    assert "does not come after" in guide.error[0].value


def test_a_link_opens_the_guide(valve: MakeChatbot, signed_in: SignIn) -> None:
    valve(None)
    signed_in(USER)
    assert open_admin_page("releases", view="upgrade").text_area(key="upgrade-uses")


def test_a_comparison_in_the_chat_points_to_the_guide(
    valve: MakeChatbot, signed_in: SignIn
) -> None:
    from tests.ui.pages import ask, open_page

    valve(None)
    signed_in(USER)
    page = ask(open_page(), "what must I change from 1.0 to 2.0?")
    (link,) = [e for e in page.get("page_link") if "Upgrade guide" in e.proto.label]
    assert "releases-from=1.0" in link.proto.query_string
    assert "view=upgrade" in link.proto.query_string


def test_the_gaps_between_releases_are_for_admins(valve: MakeChatbot, signed_in: SignIn) -> None:
    valve(None)
    signed_in(ADMIN)
    page = tab(open_admin_page("gaps"), "gaps-tabs", "Between releases")
    assert "Nothing was found" in page.info[0].value


def test_the_command_line_takes_a_file_standard_input_and_words(
    chatbot: Chatbot, strata: Command, tmp_path: Path
) -> None:
    file = tmp_path / "valve.ini"
    file.write_text(CONFIG, encoding="utf-8")
    of = ("upgrade-guide", "valve", "--from", "1.0", "--to", "2.0")
    for told in (
        strata(*of, "--for", file, "--json"),
        strata(*of, "--for", "-", "--json", typed=CONFIG),
        strata(*of, "--for", "hold_time, drain_time", "--json"),
    ):
        (item,) = json.loads(told.stdout)["items"]
        assert (item["name"], item["need"]) == ("hold_time", "new default")
        (step,) = item["steps"]
        assert [cited["release"] for cited in step["citations"]] == ["1.0", "2.0"]
    written = strata(*of, "--markdown").stdout
    assert "## New defaults and values" in written
    assert "hunter2" not in written
    assert "hold_time" in strata(*of).stdout
    assert strata(*of, "--json", "--markdown").exit_code != 0
    assert "No gaps" in strata("releases", "gaps", "valve").stdout
    assert json.loads(strata("releases", "gaps", "valve", "--json").stdout) == []
    assert strata("releases", "gaps", "valve", "--csv").stdout == ""
