import stat
import time
import zipfile
import zlib
from contextlib import closing
from pathlib import Path

import pytest

from ingestion.archives import Archive, Member
from ingestion.page import Rejected, UnreadableFile


def _zip(path: Path, *entries: tuple[str | zipfile.ZipInfo, bytes]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in entries:
            archive.writestr(name, data)
    return path


def _info(name: str, mode: int) -> zipfile.ZipInfo:
    info = zipfile.ZipInfo(name)
    info.external_attr = mode << 16
    return info


def _objections(path: Path) -> dict[str, str]:
    with closing(Archive(path)) as archive:
        return {m.file: m.reason for m in archive.members() if isinstance(m, Rejected)}


def test_members_are_read_without_unpacking(tmp_path: Path) -> None:
    path = _zip(
        tmp_path / "docs.zip", ("a/index.html", b"<p>one</p>"), ("a/", b""), ("b.md", b"two")
    )
    with closing(Archive(path)) as archive:
        members = list(archive.members())
        assert all(isinstance(member, Member) for member in members)
        read = {m.name: archive.read(m) for m in members if isinstance(m, Member)}
    assert read == {"a/index.html": b"<p>one</p>", "b.md": b"two"}
    assert [p.name for p in tmp_path.iterdir()] == ["docs.zip"]


@pytest.mark.parametrize(
    "name",
    [
        "../outside.md",
        "a/../../outside.md",
        "/etc/passwd.md",
        "C:\\windows\\x.md",
        "a//b.md",
        "a\nb.md",
    ],
)
def test_paths_that_lead_out_are_rejected(tmp_path: Path, name: str) -> None:
    reasons = _objections(_zip(tmp_path / "evil.zip", (name, b"x"), ("good.md", b"y")))
    assert len(reasons) == 1
    assert all("leads out" in reason for reason in reasons.values())


def test_backslashes_are_how_some_programs_write_folders(tmp_path: Path) -> None:
    with closing(Archive(_zip(tmp_path / "w.zip", ("guide\\install.md", b"x")))) as archive:
        assert [m.name for m in archive.members() if isinstance(m, Member)] == ["guide/install.md"]


class _Unmarked(zipfile.ZipInfo):
    """An entry whose name is bytes, without the flag that says UTF-8."""

    written = b""

    def _encodeFilenameFlags(self) -> tuple[bytes, int]:  # noqa: N802 - as zipfile calls it
        return self.written, 0


@pytest.mark.parametrize(
    ("encoding", "names", "text", "letters"),
    [
        ("utf-8", ["指南/安装.md", "Übersicht.md"], "x", ""),
        ("gbk", ["指南/安装.md"], "x", "GBK"),
        ("gbk", ["产品手册/第一章 概述.md", "docs/API 参考.md", "guide.md"], "x", "GBK"),
        ("big5", ["許功蓋.md", "docs/餐.md"], "x", "BIG5"),
        ("big5", ["功.md"], "x", "BIG5"),
        ("cp932", ["表示.md", "ソフト/能力.md"], "x", "Shift-JIS"),
        ("cp932", ["表.md"], "x", "Shift-JIS"),
        ("cp949", ["설치.md", "사용 설명서.md"], "x", "EUC-KR"),
        ("cp437", ["Übersicht/Größe.md"], "x", "CP437"),
        # Read as the other one, these are the same.
        ("cp437", ["français.md"], "x", "CP850"),
        ("cp850", ["Guía de instalación.md", "Ação.md"], "x", "CP850"),
        ("cp852", ["Příručka.md"], "x", "CP852"),
        ("cp866", ["Руководство.md"], "x", "CP866"),
        ("cp1250", ["Příručka.md"], "x", "CP1250"),
        ("cp1251", ["Руководство.md"], "x", "CP1251"),
        ("cp1252", ["Übersicht.md", "café.md"], "x", "CP1252"),
        # Of a name as short as these what stands in the files says more than its letters.
        ("gbk", ["概述.md"], "# 简介\n\n本章介绍闸门的设置。", "GBK"),
        ("cp932", ["設定.md"], "# 設定\n\nこの章では門の設定を説明します。", "Shift-JIS"),
        ("cp932", ["目次.md"], "設定の章の目次。", "Shift-JIS"),
        ("big5", ["說明.md"], "本章說明閘門的設定。", "BIG5"),
        ("gbk", ["更新日志.md"], "- 修复了端口，更新了日志。", "GBK"),
        # A megabyte of names.
        ("gbk", [f"产品手册/{'第一章概述' * 10}/{i}.md" for i in range(8_000)], "x", "GBK"),
    ],
)
def test_names_are_read_in_the_letters_that_they_were_written_in(
    tmp_path: Path, encoding: str, names: list[str], text: str, letters: str
) -> None:
    with zipfile.ZipFile(tmp_path / "n.zip", "w") as archive:
        for number, name in enumerate(names):
            info = _Unmarked(f"{number}.md")
            info.written = name.encode(encoding)
            archive.writestr(info, f"{text}{number}".encode())
    with closing(Archive(tmp_path / "n.zip")) as opened:
        started = time.process_time()
        assert opened.letters == letters
        assert time.process_time() - started < 2
        members = [member for member in opened.members() if isinstance(member, Member)]
        assert [member.name for member in members] == names
        assert opened.named(names[0], 100) == f"{text}0".encode()


def test_a_name_that_an_entry_has_in_unicode_as_well_is_taken(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "u.zip", "w") as archive:
        for name, of in ((b"a\xa5.md", b"a\xa5.md"), (b"b\xa5.md", b"renamed.md")):
            info = _Unmarked(f"{len(of)}.md")
            info.written = name
            field = b"\1" + zlib.crc32(of).to_bytes(4, "little") + "ą.md".encode()
            info.extra = b"up" + len(field).to_bytes(2, "little") + field
            archive.writestr(info, b"x")
    with closing(Archive(tmp_path / "u.zip")) as opened:
        names = [member.name for member in opened.members() if isinstance(member, Member)]
    assert names[0] == "ą.md"
    assert names[1].startswith("b")


def test_a_letter_that_a_mac_parts_is_one(tmp_path: Path) -> None:
    path = _zip(tmp_path / "m.zip", ("U\u0308bersicht.md", b"first"), ("Übersicht.md", b"second"))
    with closing(Archive(path)) as archive:
        kept, rejected = archive.members()
        assert isinstance(kept, Member)
        assert kept.name == "Übersicht.md"
        assert isinstance(rejected, Rejected)
        assert archive.named("U\u0308bersicht.md", 10) == b"first"


@pytest.mark.parametrize("mode", [stat.S_IFLNK, stat.S_IFCHR, stat.S_IFIFO, stat.S_IFSOCK])
def test_links_and_devices_are_rejected(tmp_path: Path, mode: int) -> None:
    path = _zip(tmp_path / "l.zip", (_info("link.md", mode | 0o644), b"/etc/passwd"))
    assert "link or a device" in _objections(path)["link.md"]


def test_an_archive_inside_an_archive_is_rejected(tmp_path: Path) -> None:
    inner = _zip(tmp_path / "inner.zip", ("a.md", b"x")).read_bytes()
    assert (
        "unpack it first"
        in _objections(_zip(tmp_path / "o.zip", ("inner.ZIP", inner)))["inner.ZIP"]
    )


def test_a_bomb_is_rejected_before_it_goes_off(tmp_path: Path) -> None:
    path = _zip(tmp_path / "bomb.zip", ("bomb.html", b"\0" * 20_000_000), ("a.md", b"x"))
    assert "zip bomb" in _objections(path)["bomb.html"]


def test_a_small_entry_may_be_packed_tightly(tmp_path: Path) -> None:
    assert _objections(_zip(tmp_path / "small.zip", ("a.txt", b" " * 500_000))) == {}


def test_a_file_is_had_by_its_name_up_to_a_size(tmp_path: Path) -> None:
    with closing(Archive(_zip(tmp_path / "a.zip", ("docs/a.txt", b"12345")))) as archive:
        assert archive.named("docs/a.txt", 5) == b"12345"
        assert archive.named("docs/a.txt", 4) is None
        assert archive.named("a.txt", 5) is None


def test_the_sum_of_all_entries_is_bounded(tmp_path: Path) -> None:
    path = _zip(tmp_path / "big.zip", *((f"{i}.txt", b"x" * 1000) for i in range(10)))
    with pytest.raises(UnreadableFile, match="unpacks to"):
        Archive(path, max_bytes=9_999)


def test_the_number_of_entries_is_bounded(tmp_path: Path) -> None:
    path = _zip(tmp_path / "many.zip", *((f"{i}.txt", b"x") for i in range(10)))
    with pytest.raises(UnreadableFile, match="10 files and the limit is 9"):
        Archive(path, max_entries=9)


def test_entries_that_share_their_bytes_are_refused(tmp_path: Path) -> None:
    path = _zip(tmp_path / "overlap.zip", ("0.txt", bytes(range(256)) * 40))
    with zipfile.ZipFile(path, "a") as archive:
        kernel = archive.infolist()[0]
        for i in range(1, 20):
            info = zipfile.ZipInfo(f"{i}.txt")
            info.header_offset, info.CRC = kernel.header_offset, kernel.CRC
            info.compress_size, info.file_size = kernel.compress_size, kernel.file_size
            info.compress_type = kernel.compress_type
            archive.filelist.append(info)
        archive._didModify = True
    with pytest.raises(UnreadableFile, match="overlap"):
        Archive(path)


def test_an_encrypted_entry_is_rejected(tmp_path: Path) -> None:
    path = _zip(tmp_path / "locked.zip", ("secret.md", b"x" * 40), ("open.md", b"y"))
    data = bytearray(path.read_bytes())
    data[6] |= 1
    data[data.index(b"PK\x01\x02") + 8] |= 1
    path.write_bytes(data)
    assert "password" in _objections(path)["secret.md"]


def test_a_method_that_cannot_be_bounded_is_rejected(tmp_path: Path) -> None:
    path = tmp_path / "l.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_LZMA) as archive:
        archive.writestr("a.md", b"x" * 1000)
        archive.writestr("?.md", b"x" * 1000)
    # Damaged, beside a name whose letters are looked for in such texts.
    data = bytearray(path.read_bytes()).replace(b"?.md", b"\x94.md")
    first = data.index(b"a.md") + len("a.md")
    data[first + 4 : first + 9] = b"\xff" * 5
    path.write_bytes(data)
    assert "deflate" in _objections(path)["a.md"]


def test_the_second_entry_of_a_name_is_rejected(tmp_path: Path) -> None:
    with pytest.warns(UserWarning, match="Duplicate"):
        path = _zip(tmp_path / "d.zip", ("a.md", b"first"), ("a.md", b"second"))
    with closing(Archive(path)) as archive:
        kept, rejected = archive.members()
        assert isinstance(kept, Member)
        assert archive.read(kept) == b"first"
    assert isinstance(rejected, Rejected)
    assert "twice" in rejected.reason


def test_damaged_content_is_told_from_a_damaged_archive(tmp_path: Path) -> None:
    path = _zip(tmp_path / "d.zip", ("a.md", bytes(range(200)) * 9))
    data = bytearray(path.read_bytes())
    data[60] ^= 0xFF
    path.write_bytes(data)
    with closing(Archive(path)) as archive:
        (member,) = archive.members()
        assert isinstance(member, Member)
        with pytest.raises(UnreadableFile, match="damaged inside the archive"):
            archive.read(member)


def test_a_name_that_is_no_text_concerns_its_entry_alone(tmp_path: Path) -> None:
    path = _zip(tmp_path / "n.zip", ("a.md", b"one"), ("b.md", b"two"))
    data = bytearray(path.read_bytes())
    # The name in front of the content says that it is UTF-8, and is none.
    data[7] |= 0x08
    data[30] = 0xFF
    path.write_bytes(data)
    with closing(Archive(path)) as archive:
        first, second = (m for m in archive.members() if isinstance(m, Member))
        with pytest.raises(UnreadableFile, match="damaged inside the archive"):
            archive.read(first)
        assert archive.read(second) == b"two"


def test_an_entry_without_a_name_is_rejected(tmp_path: Path) -> None:
    path = _zip(tmp_path / "e.zip", ("?", b"x"), ("b.md", b"two"))
    path.write_bytes(path.read_bytes().replace(b"?", b"\0"))
    assert "leads out" in _objections(path)[""]


def test_what_is_damaged_is_inflated_once_however_often_it_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = _zip(tmp_path / "c.zip", ("a.md", bytes(range(200)) * 9))
    data = bytearray(path.read_bytes())
    data[60] ^= 0xFF
    path.write_bytes(data)
    read: list[Member] = []
    with closing(Archive(path)) as archive:
        inflate = archive.read

        def counted(member: Member) -> bytes:
            read.append(member)
            return inflate(member)

        monkeypatch.setattr(archive, "read", counted)
        assert [archive.named("a.md", 10_000) for _ in range(3)] == [None] * 3
    assert len(read) == 1


@pytest.mark.parametrize("data", [b"", b"no zip at all", b"PK\x03\x04 cut off"])
def test_what_is_no_zip_says_so(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "x.zip"
    path.write_bytes(data)
    with pytest.raises(UnreadableFile, match=r"the zip cannot be opened .*; it may be damaged"):
        Archive(path)
