"""Figures of the cited section, by the interface for programs."""

from pathlib import Path

import httpx

from chatbot.accounts.program_keys import Scope
from chatbot.chatbot import Chatbot
from corpora.building.building import Builder
from strata_client import Strata
from tests.pictures import picture
from tests.ui.api.conftest import MakeKey

WIRING = "# Winch\n\n## Brake cable\n\nThe brake cable is green.\n\n![A green cable](cable.png)\n"


def ingest(chatbot: Chatbot, folder: Path, text: str = WIRING) -> None:
    folder.mkdir(exist_ok=True)
    (folder / "winch.md").write_text(text)
    (folder / "cable.png").write_bytes(picture(colour="green"))
    builder = Builder(chatbot.database, chatbot.settings.data_dir, chatbot.embedder, workers=1)
    builder.ingest([folder], product="winch", release="3.0")


def test_a_citation_has_the_figures_of_its_section(
    strata: Strata, chatbot: Chatbot, address: str, tmp_path: Path, make_key: MakeKey
) -> None:
    ingest(chatbot, tmp_path / "winch")
    reply = strata.ask("Which colour has the brake cable?", product="winch", release="3.0")
    (figure,) = reply.citations[0]["figures"]
    assert figure["caption"] == figure["description"] == "A green cable"
    got = httpx.get(address + figure["url"])
    assert got.status_code == 200
    assert got.headers["content-type"] == "image/png"
    assert got.headers["x-content-type-options"] == "nosniff"
    assert got.content.startswith(b"\x89PNG")
    page = int(figure["url"].split("/")[4])
    for wrong in (
        figure["url"].replace(f"/{page}/", f"/{page + 1}/"),
        f"/api/v1/pages/{page}/figures/{'0' * 64}",
    ):
        assert httpx.get(address + wrong).status_code == 404
    # What does not serve any more is for admins alone.
    ingest(chatbot, tmp_path / "winch", WIRING.replace("green", "grey"))
    key = {"Authorization": f"Bearer {make_key(Scope.SEARCH)}"}
    assert httpx.get(address + figure["url"], headers=key).status_code == 404
