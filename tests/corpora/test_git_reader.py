import os
import shlex
import shutil
import struct
import subprocess
import time
import zlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from hashlib import sha1
from pathlib import Path
from typing import Any

import pytest
from pydantic import SecretStr

from corpora.errors import NothingThere, SourceError
from corpora.sources import git_objects, git_reader
from corpora.sources.git_address import git_address
from corpora.sources.git_program import GitProgram
from corpora.sources.git_reader import GitReader
from corpora.sources.options import GitOptions
from corpora.sources.source import FetchedFile, FoundRelease, Secrets
from tests.corpora.git_hosting import Host, Repository, https_host

TOKEN = "s3cret-t0ken"


@dataclass
class Served:
    """A repository, and what opens it the way that a test is about."""

    repository: Repository
    open: Callable[..., GitReader]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository with two tags, of which every test gets a copy."""
    made = Repository.made(tmp_path_factory.mktemp("made") / "beacon")
    made.commit({"docs/guide.md": "# One", "docs/same.md": "# Same", "src/a.c": "int"}, "v1.0")
    made.commit({"docs/guide.md": "# Two", "docs/sub/new.md": "# New"}, "v1.1")
    return made.folder


@pytest.fixture
def repository(made: Path, tmp_path: Path) -> Repository:
    return Repository(Path(shutil.copytree(made, tmp_path / "hosted" / "beacon")))


@pytest.fixture
def host(repository: Repository, tmp_path: Path) -> Iterator[Host]:
    with https_host(repository.folder.parent, tmp_path, TOKEN) as serving:
        yield serving


@pytest.fixture(params=["folder", "https", "ssh"])
def served(
    request: pytest.FixtureRequest,
    repository: Repository,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> Served:
    """The same repository in a folder, bare, over https, and over ssh."""
    secrets, more = Secrets(), {}
    url = str(repository.folder)
    if request.param == "bare":
        url = str(tmp_path / "bare")
    elif request.param == "https":
        host: Host = request.getfixturevalue("host")
        url, more = f"{host.url}/beacon/.git", {"token": "docs", "ca": "company"}
        secrets = Secrets({"docs": SecretStr(TOKEN)}, {"company": host.ca})
    elif request.param == "ssh":
        _stand_in_for_ssh(tmp_path, monkeypatch)
        (tmp_path / "id").write_text("a key")
        url, more = f"ssh://git@docs.example.org{repository.folder}", {"key": "deploy"}
        secrets = Secrets(files={"deploy": tmp_path / "id"})

    def opened(**options: Any) -> GitReader:
        if request.param == "bare":
            shutil.rmtree(url, ignore_errors=True)
            repository.git("clone", "-q", "--mirror", ".", url)
        return GitReader(GitOptions(url=url, **{"path": "docs/", **more, **options}), secrets)

    return Served(repository, opened)


def _stand_in_for_ssh(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What git calls instead of ssh: does here what it would do on the host.

    As most hosts of one's own, this one does not let git name its protocol.
    """
    (folder / "bin").mkdir()
    program = folder / "bin" / "ssh"
    # The last word is the command of the other side.
    program.write_text('#!/bin/sh\nfor last; do :; done\nunset GIT_PROTOCOL\nexec sh -c "$last"\n')
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}:{os.environ['PATH']}")


def _fetched(
    reader: GitReader,
    release: FoundRelease,
    folder: Path,
    known: Mapping[str, str] | None = None,
    check_stop: Callable[[], None] = lambda: None,
) -> dict[str, FetchedFile]:
    folder.mkdir(parents=True)
    steps: list[tuple[int, int | None]] = []
    files = reader.fetch(release, known or {}, folder, check_stop, lambda *step: steps.append(step))
    found = {file.path: file for file in files}
    assert steps[-1][0] == steps[-1][1] or not found
    return found


