"""`strata memory`: a FAQ goes in, comes out, and goes in again."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from chatbot.errors import FaqError
from chatbot.settings import Settings
from tests.data_folders import copy_data
from ui.cli.main import app

FAQ = """question,answer,release,score
How is the valve cleaned?,With [b]water[/b].,1.0,
How loud is it?,42 dB,1.0,0.1
"""


def test_a_faq_goes_in_comes_out_and_goes_in_again(
    valve_settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = copy_data(valve_settings.data_dir, tmp_path / "data")
    monkeypatch.setenv("STRATA_DATA_DIR", str(data))
    monkeypatch.setenv("STRATA_GENERATOR", "none")
    file, out = tmp_path / "faq.csv", tmp_path / "out.csv"

    def run(*arguments: object) -> Result:
        return CliRunner().invoke(app, ["memory", *map(str, arguments)])

    file.write_text(FAQ, "utf-8-sig")
    told = run("import", file, "--product", "valve")
    assert (told.exit_code, "2 answers added, 0 with citations." in told.stdout) == (0, True)
    assert run("export", "--output", out).exit_code == 0
    assert out.read_bytes().startswith(b"\xef\xbb\xbf")
    again = json.loads(run("import", out, "--json").stdout)
    assert (again["added"], again["known"], again["left_out"]) == (0, 2, [])
    assert '"0.1"' in run("export", "--product", "valve").stdout
    assert run("export", "--product", "valve", "--release", "2.0").stdout == ""

    file.write_text(f"{FAQ}How old is it?,[b]old[/b],9.9,\nWhy?,,1.0,\n")
    told = run("import", file, "--product", "valve")
    assert (told.exit_code, "2 questions already answered" in told.stdout) == (3, True)
    assert "Line 4 skipped: there is no valve 9.9; there is: valve 1.0, valve 2.0" in told.stdout
    file.write_text("question,answer,release\nWhy?,,1.0\n")
    told = run("import", file, "--product", "valve", "--json")
    reasons = [{"line": 2, "reason": "the answer is empty"}]
    assert (told.exit_code, json.loads(told.stdout)["left_out"]) == (1, reasons)
    assert isinstance(run("import", tmp_path / "none.csv").exception, FaqError)
    assert run("export", "--release", "1.0").exit_code == 2
