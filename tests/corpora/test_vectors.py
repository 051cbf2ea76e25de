import shutil
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from time import monotonic, sleep
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from corpora.errors import BrokenIndex
from corpora.indexing.vectors import ChromaIndex, Prober, build_index

pytestmark = pytest.mark.slow

DIMENSION = 16
COUNT = 300


def unit_vectors(count: int, seed: int = 0) -> npt.NDArray[np.float32]:
    vectors = np.random.default_rng(seed).normal(size=(count, DIMENSION)).astype(np.float32)
    unit: npt.NDArray[np.float32] = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    return unit


IDS = [1000 + 7 * i for i in range(COUNT)]
VECTORS = unit_vectors(COUNT)


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("vectors") / "index"
    build_index(directory, [(IDS, VECTORS)])
    return directory


@contextmanager
def opened(directory: Path) -> Iterator[ChromaIndex]:
    with closing(ChromaIndex.open(directory)) as index:
        yield index


def probe(directory: Path, expected: int) -> None:
    with closing(Prober()) as prober:
        prober.probe(directory, expected)


def nearest(directory: Path, vector: Any, limit: int = 1) -> list[int]:
    with opened(directory) as index:
        return [i for i, _ in index.nearest(vector, limit)]


def test_the_nearest_come_first_with_their_cosine_and_all_if_more_are_wanted(built: Path) -> None:
    query = unit_vectors(1, seed=1)[0]
    cosines = VECTORS @ query
    best = np.argsort(-cosines)[:10]
    with opened(built) as index:
        found = index.nearest(query, 10)
        assert {i for i, _ in index.nearest(query, 10 * COUNT)} == set(IDS)
        assert index.size == COUNT
    assert [i for i, _ in found] == [IDS[row] for row in best]
    assert [c for _, c in found] == pytest.approx(cosines[best].tolist(), abs=1e-5)


def test_an_index_larger_than_a_batch_is_whole_and_reports_its_progress(tmp_path: Path) -> None:
    count = 1001
    vectors = unit_vectors(count)
    progress: list[int] = []
    build_index(
        tmp_path / "large",
        [(range(1000), vectors[:1000]), (range(1000, count), vectors[1000:])],
        progress.append,
    )
    probe(tmp_path / "large", count)
    for i in (0, 999, 1000):
        assert nearest(tmp_path / "large", vectors[i]) == [i]
    assert progress == [1000, 1001]


def test_an_index_of_nothing_answers_nothing(tmp_path: Path) -> None:
    build_index(tmp_path, [])
    probe(tmp_path, 0)
    assert nearest(tmp_path, VECTORS[0], 3) == []


def test_closing_releases_every_file(tmp_path: Path) -> None:
    build_index(tmp_path / "a", [(IDS, VECTORS)])
    index = ChromaIndex.open(tmp_path / "a")
    index.nearest(VECTORS[0], 1)
    assert open_files(tmp_path)
    index.close()
    # Chroma's own threads do the closing, and finish it in their time.
    patience = monotonic() + 20
    while open_files(tmp_path) and monotonic() < patience:
        sleep(0.01)
    assert open_files(tmp_path) == []
    # Chroma keeps clients by path: another index in the same place must not be the old one.
    shutil.rmtree(tmp_path / "a")
    build_index(tmp_path / "a", [(IDS[:5], VECTORS[:5])])
    with opened(tmp_path / "a") as again:
        assert again.size == 5


def open_files(directory: Path) -> list[str]:
    descriptors = Path("/proc/self/fd")
    if not descriptors.is_dir():
        pytest.skip("the system does not list open files under /proc")
    links = []
    for descriptor in descriptors.iterdir():
        # Some close while this looks at them.
        with suppress(FileNotFoundError):
            links.append(str(descriptor.readlink()))
    return [link for link in links if link.startswith(str(directory))]


