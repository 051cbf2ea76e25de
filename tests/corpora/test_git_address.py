from collections.abc import Callable
from pathlib import Path

import pytest
from pydantic import ValidationError

from corpora.errors import SourceError
from corpora.sources.git_address import git_address
from corpora.sources.git_links import original_addresses
from corpora.sources.options import GitOptions, SiteOptions


@pytest.mark.parametrize(
    ("given", "protocol", "url", "user", "web"),
    [
        ("https://h.org/a/b.git", "https", "https://h.org/a/b.git", "", "https://h.org/a/b"),
        ("https://me@h.org:8443/a/b", "https", "https://h.org:8443/a/b", "me", "https://h.org:8443/a/b"),
        ("ssh://git@h.org:2222/a/b.git", "ssh", "ssh://git@h.org:2222/a/b.git", "git", "https://h.org/a/b"),
        ("git@h.org:a/b.git", "ssh", "git@h.org:a/b.git", "git", "https://h.org/a/b"),
        ("https://[::1]:8443/a", "https", "https://[::1]:8443/a", "", "https://[::1]:8443/a"),
    ],
)  # fmt: skip
def test_an_address_is_read(given: str, protocol: str, url: str, user: str, web: str) -> None:
    found = git_address(given)
    assert (found.protocol, found.url, found.user, found.web) == (protocol, url, user, web)


def test_a_folder_has_no_address_in_a_browser(tmp_path: Path) -> None:
    found = git_address(str(tmp_path))
    assert (found.protocol, found.url, found.host, found.web) == ("file", str(tmp_path), "", None)


@pytest.mark.parametrize(
    "given",
    [
        "--upload-pack=touch /tmp/owned",
        "-oProxyCommand=touch",
        "ext::sh -c touch% /tmp/owned",
        "fd::17",
        "https::https://h.org/a",
        "ssh://-oProxyCommand=touch/a",
        "ssh://git@-oProxyCommand=touch/a",
        "ssh://-l@h.org/a",
        "git@-oProxyCommand=touch:a",
        "-l@h.org:a",
        "git@h.org:-a",
        "git@h.org:a b",
        "git://h.org/a",
        "http://h.org/a",
        "ftp://h.org/a",
        "file:///etc",
        "https://",
        "https:///a",
        "https://h.org",
        "https://h.org/a\n.git",
        "https://h.org/%0ahost=other/a",
        "https://h.org/a?b#c",
        "https://h.org:port/a",
        "relative/path",
        "../repository",
        "/no/such/folder",
        "/tmp/../etc",
        "",
    ],
)
def test_what_is_no_place_is_refused(given: str) -> None:
    with pytest.raises(SourceError):
        git_address(given)


def test_a_password_in_an_address_is_refused_and_not_repeated() -> None:
    with pytest.raises(SourceError, match="source_tokens") as refused:
        git_address("https://me:s3cret@h.org/a")
    assert "s3cret" not in str(refused.value)
    with pytest.raises(SourceError) as refused:
        git_address("http://me:s3cret@h.org/a")
    assert "s3cret" not in str(refused.value)


@pytest.mark.parametrize(
    ("link", "url", "expected"),
    [
        ("auto", "git@github.com:a/b.git", "https://github.com/a/b/blob/c0ffee/docs/a%20b%23%3F%25.md"),
        ("auto", "https://gitlab.example.org/a/b.git", "https://gitlab.example.org/a/b/-/blob/c0ffee/docs/a%20b%23%3F%25.md"),
        ("auto", "https://codeberg.org/a/b", "https://codeberg.org/a/b/src/commit/c0ffee/docs/a%20b%23%3F%25.md"),
        ("gitea", "https://git.example.org/a/b", "https://git.example.org/a/b/src/commit/c0ffee/docs/a%20b%23%3F%25.md"),
        ("auto", "https://git.example.org/a/b", None),
        ("auto", "https://notgithub.example.org/a/b", None),
        ("none", "https://github.com/a/b", None),
        ("https://docs.example.org/{path}?at={revision}", "https://github.com/a/b", "https://docs.example.org/docs/a%20b%23%3F%25.md?at=c0ffee"),
    ],
)  # fmt: skip
def test_the_original_has_its_own_address(link: str, url: str, expected: str | None) -> None:
    assert original_addresses(link, git_address(url))("c0ffee", "docs/a b#?%.md") == expected