def _texts(files: Mapping[str, FetchedFile]) -> dict[str, str | None]:
    return {
        path: file.content.read_text() if file.content else None for path, file in files.items()
    }


@pytest.mark.parametrize("served", ["folder", "bare", "https", "ssh"], indirect=True)
def test_releases_and_their_files(served: Served, tmp_path: Path) -> None:
    reader = served.open()
    releases = reader.releases()
    tagged = [served.repository.git("rev-parse", f"{tag}^{{commit}}") for tag in ("v1.0", "v1.1")]
    named = zip(("1.0", "1.1"), tagged, strict=True)
    assert releases == [FoundRelease(name, commit, fixed=True) for name, commit in named]
    first, second = (_fetched(reader, r, tmp_path / "files" / r.name) for r in releases)
    assert _texts(first) == {"guide.md": "# One", "same.md": "# Same"}
    assert _texts(second) == {"guide.md": "# Two", "same.md": "# Same", "sub/new.md": "# New"}
    assert first["same.md"].digest == second["same.md"].digest
    assert first["same.md"].digest == served.repository.git("rev-parse", "v1.0:docs/same.md")
    assert reader.remarks == []


def test_only_what_changed_is_read(served: Served, tmp_path: Path) -> None:
    reader = served.open()
    (_, release) = reader.releases()
    known = {path: f.digest for path, f in _fetched(reader, release, tmp_path / "a" / "b").items()}
    served.repository.commit({"docs/guide.md": "# Three", "docs/sub/new.md": None}, "v1.1")
    reader = served.open()
    (_, moved) = reader.releases()
    assert moved.name == release.name
    assert moved.revision != release.revision
    again = _fetched(reader, moved, tmp_path / "a" / "c", known)
    assert _texts(again) == {"guide.md": "# Three", "same.md": None}


def test_a_branch_is_next_and_branches_can_be_releases(served: Served, tmp_path: Path) -> None:
    served.repository.git("branch", "release/2.0", "v1.0")
    head = served.repository.commit({"docs/guide.md": "# Soon"})
    reader = served.open(next_branch="main", newest=1)
    releases = reader.releases()
    assert [release.name for release in releases] == ["1.1", "next"]
    assert releases[1].revision == head
    assert _texts(_fetched(reader, releases[1], tmp_path / "a" / "b"))["guide.md"] == "# Soon"
    branches = served.open(refs="branches", releases="release/{release}")
    assert [release.name for release in branches.releases()] == ["2.0"]
    files = _fetched(branches, branches.releases()[0], tmp_path / "a" / "c")
    assert _texts(files)["guide.md"] == "# One"


def test_which_releases_are_chosen(repository: Repository) -> None:
    tags = ("v1.10", "v1.9", "v2.0rc1", "v2.0", "vendor", "v2.1-beta.1", "1.5", "w3.0")
    for tag in tags:
        repository.git("tag", tag)

    def chosen(**options: Any) -> tuple[list[str], list[str]]:
        reader = GitReader(GitOptions(url=str(repository.folder), **options), Secrets())
        return [release.name for release in reader.releases()], reader.remarks

    assert chosen()[0] == ["1.0", "1.1", "1.9", "1.10", "2.0"]
    assert chosen()[1] == ["2 pre-releases were left out; the option prereleases takes them."]
    assert chosen(newest=2)[0] == ["1.10", "2.0"]
    assert chosen(since="1.10", prereleases=True)[0] == ["1.10", "2.0rc1", "2.0", "2.1-beta.1"]
    assert chosen(since="2.1-beta.1")[0] == ["2.1-beta.1"]
    with pytest.raises(NothingThere, match=r"'x\{release\}'.*there are .*w3\.0"):
        chosen(releases="x{release}")
    names, remarks = chosen(next_branch="trunk")
    assert (names[-1], "no branch 'trunk' (there are main)" in remarks[-1]) == ("2.0", True)