def test_fifty_indexes_are_open_at_once(tmp_path: Path, built: Path) -> None:
    directories = [shutil.copytree(built, tmp_path / str(n)) for n in range(50)]
    indexes = [ChromaIndex.open(directory) for directory in directories]
    assert all(index.nearest(VECTORS[n], 1)[0][0] == IDS[n] for n, index in enumerate(indexes))
    for index in indexes:
        index.close()


def test_threads_open_and_close_the_same_index(built: Path) -> None:
    with opened(built) as kept, ThreadPoolExecutor(8) as threads:
        looked = threads.map(lambda row: nearest(built, VECTORS[row]), range(40))
        assert list(looked) == [[i] for i in IDS[:40]]
        assert kept.nearest(VECTORS[3], 1)[0][0] == IDS[3]


def test_thousands_of_equal_vectors_hide_none_of_the_others(tmp_path: Path) -> None:
    others = np.random.default_rng(5).normal(size=(64, DIMENSION)).astype(np.float32)
    others /= np.linalg.norm(others, axis=1, keepdims=True)
    vectors = np.vstack([np.repeat(others[:1], 3000, axis=0), others])
    build_index(tmp_path / "index", [(range(len(vectors)), vectors)])
    probe(tmp_path / "index", len(vectors))
    with opened(tmp_path / "index") as index:
        for at, vector in enumerate(others[1:], 3001):
            assert index.nearest(vector, 1)[0][0] == at
        assert [i for i, _ in index.nearest(others[0], 4)] == [0, 1, 2, 3]


def test_a_probe_passes_a_whole_index_and_counts(built: Path) -> None:
    probe(built, COUNT)
    with pytest.raises(BrokenIndex, match="it holds 300 vectors, not 301"):
        probe(built, COUNT + 1)


def test_one_process_probes_index_after_index_and_another_one_after_a_broken_one(
    built: Path, tmp_path: Path
) -> None:
    broken = shutil.copytree(built, tmp_path / "broken")
    truncate(broken / "chroma.sqlite3")
    with closing(Prober()) as prober:
        prober.probe(built, COUNT)
        first = prober._process
        prober.probe(built, COUNT)
        assert prober._process is first
        with pytest.raises(BrokenIndex, match="broken"):
            prober.probe(broken, COUNT)
        prober.probe(built, COUNT)
        assert prober._process is not first
        assert prober._process
        # As a broken index ends it.
        prober._process.kill()
        prober._process.wait()
        with pytest.raises(BrokenIndex, match="ended with code -9"):
            prober.probe(built, COUNT)
        prober.probe(built, COUNT)


def truncate(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:50])


def blank(path: Path) -> None:
    path.write_bytes(bytes(path.stat().st_size))


@pytest.mark.parametrize("damage", [truncate, blank, Path.unlink])
@pytest.mark.parametrize("file", ["chroma.sqlite3", "data_level0.bin", "length.bin"])
def test_damage_to_a_file_is_found(
    tmp_path: Path, large: Path, file: str, damage: Callable[[Path], None]
) -> None:
    directory = shutil.copytree(large, tmp_path / "damaged")
    (path,) = directory.rglob(file)
    damage(path)
    with pytest.raises(BrokenIndex, match="damaged"):
        probe(directory, 1200)


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Path:
    # Below a thousand vectors, Chroma keeps them all in its SQLite file.
    directory = tmp_path_factory.mktemp("vectors") / "large"
    build_index(directory, [(range(1200), unit_vectors(1200))])
    return directory


def test_what_is_no_index_is_not_opened(tmp_path: Path) -> None:
    (tmp_path / "noise").mkdir()
    (tmp_path / "noise" / "chroma.sqlite3").write_bytes(b"noise" * 1000)
    for name in ("missing", "noise"):
        with pytest.raises(BrokenIndex, match=name):
            ChromaIndex.open(tmp_path / name)
    assert not (tmp_path / "missing").exists()
