import socket
import subprocess
import sys
import time
from base64 import b64encode
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pymupdf
import pytest

from ingestion.confinement import lacking
from tests.ui.hostile_drawings import REFUSED, drawing
from tests.ui.valve_corpus import mounting_guide
from ui.sources.page_picture import NoPicture, page_picture

TORQUE = "The cover screw needs a torque of 4.5 N m."


def pixels(png: bytes) -> npt.NDArray[np.uint8]:
    picture: Any = pymupdf.Pixmap(png)  # type: ignore[no-untyped-call]
    shape = picture.height, picture.width, picture.n
    return np.frombuffer(picture.samples, np.uint8).reshape(shape)


def yellow(png: bytes) -> tuple[int, int, int, int] | None:
    """The box around everything that is yellow, in points of the page."""
    picture = pixels(png)
    rows, columns = np.nonzero((picture[..., 2] < 140) & (picture[..., 0] > 140))
    if not rows.size:
        return None
    corners = columns.min(), rows.min(), columns.max(), rows.max()
    left, top, right, bottom = (int(corner) // 2 for corner in corners)
    return left, top, right, bottom


def test_the_quoted_words_are_marked_on_the_printed_page() -> None:
    left, top, right, bottom = yellow(page_picture(mounting_guide(), 2, [TORQUE])) or (0, 0, 0, 0)

    # The line's baseline is at 90; the lines above and below it are at 60 and 120.
    assert 70 < top < bottom < 105
    assert left < 50
    assert right > 200


def test_nothing_is_marked_without_a_quote_or_on_another_page() -> None:
    assert yellow(page_picture(mounting_guide(), 2)) is None
    assert yellow(page_picture(mounting_guide(), 1, [TORQUE])) is None


@pytest.mark.parametrize(
    ("pdf", "number"),
    [(b"%PDF-1.7 broken", 1), (b"", 1), (b"<svg/>", 1), (mounting_guide(), 9)],
)
def test_what_cannot_be_drawn_is_told(pdf: bytes, number: int) -> None:
    with pytest.raises(NoPicture, match=f"{number} cannot be drawn"):
        page_picture(pdf, number, [TORQUE])


def colours(png: bytes) -> set[tuple[int, ...]]:
    every_fourth = pixels(png)[::4, ::4]
    found = np.unique(every_fourth.reshape(-1, every_fourth.shape[-1]), axis=0)
    return {tuple(map(int, colour)) for colour in found}


def red_square(folder: Path) -> Path:
    """A picture on the disk that a drawing could try to show."""
    file = folder / "secret.png"
    red: Any = pymupdf.Pixmap(pymupdf.csRGB, (0, 0, 50, 50))  # type: ignore[no-untyped-call]
    red.set_rect(red.irect, (255, 0, 0))
    red.save(file)
    return file


GREEN, RED, WHITE = (0, 170, 0), (255, 0, 0), (255, 255, 255)


def test_a_drawing_is_drawn_with_the_quoted_words_marked() -> None:
    labels = drawing('<text x="60" y="30">Fan</text><text x="60" y="80">Lamp test</text>')
    png = page_picture(labels, 1, ["Lamp test"], "svg")
    left, top, _, bottom = yellow(png) or (0, 0, 0, 0)
    assert GREEN in colours(png)
    assert left > 30
    assert top > bottom / 2
    assert yellow(page_picture(labels, 1, [], "svg")) is None


def test_a_drawing_shows_what_it_holds_and_nothing_of_the_disk_or_the_net(tmp_path: Path) -> None:
    secret = red_square(tmp_path)
    own = b64encode(secret.read_bytes()).decode()
    place = '<image x="100" width="100" height="100" href="{}"/>'
    with socket.create_server(("127.0.0.1", 0)) as server:
        address = f"http://127.0.0.1:{server.getsockname()[1]}/secret.png"
        hrefs = (address, secret.as_uri(), str(secret), f"file:{secret}", "secret.png")
        foreign = "".join(place.format(href) for href in hrefs)
        assert colours(page_picture(drawing(foreign), 1, [], "svg")) == {GREEN, WHITE}
        server.setblocking(False)
        with pytest.raises(BlockingIOError):
            server.accept()
    shown = page_picture(drawing(place.format(f"data:image/png;base64,{own}")), 1, [], "svg")
    assert RED in colours(shown)


@pytest.mark.parametrize("name", ["billion laughs", "billion squares"])
def test_a_drawing_that_would_harm_is_told_at_once(name: str) -> None:
    started = time.monotonic()
    with pytest.raises(NoPicture, match="The drawing cannot be drawn; its text is shown"):
        page_picture(REFUSED[name], 1, [], "svg")
    assert time.monotonic() - started < 10


@pytest.mark.parametrize("size", ['viewBox="0 0 1e300 1"', 'width="90000" height="50000"'])
def test_no_size_makes_the_picture_larger_than_a_screen(size: str) -> None:
    huge = drawing().replace(b'width="200" height="100"', size.encode())
    try:
        picture: Any = pymupdf.Pixmap(page_picture(huge, 1, [], "svg"))  # type: ignore[no-untyped-call]
    except NoPicture:
        return
    assert max(picture.width, picture.height) <= 2400


def test_the_child_reaches_neither_file_connection_nor_process_once_it_draws(
    tmp_path: Path,
) -> None:
    kept = tmp_path / "kept"
    kept.write_text("kept")
    more = "" if lacking() else ", lambda: os.chmod(kept, 0o666), os.fork, lambda: os.utime(kept)"
    tries = (
        "import os, socket, ui.sources.page_picture as child\n"
        f"kept = {str(kept)!r}\n"
        "child.bound()\n"
        f"for attempt in (lambda: open('/etc/passwd'), socket.socket{more}):\n"
        "    try:\n"
        "        attempt()\n"
        "    except OSError:\n"
        "        continue\n"
        "    raise SystemExit('it opened something')\n"
    )
    subprocess.run([sys.executable, "-c", tries], check=True, capture_output=True)
