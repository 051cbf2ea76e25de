"""Zip archives and Office files, opened without trusting them and never unpacked to disk."""

import io
import re
import stat
import zipfile
import zlib
from codecs import lookup
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from pathlib import Path
from unicodedata import name as unicode_name
from unicodedata import normalize
from xml.parsers.expat import ExpatError

from ingestion.decoding import decode
from ingestion.messages import message
from ingestion.page import Rejected, UnreadableFile

_ARCHIVES = (".zip", ".jar", ".whl", ".tar", ".gz", ".tgz", ".bz2", ".xz", ".7z", ".rar")
_METHODS = {zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED}
"""zipfile bounds what one read of these inflates to; of the others it does not."""

_UTF_8_NAME = 0x800
"""The flag of an entry whose name is UTF-8."""
_UNICODE_PATH = 0x7075
"""The extra field that holds a name in UTF-8 beside one that is not."""
_TEXTS = (".md", ".txt", ".rst", ".adoc", ".html", ".htm")
_EUROPEAN = "LATIN"
_LOOKED_INTO, _BEGINNING = 8, 1 << 16
"""Of so many texts, so many bytes; and so many of all names."""
_PAGES = (
    *("cp932", "big5", "gb18030", "cp949", "cp437", "cp850", "cp852", "cp866"),
    *("cp1250", "cp1251", "cp1252", "cp1253", "cp1254"),
)
"""What programs write other names in: the letters of the system that they ran on."""
_CALLED = {"gb18030": "GBK", "cp932": "Shift-JIS", "cp949": "EUC-KR"}
"""Other names of theirs, by which more people know them."""

_ODD = re.compile(
    r"[\u0080-\u00a9\u00ab-\u00af\u00b1-\u00b9\u00bb-\u00bf\u2010-\u2bff\ufffd]|\\(?=\.)"
)
"""Signs that hardly stand in the name of a file, and a backslash that is half a letter."""

_ALWAYS_PLAUSIBLE = 1 << 20
"""Entries smaller than this, in bytes, are read however well they were packed."""

_PLAUSIBLE_MARKUP = 20 << 20
"""Bytes in an Office file that may be packed so: of tables with little in them, for instance."""


@dataclass(frozen=True, slots=True)
class Member:
    """A file in an archive: its path with "/" between its parts, and its size in bytes."""

    name: str
    size: int
    info: zipfile.ZipInfo