def test_a_release_is_gone_if_its_tag_or_branch_is(repository: Repository) -> None:
    repository.git("branch", "dev", "v1.0")
    options = GitOptions(url=str(repository.folder), next_branch="dev", newest=1)
    reader = GitReader(options, Secrets())

    def gone() -> list[str]:
        reader.releases()
        return [name for name in ("1.0", "1.1", "next") if reader.is_gone(name, lambda: None)]

    assert gone() == []
    repository.git("tag", "--delete", "v1.0")
    assert gone() == ["1.0"]
    repository.git("branch", "--delete", "--force", "dev")
    assert gone() == ["1.0", "next"]


def test_what_lies_elsewhere_is_left_out_and_told(served: Served, tmp_path: Path) -> None:
    repository, secret = served.repository, tmp_path / "secret.md"
    secret.write_text("not for everybody")
    docs = repository.folder / "docs"
    for name, target in {
        "passwd.md": "/etc/passwd",
        "out.md": "../../secret.md",
        "absolute.md": str(secret),
        "inside.md": "sub/new.md",
        "twice.md": "inside.md",
        "other.md": "../README.md",
        "folder.md": "sub",
        "nothing.md": "gone.md",
        "circle.md": "circle.md",
    }.items():
        (docs / name).symlink_to(target)
    (repository.folder / "README.md").write_text("# Read me")
    pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 12345\n"
    (docs / "large.pdf").write_text(pointer)
    (docs / "shot.png").write_bytes(b"a picture")
    (docs / ".hidden.md").write_text("hidden")
    module = f'[submodule "m"]\n\tpath = docs/module\n\turl = file://{tmp_path}\n'
    (repository.folder / ".gitmodules").write_text(module)
    repository.git("add", "-A")
    commit = repository.git("rev-parse", "HEAD")
    repository.git("update-index", "--add", "--cacheinfo", f"160000,{commit},docs/module")
    repository.committed("v1.2")
    reader = served.open(newest=1)
    files = _fetched(reader, reader.releases()[0], tmp_path / "a" / "b")
    assert _texts(files) == {
        "guide.md": "# Two",
        "inside.md": "# New",
        "other.md": "# Read me",
        "same.md": "# Same",
        "shot.png": "a picture",
        "sub/new.md": "# New",
        "twice.md": "# New",
    }
    assert reader.remarks == [
        "1.2: left out submodules, which are repositories of their own (1, for example 'module').",
        "1.2: left out links that lead out of the repository (3, for example 'absolute.md').",
        "1.2: left out links to folders or to nothing (3, for example 'circle.md').",
        "1.2: left out files that Git LFS keeps elsewhere (1, for example 'large.pdf').",
    ]


def test_names_that_would_leave_the_folder_are_left_out(served: Served, tmp_path: Path) -> None:
    repository = served.repository
    blob = repository.blob(b"written where it should not be")
    evil = repository.git(
        *("hash-object", "-t", "tree", "-w", "--literally", "--stdin"),
        stdin=b"100644 evil.md\0" + bytes.fromhex(blob),
    )
    rows = {
        "..": ("40000", evil),
        "a\\b.md": ("100644", blob),
        "good.md": ("100644", blob),
        "new\nline.md": ("100644", blob),
        f"{'é' * 130}.md": ("100644", blob),
        "\u202egnp.md": ("100644", blob),
        ".git": ("40000", evil),
    }
    repository.with_tree(rows, "v3.0")
    reader = served.open(path="", newest=1)
    files = _fetched(reader, reader.releases()[0], tmp_path / "a" / "b")
    assert list(files) == ["good.md"]
    assert sorted(p.name for p in (tmp_path / "a" / "b").iterdir()) == ["000001"]


def test_a_tag_that_looks_like_an_option_is_a_name(served: Served, tmp_path: Path) -> None:
    head = served.repository.git("rev-parse", "HEAD")
    served.repository.git("update-ref", "refs/tags/--upload-pack=touch", head)
    reader = served.open(releases="--{release}")
    (release,) = reader.releases()
    assert release.name == "upload-pack=touch"
    assert "guide.md" in _fetched(reader, release, tmp_path / "a" / "b")


