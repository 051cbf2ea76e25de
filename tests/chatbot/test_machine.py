"""The generator that a machine can bear, and what is said and done about it."""

from pathlib import Path
from typing import Any

import pytest

from chatbot.administration.in_use import in_use, larger_generator
from chatbot.errors import ModelDownloadError
from chatbot.models import machine
from chatbot.models.files import GENERATOR, GENERATORS, ModelFile
from chatbot.models.machine import Machine, fitting_generators, generator_here, this_machine
from chatbot.settings import Settings, read_settings
from ui.cli import models as command

LAPTOP = Machine(memory=16, cores=8)


@pytest.mark.parametrize(
    ("machine", "largest"),
    [
        (Machine(memory=1, cores=1), "qwen2.5-coder-1.5b"),
        (Machine(memory=2, cores=2), "qwen2.5-coder-0.5b"),
        (Machine(memory=4, cores=4), "qwen3.5-2b"),
        (LAPTOP, "qwen3-4b"),
        (Machine(memory=8, cores=64), "qwen3-4b"),
        (Machine(memory=16, cores=16), "granite-4.1-8b"),
        (Machine(memory=32, cores=2, gpu=24), "granite-4.1-8b"),
        (Machine(memory=8, cores=2, gpu=24), "qwen3-4b"),
    ],
)
def test_memory_cores_and_gpu_decide(machine: Machine, largest: str) -> None:
    assert fitting_generators(machine)[0].key == largest


def test_a_container_has_its_own_share(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(machine, "_CONTROL_GROUP", tmp_path)
    monkeypatch.setattr(machine.psutil, "cpu_count", lambda logical: 8)
    (tmp_path / "cpu.max").write_text("max 100000\n")
    (tmp_path / "memory.max").write_text("max\n")
    alone = this_machine.__wrapped__()
    assert (alone.cores, alone.memory > 0) == (8, True)
    (tmp_path / "cpu.max").write_text("250000 100000\n")
    (tmp_path / "memory.max").write_text(f"{1 << 30}\n")
    shared = this_machine.__wrapped__()
    assert (shared.memory, shared.cores) == (1, 2)


@pytest.fixture
def laptop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The models folder of a machine that can bear more than the default."""
    for module in ("chatbot.administration.in_use", "chatbot.models.settings", "ui.cli.models"):
        monkeypatch.setattr(f"{module}.this_machine", lambda: LAPTOP)
    monkeypatch.setenv("STRATA_MODELS_DIR", str(tmp_path))
    return tmp_path


def told(settings: Settings) -> tuple[str, str, str]:
    # For the profile `auto` the file would be read, which is empty here.
    model, _ = in_use(settings.model_copy(update={"profile": "embedded"}))
    return settings.generator_in_use, model.why, larger_generator(settings)


@pytest.mark.usefixtures("laptop")
def test_the_default_stays_and_what_could_be_taken_is_said() -> None:
    used, why, larger = told(read_settings())
    assert (used, why) == (GENERATOR.key, "it is the default")
    assert "16 GB of memory, 8 cores" in larger
    assert "qwen3-4b: STRATA_GENERATOR=auto takes it" in larger
    assert larger_generator(read_settings(generator=GENERATOR.key)) == ""
    assert larger_generator(read_settings(backend="server")) == ""


def test_auto_takes_what_was_fetched(laptop: Path) -> None:
    used, _, larger = told(read_settings(generator="auto"))
    assert used == GENERATOR.key == generator_here(LAPTOP, laptop).key
    assert "qwen3-4b: `strata models pull` takes it" in larger
    # The largest that is here and that the machine bears.
    for key in ("granite-4.1-8b", "qwen2.5-coder-0.5b", "qwen3.5-2b"):
        GENERATORS[key].path_in(laptop).touch()
    assert generator_here(LAPTOP, laptop).key == "qwen3.5-2b"
    GENERATORS["qwen3-4b"].path_in(laptop).touch()
    used, why, larger = told(read_settings(generator="auto"))
    assert (used, larger) == ("qwen3-4b", "")
    assert "largest one present" in why


@pytest.mark.parametrize("hub_answers", [True, False])
def test_pulling_with_auto(
    hub_answers: bool,
    laptop: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("STRATA_GENERATOR", "auto")

    def pull(wanted: list[ModelFile], folder: Path, **_: Any) -> None:
        for model in wanted:
            if not (model.wheels or hub_answers):
                raise ModelDownloadError("it cannot be reached")
            model.path_in(folder).touch()

    monkeypatch.setattr(command, "pull", pull)
    command.pull_models()
    out = capsys.readouterr().out
    default_too = GENERATOR.path_in(laptop).exists()
    assert default_too is not hub_answers
    assert ("so qwen2.5-coder-1.5b is used" in out) is not hub_answers
    assert read_settings().generator_in_use == ("qwen3-4b" if hub_answers else GENERATOR.key)
