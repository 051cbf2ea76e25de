import subprocess
import sys
from pathlib import Path

import pytest

from chatbot.settings import Settings, read_settings
from ingestion.errors import BadSettings

ROOT = Path(__file__).parents[2]


def test_the_tables_of_the_documentation_are_what_the_code_says() -> None:
    script = ROOT / "scripts" / "configuration.py"
    subprocess.run([sys.executable, script, "--check"], check=True, env={"PYTHONPATH": str(ROOT)})
    first, _, second = (ROOT / "docs" / "configuration.md").read_text("utf-8").partition("## Adv")
    told = "the first table has more than 30 settings: make one of them `advanced`"
    assert first.count("\n| `") <= 30, told
    assert first.count("\n| `") + second.count("\n| `") > 30


def test_ocr_in_a_language_that_is_not_there_is_refused_before_anything_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "eng.traineddata").touch()
    monkeypatch.setenv("TESSDATA_PREFIX", str(tmp_path))
    assert Settings().reading_limits.ocr is None
    found = Settings(ocr="eng", reading_seconds=100).reading_limits.ocr
    assert found is not None
    assert (found.languages, found.data, found.seconds) == ("eng", str(tmp_path), 70)
    with pytest.raises(BadSettings, match=r"STRATA_OCR.*'deu' was not found.*tesseract-ocr-deu"):
        _ = Settings(ocr="eng+deu").reading_limits


def test_the_environment_wins_over_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "strata.toml"
    file.write_text('port = 9000\ndata_dir = "kept"\n[memory]\ntau = 0.7\n', "utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("STRATA_DATA_DIR", raising=False)
    monkeypatch.setenv("STRATA_PORT", "9001")
    settings = Settings()
    assert (settings.port, settings.data_dir) == (9001, Path("kept"))
    assert settings.memory_tau == 0.7


def test_an_unknown_setting_in_the_file_is_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "strata.toml").write_text("prot = 9000\n", "utf-8")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(BadSettings, match="prot"):
        read_settings()


@pytest.mark.parametrize(
    ("given", "folders"), [("/a:/b c", ["/a", "/b c"]), ('["/a:b"]', ["/a:b"])]
)
def test_folders_are_written_as_in_path_or_as_json(
    given: str, folders: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("STRATA_SOURCE_FOLDERS", given)
    assert [str(folder) for folder in read_settings().source_folders] == folders


def test_a_table_that_is_no_json_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STRATA_SOURCE_TOKENS", "github=secret")
    with pytest.raises(BadSettings, match=r"source_tokens.*JSON") as failed:
        read_settings()
    assert "secret" not in str(failed.value)


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.168.1.5", "example.org"])
def test_without_sign_in_only_a_loopback_address_is_accepted(host: str) -> None:
    with pytest.raises(BadSettings, match=r"STRATA_HOST.*no sign-in configured"):
        read_settings(host=host)


def test_a_range_of_temperatures_goes_upwards() -> None:
    with pytest.raises(BadSettings, match=r"TEMPERATURE_MAX.*below the lowest"):
        read_settings(temperature_min=0.7, temperature_max=0.2)
    with pytest.raises(BadSettings, match="TEMPERATURE_MAX"):
        read_settings(temperature_min=0.7)
    assert read_settings(temperature_min=0.2, temperature_max=0.7).temperature_max == 0.7


@pytest.mark.parametrize(("given", "kept"), [(" sk-secret\r\n", "sk-secret"), (" \n", None)])
def test_the_line_end_of_a_key_is_no_part_of_it(given: str, kept: str | None) -> None:
    key = read_settings(server_key=given).server_key
    assert (key and key.get_secret_value()) == kept


@pytest.mark.parametrize("between", ["\n", "\r", "\x00", "é"])
def test_a_key_that_cannot_be_sent_is_refused_and_not_shown(between: str) -> None:
    with pytest.raises(BadSettings, match=r"STRATA_SERVER_KEY.*holds a line break") as failed:
        read_settings(server_key=f"sk-secret{between}sk-secret")
    assert "sk-secret" not in f"{failed.value}{failed.value.__cause__}"


@pytest.mark.parametrize("url", ["127.0.0.1:8000", "ftp://example.org/v1", "http://", "http://[x/"])
def test_an_address_that_is_none_is_refused(url: str) -> None:
    with pytest.raises(BadSettings, match="STRATA_SERVER_URL"):
        read_settings(server_url=url)