def test_nothing_of_a_repository_is_run(repository: Repository, tmp_path: Path) -> None:
    """Neither its hooks nor its settings, whoever wrote them."""
    done = tmp_path / "done"
    for hook in ("post-checkout", "reference-transaction", "pre-auto-gc", "post-upload-pack"):
        path = repository.folder / ".git" / "hooks" / hook
        path.parent.mkdir(exist_ok=True)
        path.write_text(f"#!/bin/sh\ntouch {done}\n")
        path.chmod(0o755)
    for name in ("core.fsmonitor", "core.sshCommand", "uploadpack.packObjectsHook", "core.pager"):
        repository.git("config", name, f"touch {done}")
    repository.git("config", "core.hooksPath", str(repository.folder / ".git" / "hooks"))
    reader = GitReader(GitOptions(url=str(repository.folder), path="docs"), Secrets())
    for release in reader.releases():
        assert _fetched(reader, release, tmp_path / "files" / release.name)
    assert not done.exists()


def test_the_settings_of_this_machine_do_not_reach_git(
    repository: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GIT_CONFIG_PARAMETERS", "'remote.origin.url'='/elsewhere'")
    monkeypatch.setenv("GIT_DIR", "/elsewhere")
    monkeypatch.setenv("STRATA_DATABASE_URL", "postgresql://me:password@host/strata")
    monkeypatch.setenv("HOME", str(tmp_path))
    config = f'[url "/elsewhere"]\n\tinsteadOf = {repository.folder}\n'
    (tmp_path / ".gitconfig").write_text(config)
    reader = GitReader(GitOptions(url=str(repository.folder)), Secrets())
    assert [release.name for release in reader.releases()] == ["1.0", "1.1"]
    program = GitProgram(git_address(str(repository.folder)), tmp_path / "program")
    assert not {name for name in program._environment if name.startswith("STRATA_")}


def test_limits(served: Served, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    served.repository.commit({"docs/huge.md": "x" * 60_000}, "v2.0")
    reader = served.open(newest=1, max_bytes=50_000)
    with pytest.raises(SourceError, match=r"more than 0 MB of files in one release.*max_bytes"):
        _fetched(reader, reader.releases()[0], tmp_path / "a" / "b")
    monkeypatch.setattr(git_reader, "DEFAULT_LIMITS", _Small())
    reader = served.open(newest=1, max_bytes=50_000)
    assert "huge.md" not in _fetched(reader, reader.releases()[0], tmp_path / "a" / "c")
    assert "for example 'huge.md'" in reader.remarks[0]
    monkeypatch.setattr(git_objects, "_MOST_FILES", 2)
    with pytest.raises(SourceError, match=r"more than 2 files in docs: name a path"):
        _fetched(reader, reader.releases()[0], tmp_path / "a" / "d")


@dataclass
class _Small:
    file_size: int = 50_000


def test_more_than_is_wanted_is_not_taken_from_the_network(
    repository: Repository, tmp_path: Path
) -> None:
    repository.git("config", "uploadpack.allowFilter", "false")
    # What is random becomes no smaller.
    repository.git("config", "core.compression", "0")
    noise = subprocess.run(["head", "-c", "60000000", "/dev/urandom"], capture_output=True).stdout
    repository.commit({"video.bin": noise}, "v2.0")
    options = GitOptions(url=str(repository.folder), path="docs", newest=1, max_bytes=1_000_000)
    reader = GitReader(options, Secrets())
    with pytest.raises(SourceError, match="sends more than 4 MB: name a path"):
        _fetched(reader, reader.releases()[0], tmp_path / "a" / "b")
    assert sum(f.stat().st_size for f in (tmp_path / "a").rglob("*") if f.is_file()) < 60_000_000


def test_small_packs_count_as_well(served: Served, tmp_path: Path) -> None:
    """They stay packs, whose size is seen, however a server sends them."""
    reader = served.open()
    for release in reader.releases():
        _fetched(reader, release, tmp_path / "a" / release.name)
    (objects,) = (tmp_path / "a").glob(".git-*/repository/objects")
    assert list(objects.glob("pack/*.pack"))
    assert not list(objects.glob("??/*"))


def test_a_pack_that_claims_to_need_all_memory(repository: Repository, tmp_path: Path) -> None:
    program = GitProgram(git_address(str(repository.folder)), tmp_path / "program")
    program.make_repository("0" * 40)
    size, header = 20 << 30, bytes([0x80 | 2 << 4])
    size >>= 4
    while size > 0x7F:
        header, size = header + bytes([0x80 | size & 0x7F]), size >> 7
    pack = b"PACK" + struct.pack(">II", 2, 1) + header + bytes([size]) + zlib.compress(b"tree")
    with (
        pytest.raises(SourceError, match="more than 1 GB of memory"),
        program.run(["index-pack", "--stdin"], stdin=pack + sha1(pack).digest()),
    ):
        pass


def test_what_a_server_says_on_the_side_counts_as_well(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _stand_in_for_ssh(tmp_path, monkeypatch)
    (tmp_path / "bin" / "ssh").write_text("#!/bin/sh\nhead -c 3000000 /dev/zero >&2\nsleep 5\n")
    address, folder = git_address("git@docs.example.org:a/b"), tmp_path / "program"
    program = GitProgram(address, folder, key=tmp_path / "id")
    with (
        pytest.raises(SourceError, match="sends more than 2 MB"),
        program.run(["ls-remote", "origin"], most_bytes=2_000_000),
    ):
        pass


def test_a_small_repository_with_a_tree_of_ten_billion_files(
    repository: Repository, tmp_path: Path
) -> None:
    oid, mode = repository.blob(b"bomb"), "100644"
    for level in range(10):
        suffix = ".md" if level == 0 else ""
        tree = "".join(f"{mode} {'blob' if level == 0 else 'tree'} {oid}\tf{n}{suffix}\n" for n in range(10))  # fmt: skip # noqa: E501
        oid, mode = repository.git("mktree", stdin=tree.encode()), "040000"
    repository.with_tree({"bomb": ("40000", oid)}, "v9.0")
    reader = GitReader(GitOptions(url=str(repository.folder), newest=1), Secrets())
    with pytest.raises(SourceError, match="sends more than 32 MB: name a path"):
        _fetched(reader, reader.releases()[0], tmp_path / "a" / "b")


def test_it_can_be_stopped(served: Served, tmp_path: Path) -> None:
    class Stopped(Exception): ...

    def stop() -> None:
        raise Stopped

    reader = served.open()
    with pytest.raises(Stopped):
        _fetched(reader, reader.releases()[0], tmp_path / "a" / "b", check_stop=stop)
    folder = tmp_path / "a" / "c"
    folder.mkdir()
    files = reader.fetch(reader.releases()[0], {}, folder, lambda: None, lambda *_: None)
    assert next(files).path == "guide.md"
    files.close()  # type: ignore[attr-defined]


def test_a_git_that_is_ended_keeps_nothing_locked(repository: Repository, tmp_path: Path) -> None:
    class Stopped(Exception): ...

    program = GitProgram(git_address(str(repository.folder)), tmp_path / "program")
    program.make_repository("0" * 40)
    lock = program.repository / "shallow.lock"

    def stop() -> None:
        if lock.exists():
            raise Stopped

    fetches = ["-c", "alias.hold=!touch shallow.lock; sleep 20", "hold"]
    with pytest.raises(Stopped), program.run(fetches, check_stop=stop):
        pass
    assert not lock.exists()


def test_the_listing_can_be_stopped_while_git_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Stopped(Exception): ...

    _stand_in_for_ssh(tmp_path, monkeypatch)
    (tmp_path / "bin" / "ssh").write_text(f"#!/bin/sh\ntouch {tmp_path}/began\nsleep 20\n")
    (tmp_path / "id").write_text("a key")

    def stop() -> None:
        if (tmp_path / "began").exists():
            raise Stopped

    options = GitOptions(url="git@docs.example.org:a/b", key="deploy")
    reader = GitReader(options, Secrets(files={"deploy": tmp_path / "id"}))
    began = time.monotonic()
    with pytest.raises(Stopped):
        reader.releases(stop)
    assert time.monotonic() - began < 15


def test_what_it_fetched_goes_with_it(repository: Repository, tmp_path: Path) -> None:
    reader = GitReader(GitOptions(url=str(repository.folder)), Secrets())
    _fetched(reader, reader.releases()[0], tmp_path / "a" / "b")
    assert len(list((tmp_path / "a").iterdir())) == 2
    del reader
    assert [path.name for path in (tmp_path / "a").iterdir()] == ["b"]


@pytest.mark.parametrize("is_broken", [False, True])
def test_a_repository_beside_the_folder_is_not_read(
    repository: Repository, tmp_path: Path, is_broken: bool
) -> None:
    """Where git is given PATH it would take PATH.git as well."""
    folder = tmp_path / "share" / "docs"
    folder.mkdir(parents=True)
    repository.git("clone", "-q", "--mirror", ".", f"{folder}.git")
    if is_broken:
        shutil.copytree(f"{folder}.git", folder / ".git")
        (folder / ".git" / "HEAD").write_text("broken")
    with pytest.raises(SourceError, match=r"there is no such repository|not a git repository"):
        GitReader(GitOptions(url=str(folder)), Secrets()).releases()
    repository.git("clone", "-q", "--mirror", ".", str(folder / "..git"))
    with pytest.raises(SourceError, match="takes what it holds from elsewhere"):
        GitReader(GitOptions(url=str(folder)), Secrets())


def test_a_tag_that_moves_while_it_is_read(repository: Repository, tmp_path: Path) -> None:
    reader = GitReader(GitOptions(url=str(repository.folder)), Secrets())
    (_, release) = reader.releases()
    repository.git("tag", "-f", "v1.1", "v1.0")
    with pytest.raises(SourceError, match=r"v1\.1 of .* moved while it was read"):
        _fetched(reader, release, tmp_path / "a" / "b")
    repository.git("tag", "-d", "v1.1")
    with pytest.raises(SourceError, match="is gone since the releases were listed"):
        _fetched(reader, release, tmp_path / "a" / "c")


def test_a_release_without_the_folder_says_so(served: Served, tmp_path: Path) -> None:
    reader = served.open(path="manual")
    with pytest.raises(SourceError, match=r"no folder 'manual' in .*give the path"):
        _fetched(reader, reader.releases()[0], tmp_path / "a" / "b")
    with pytest.raises(SourceError, match="not a folder in a repository"):
        served.open(path="docs/../..")


def test_a_token_reaches_its_host_alone(
    host: Host, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And neither a command line, an error, a remark, nor a file."""
    started: list[str] = []
    popen = subprocess.Popen

    def watched(command: list[str], **given: Any) -> subprocess.Popen[bytes]:
        started.extend(command)
        return popen(command, **given)

    url = f"{host.url.replace('https://', 'https://deploy@')}/beacon/.git"
    options = GitOptions(url=url, path="docs", token="docs", ca="company")
    reader = GitReader(options, Secrets({"docs": SecretStr(TOKEN)}, {"company": host.ca}))
    monkeypatch.setattr("corpora.sources.git_program.subprocess.Popen", watched)
    release = reader.releases()[0]
    files = tmp_path / "a" / "b"
    assert _fetched(reader, release, files)
    monkeypatch.undo()
    assert host.sent_tokens() == {f"deploy:{TOKEN}"}
    assert not [word for word in started if TOKEN in word or "127.0.0.1" in word]
    kept = [path for path in (tmp_path / "a").rglob("*") if path.is_file()]
    assert not [path for path in kept if TOKEN.encode() in path.read_bytes()]
    assert TOKEN not in repr(reader._program(tmp_path / "program"))


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({"token": "wrong", "ca": "company"}, "wants a sign-in, or does not let this token"),
        ({"ca": "company"}, "wants a sign-in"),
        ({"token": "docs"}, "certificate is not trusted here: name the file of its authority"),
        ({"token": "docs", "ca": "company", "url": "{host}/none"}, "there is no such repository"),
        ({"token": "docs", "ca": "company", "url": "https://127.0.0.1:1/a"}, "cannot be reached"),
    ],
)
def test_what_goes_wrong_is_told_in_words(host: Host, given: dict[str, str], expected: str) -> None:
    url = given.pop("url", "{host}/beacon/.git").format(host=host.url)
    tokens = {"docs": SecretStr(TOKEN), "wrong": SecretStr("guessed")}
    reader = GitReader(GitOptions(url=url, **given), Secrets(tokens, {"company": host.ca}))
    with pytest.raises(SourceError, match=expected) as refused:
        reader.releases()
    assert url in str(refused.value)
    assert "guessed" not in str(refused.value)


def test_a_redirect_is_not_followed(host: Host, repository: Repository, tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    with https_host(repository.folder.parent, tmp_path / "other") as other:
        host.redirects_to = other.url
        options = GitOptions(url=f"{host.url}/beacon/.git", token="docs", ca="company")
        reader = GitReader(options, Secrets({"docs": SecretStr(TOKEN)}, {"company": host.ca}))
        with pytest.raises(SourceError, match="leads to another one, which is not followed"):
            reader.releases()
        assert other.asked == []


def test_ssh_is_told_what_it_needs(tmp_path: Path) -> None:
    """As the ssh that is installed understands the command."""
    key, hosts = tmp_path / "the key", tmp_path / "known hosts"
    program = GitProgram(
        git_address("git@docs.example.org:a/b"), tmp_path / "git", key=key, known_hosts=hosts
    )
    command = [*shlex.split(program.ssh_command()), "-G", "git@docs.example.org"]
    shown = subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()
    assert {
        "batchmode yes",
        "stricthostkeychecking true",
        "identitiesonly yes",
        "identityagent none",
        "passwordauthentication no",
        "updatehostkeys false",
        f"identityfile {key}",
        f"userknownhostsfile {hosts}",
        "globalknownhostsfile none",
        "user git",
    } <= set(shown)
    assert not [line for line in shown if line.startswith(("proxycommand", "localcommand"))]


def test_ssh_needs_a_key() -> None:
    reader = GitReader(GitOptions(url="git@docs.example.org:a/b"), Secrets())
    with pytest.raises(SourceError, match=r"needs a key: .* source_files"):
        reader.releases()


def test_hashes_of_the_longer_kind(tmp_path: Path) -> None:
    folder = tmp_path / "hosted"
    folder.mkdir()
    repository = Repository(folder)
    repository.git("init", "-q", "--object-format=sha256", "-b", "main")
    repository.commit({"docs/guide.md": "# One"}, "v1.0")
    reader = GitReader(GitOptions(url=str(folder)), Secrets())
    (release,) = reader.releases()
    assert len(release.revision) == 64
    assert _texts(_fetched(reader, release, tmp_path / "a" / "b")) == {"docs/guide.md": "# One"}


def test_without_git_it_says_what_to_install(
    repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    reader = GitReader(GitOptions(url=str(repository.folder)), Secrets())
    with pytest.raises(SourceError, match="install the package git"):
        reader.releases()
