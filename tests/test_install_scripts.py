import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


def run(*command: str | Path, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [str(part) for part in command],
        cwd=ROOT,
        env={"PATH": "/usr/bin:/bin", **environment},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture
def bin_dir(tmp_path: Path) -> Path:
    """A folder of commands that stand for what a machine has."""
    folder = tmp_path / "bin"
    folder.mkdir()
    return folder


def write_command(folder: Path, name: str, script: str) -> Path:
    path = folder / name
    path.write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
    path.chmod(0o755)
    return path


def test_a_missing_python_is_named_with_what_to_do(tmp_path: Path) -> None:
    ended = run("scripts/create_venv.sh", "no-such-python", tmp_path / "venv")
    assert ended.returncode == 1
    assert "No Python at 'no-such-python'" in ended.stderr
    assert "make run PYTHON=" in ended.stderr


def test_a_python_without_venv_leaves_nothing_half_made(bin_dir: Path, tmp_path: Path) -> None:
    python = write_command(
        bin_dir,
        "python3",
        'if [ "$2" = venv ]; then mkdir -p "$3/bin"; touch "$3/bin/python"; exit 1; fi\n'
        f'exec {sys.executable} "$@"',
    )
    ended = run("scripts/create_venv.sh", python, tmp_path / "venv")
    assert ended.returncode == 1
    assert "apt-get install python3." in ended.stderr
    assert not (tmp_path / "venv").exists()


def test_packages_that_cannot_be_installed_say_what_to_do(bin_dir: Path) -> None:
    ended = run("scripts/install.sh", write_command(bin_dir, "python", "exit 1"), "base")
    assert ended.returncode == 1
    assert "PIP_INDEX_URL" in ended.stderr


@pytest.mark.parametrize(("ci", "code"), [({"CI": "true"}, 1), ({}, 0)], ids=["ci", "elsewhere"])
def test_a_missing_browser_fails_in_ci_only(bin_dir: Path, ci: dict[str, str], code: int) -> None:
    (bin_dir / "sh").symlink_to(shutil.which("sh") or "/bin/sh")
    write_command(bin_dir, "id", "echo 1000")
    ended = run("/bin/sh", "scripts/install_browser.sh", PATH=str(bin_dir), **ci)
    assert ended.returncode == code
    assert "install the package 'chromium'" in ended.stderr


@pytest.mark.parametrize(("ci", "code"), [({"CI": "true"}, 1), ({}, 0)], ids=["ci", "elsewhere"])
def test_missing_languages_are_named_and_fail_in_ci_only(
    bin_dir: Path, tmp_path: Path, ci: dict[str, str], code: int
) -> None:
    for name in ("sh", "find", "head", "tr"):
        (bin_dir / name).symlink_to(shutil.which(name) or f"/bin/{name}")
    write_command(bin_dir, "id", "echo 1000")
    (tmp_path / "eng.traineddata").touch()
    own = {"PATH": str(bin_dir), "TESSDATA_PREFIX": str(tmp_path), **ci}
    ended = run("/bin/sh", "scripts/install_ocr.sh", "eng", "chi_sim", **own)
    assert ended.returncode == code
    assert "install tesseract-ocr-chi-sim." in ended.stderr
    there = run("/bin/sh", "scripts/install_ocr.sh", **own)
    assert (there.returncode, there.stderr) == (0, "")