class Archive:
    """A zip, a file or its bytes, that is read entry by entry.

    Raises UnreadableFile for an archive that is damaged, holds more than `max_entries` files or
    inflates to more than `max_bytes`. An entry that packs its content tighter than `max_ratio` to
    one is taken for a bomb and rejected.
    """

    def __init__(
        self,
        source: Path | bytes,
        *,
        max_entries: int = 20_000,
        max_bytes: int = 2 << 30,
        max_ratio: int = 200,
    ) -> None:
        self._max_ratio = max_ratio
        try:
            self._zip = zipfile.ZipFile(io.BytesIO(source) if isinstance(source, bytes) else source)
            size = len(source) if isinstance(source, bytes) else source.stat().st_size
        except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError) as error:
            raise UnreadableFile(
                "the zip cannot be opened ({error}); it may be damaged", error=error
            ) from error
        if reason := self._objection_to_all(size, max_entries, max_bytes):
            self.close()
            raise UnreadableFile(reason)

    def _objection_to_all(self, size: int, max_entries: int, max_bytes: int) -> str | None:
        entries = self._zip.infolist()
        inflated = sum(entry.file_size for entry in entries)
        if len(entries) > max_entries:
            return message(
                "holds {number:,} files and the limit is {limit:,}; split the archive",
                number=len(entries),
                limit=max_entries,
            )
        if inflated > max_bytes:
            return message(
                "unpacks to {size:,.0f} MB and the limit is {limit:,.0f} MB; split the archive",
                size=inflated / 1e6,
                limit=max_bytes / 1e6,
            )
        overlaps = sum(entry.compress_size for entry in entries) > size
        reason = message("its entries overlap each other: a zip bomb, or damaged")
        return reason if overlaps else None

    def members(self) -> Iterator[Member | Rejected]:
        """Yield every file in the archive's order; folders are passed over."""
        seen: set[str] = set()
        for info, spelled in self._spelled:
            # Only now, as the second byte of an Asian letter may be a backslash.
            name = canonical_name(spelled.partition("\0")[0].replace("\\", "/"))
            if name.endswith("/"):
                continue
            reason = self._objection(info, name)
            if reason is None and name in seen:
                reason = message("stands in the archive twice; the first one is kept")
            seen.add(name)
            yield Member(name, info.file_size, info) if reason is None else Rejected(name, reason)

    @cached_property
    def _spelled(self) -> list[tuple[zipfile.ZipInfo, str]]:
        """The entries with their names, in the letters that those without a flag are in."""
        names = [_path_in_extra(i) or i.orig_filename for i in self._zip.infolist()]
        return [
            (info, name if raw is None else raw.decode(self._encoding, "replace"))
            for info, name, raw in zip(self._zip.infolist(), names, self._unmarked, strict=True)
        ]

    @cached_property
    def _unmarked(self) -> list[bytes | None]:
        """The names of the entries where nothing says in which letters they are."""
        return [
            info.orig_filename.encode("cp437")
            if not info.flag_bits & _UTF_8_NAME
            and not info.orig_filename.isascii()
            and not _path_in_extra(info)
            else None
            for info in self._zip.infolist()
        ]

    @cached_property
    def _encoding(self) -> str:
        names = b"\n".join(dict.fromkeys(filter(None, self._unmarked)))
        return encoding_of_names(names, self._beginnings() if names else "")

    @property
    def letters(self) -> str:
        """What names that nothing else tells of were read as, such as GBK; "" if as UTF-8."""
        name = lookup(self._encoding).name
        return "" if name == "utf-8" else _CALLED.get(name, name.upper())

    def _beginnings(self) -> str:
        """Return how the first texts in it begin, which names of files have their letters from."""
        texts = []
        found = (
            info
            for info in self._zip.infolist()
            if info.filename.lower().endswith(_TEXTS) and info.compress_type in _METHODS
        )
        for info in islice(found, _LOOKED_INTO):
            try:
                with self._zip.open(info) as file:
                    texts.append(decode(file.read(_BEGINNING)))
            except (*DAMAGE, EOFError, NotImplementedError, UnreadableFile):
                continue
        return "".join(texts)

    def _objection(self, info: zipfile.ZipInfo, name: str) -> str | None:
        kind = stat.S_IFMT(info.external_attr >> 16)
        if not name or not stays_inside(name):
            return message(
                "its path leads out of the archive; pack it again with plain relative paths"
            )
        if kind not in (0, stat.S_IFREG):
            return message("a link or a device, not a file; pack the file itself")
        if info.flag_bits & 0x1:
            return message("locked with a password; pack it without one")
        if name.lower().endswith(_ARCHIVES):
            return message("an archive inside an archive; unpack it first")
        if info.compress_type not in _METHODS:
            return message("packed by a method other than deflate; pack it again as a plain zip")
        if info.file_size > _ALWAYS_PLAUSIBLE and self._is_tight(info):
            times = info.file_size // max(1, info.compress_size)
            return message("inflates {times:,} times: a zip bomb", times=times)
        return None

    def _is_tight(self, info: zipfile.ZipInfo) -> bool:
        return info.file_size > self._max_ratio * max(1, info.compress_size)

    @property
    def tightly_packed(self) -> int:
        """The bytes of all entries together that are packed tighter than `max_ratio` to one."""
        return sum(info.file_size for info in self._zip.infolist() if self._is_tight(info))

    def read(self, member: Member) -> bytes:
        """Return a member's content, at most as long as the archive says.

        Raises UnreadableFile where the content does not agree with its size or checksum.
        """
        try:
            return self._zip.read(member.info)
        except (*DAMAGE, EOFError, NotImplementedError) as error:
            raise UnreadableFile(
                "damaged inside the archive ({error}); pack it again", error=error
            ) from error

    def named(self, name: str, largest: int) -> bytes | None:
        """Return the content of the file at a path in the archive.

        None where it is not had, or is larger than so many bytes.
        """
        member = self._by_name.get(canonical_name(name))
        if member is None or member.size > largest:
            return None
        try:
            return self.read(member)
        except UnreadableFile:
            # What is damaged is inflated once, however often it is named.
            del self._by_name[member.name]
            return None

    @cached_property
    def _by_name(self) -> dict[str, Member]:
        return {member.name: member for member in self.members() if isinstance(member, Member)}

    def close(self) -> None:
        """Close the file."""
        self._zip.close()