def test_a_path_cannot_write_into_an_address() -> None:
    original = original_addresses("auto", git_address("https://github.com/a/b"))
    address = original("c0ffee", '{revision}"><script>/@evil.org')
    assert address == (
        "https://github.com/a/b/blob/c0ffee/%7Brevision%7D%22%3E%3Cscript%3E/%40evil.org"
    )


@pytest.mark.parametrize(
    "link",
    ["javascript:alert('{path}')", "{path}", "https://{path}/", "https://h.org/", "https://h/{a}/{path}"],
)  # fmt: skip
def test_a_template_is_an_address_of_its_own_host(link: str) -> None:
    with pytest.raises(ValidationError):
        GitOptions(url="https://h.org/a", link=link)


def _alternates(repository: Path, private: Path) -> None:
    (repository / "objects" / "info").mkdir()
    (repository / "objects" / "info" / "alternates").write_text(f"{private}/objects\n")


def _commondir(repository: Path, private: Path) -> None:
    (repository / "commondir").write_text(str(private))


def _objects(repository: Path, private: Path) -> None:
    (repository / "objects").rmdir()
    (repository / "objects").symlink_to(private / "objects")


def _pack(repository: Path, private: Path) -> None:
    (repository / "objects" / "pack").symlink_to(private / "objects")


@pytest.mark.parametrize("borrow", [_alternates, _commondir, _objects, _pack])
@pytest.mark.parametrize("name", [".git", "."])
def test_a_repository_that_holds_what_lies_elsewhere_is_refused(
    tmp_path: Path, borrow: Callable[[Path, Path], None], name: str
) -> None:
    private, share = tmp_path / "private.git", tmp_path / "share"
    for folder in (private, share / name):
        (folder / "objects").mkdir(parents=True)
        (folder / "HEAD").write_text("ref: refs/heads/main\n")
    assert git_address(str(share)).protocol == "file"
    borrow(share / name, private)
    with pytest.raises(SourceError, match="takes what it holds from elsewhere"):
        git_address(str(share))


@pytest.mark.parametrize("is_link", [True, False])
def test_a_folder_that_points_to_a_repository_is_refused(tmp_path: Path, is_link: bool) -> None:
    private, pointer = tmp_path / "private" / ".git", tmp_path / "share" / ".git"
    private.mkdir(parents=True)
    pointer.parent.mkdir()
    if is_link:
        pointer.symlink_to(private)
    else:
        pointer.write_text(f"gitdir: {private}\n")
    with pytest.raises(SourceError, match=r"\(\.git leads out of it\)"):
        git_address(str(tmp_path / "share"))


TOKEN = "ghp_" + "a1" * 18


@pytest.mark.parametrize(
    ("options", "secret"),
    [
        (lambda: GitOptions(url="https://bob:hunter2@h.org/a"), "hunter2"),
        (lambda: GitOptions(url="bob:hunter2@h.org:a"), "hunter2"),
        (lambda: GitOptions(url=f"https://{TOKEN}@h.org/a"), TOKEN),
        (lambda: GitOptions(url=f"https://{'x' * 40}@h.org/a"), "xxxx"),
        (lambda: SiteOptions(url="https://bob:hunter2@h.org/{release}"), "hunter2"),
        (lambda: SiteOptions(url="https://h.org", releases={"1": f"https://{TOKEN}@h.org"}), TOKEN),
    ],
)
def test_what_signs_in_is_no_part_of_an_address(options: Callable[[], object], secret: str) -> None:
    with pytest.raises(ValidationError, match=r"source_tokens") as refused:
        options()
    assert secret not in str(refused.value)


def test_a_user_is_a_part_of_an_address() -> None:
    for url in ("git@h.org:a/b", "ssh://git@[::1]:22/a", "https://me@h.org/@a/b:c", "/share/a:b@c"):
        assert GitOptions(url=url).url == url