def _path_in_extra(info: zipfile.ZipInfo) -> str:
    """Return an entry's name as its field for names in Unicode has it, "" without one."""
    at, extra = 0, info.extra
    while at + 4 <= len(extra):
        kind, size = int.from_bytes(extra[at : at + 2], "little"), extra[at + 2]
        size += extra[at + 3] << 8
        value = extra[at + 4 : at + 4 + size]
        raw = info.orig_filename.encode("cp437", "replace")
        # A program that renamed the entry and knows no such field left it as it was.
        if kind == _UNICODE_PATH and value[1:5] == zlib.crc32(raw).to_bytes(4, "little"):
            return value[5:].decode("utf-8", "replace")
        at += 4 + size
    return ""


def encoding_of_names(names: bytes, text: str = "") -> str:
    """Return the letters that names of files are in, which one program wrote all alike.

    All together say more than one of them, and what stands in `text` more than the signs alone:
    names are made of the words of their files.
    """
    from chardet import detect_all

    try:
        names.decode()
    except UnicodeDecodeError:
        if len(names) > _BEGINNING:
            # A thousand of them tell as much as all.
            names = names[:_BEGINNING].rpartition(b"\n")[0] or names[:_BEGINNING]
        found = [one["encoding"] for one in detect_all(names, include_encodings=_PAGES)]
        # Of one letter the detector says nothing.
        likely = (*filter(None, found), *_PAGES)
        letters = {sign for sign in text if not sign.isascii() and _script(sign) != _EUROPEAN}
        scripts = set(map(_script, letters))
        return min(likely, key=lambda of: (_odd(names, of), _strange(names, of, letters, scripts)))
    return "utf-8"


def _strange(names: bytes, encoding: str, letters: set[str], scripts: set[str]) -> float:
    """Say how many of the letters of names, read in an encoding, no text has.

    Those of scripts that it does not have either count twice; 0 where it tells nothing.
    """
    spelled = [sign for sign in names.decode(encoding, "replace") if not sign.isascii()]
    strange = sum((sign not in letters) + (_script(sign) not in scripts) for sign in spelled)
    return strange / len(spelled) if letters and spelled else 0.0


def _script(letter: str) -> str:
    """The first word of a letter's name: CJK, HANGUL, CYRILLIC; LATIN of any other sign."""
    if not letter.isalpha():
        return _EUROPEAN
    return unicode_name(letter, "").partition(" ")[0].partition("-")[0]


def _odd(names: bytes, encoding: str) -> int:
    return len(_ODD.findall(names.decode(encoding, "replace")))


def canonical_name(name: str) -> str:
    """Return a file's name as it is kept: a letter with its accents is one, which a Mac parts."""
    return normalize("NFC", name)


def stays_inside(name: str) -> bool:
    """Say whether a relative path, "/" between its parts, is plain and leads nowhere else."""
    is_plain = name.isprintable() and not re.match(r"[A-Za-z]:", name)
    return is_plain and not {"", ".."} & set(name.split("/"))


DAMAGE = (
    *(LookupError, ValueError, AttributeError, TypeError, SyntaxError, OSError),
    *(ExpatError, zipfile.BadZipFile, zlib.error, RuntimeError),
)
"""What the libraries raise where a part is missing, or is not what its name says."""


@contextmanager
def opened(data: bytes) -> Iterator[io.BytesIO]:
    """Open an Office file; macros, links and embedded files in it are never followed.

    Raises UnreadableFile for what is no such file, is damaged, or is a zip bomb; also where
    reading it inside the `with` fails for such a reason.
    """
    with closing(Archive(data)) as archive:
        if (size := archive.tightly_packed) > _PLAUSIBLE_MARKUP:
            raise UnreadableFile(
                "unpacks to {size:,.0f} MB; refused as a possible zip bomb", size=size / 1e6
            )
    try:
        yield io.BytesIO(data)
    except RecursionError as error:
        raise UnreadableFile("its elements are nested too deeply to be read") from error
    except DAMAGE as error:
        raise UnreadableFile(
            "damaged, or not the kind of Office file that its name says ({kind}); open it in "
            "an office program and save it again",
            kind=type(error).__name__,
        ) from error
