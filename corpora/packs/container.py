"""The file of a release pack: a zip of a signed manifest and the members that it lists by hash."""

import json
import os
import zipfile
import zlib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import IO, Any

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from pydantic import BaseModel, Field, ValidationError

from corpora.database.durable import written_whole
from corpora.errors import BadPack
from corpora.packs.signing import sign, verified_signer

FORMAT = 1
_MANIFEST, _SIGNATURE = "manifest.json", "signature.json"
_LARGEST = {_MANIFEST: 10_000_000, _SIGNATURE: 4_096}
"""Bytes of what is parsed before the signer is known."""
_ENCRYPTED = 0x1
_END, _END_SIZE = b"PK\x05\x06", 22
"""How a zip without a comment ends."""
_UNREADABLE = (zipfile.BadZipFile, zlib.error, KeyError, NotImplementedError, EOFError, OSError)
_AT_ONCE = 1 << 20


class Member(BaseModel):
    """A member of the zip: how many bytes it has, and their SHA-256."""

    size: int = Field(ge=0)
    sha256: str


class Manifest(BaseModel):
    """What a pack is of. `chunking` and `embedder` say what its chunks and vectors depend on.

    `language` is what an admin said of all its documents, empty where each tells its own.
    """

    format: int
    product: str
    release: str
    made: str
    documents: int
    chunking: str
    embedder: str
    dimension: int = Field(gt=0, le=65_536)
    members: dict[str, Member]
    language: str = ""


@dataclass(frozen=True)
class PackFile:
    """A pack whose signature was verified: its manifest, and who signed it."""

    zipped: zipfile.ZipFile
    manifest: Manifest
    signer: str

    def has(self, name: str) -> bool:
        """Whether it has a member."""
        return name in self.manifest.members

    @contextmanager
    def opened(self, name: str) -> Iterator[IO[bytes]]:
        """A member, to be read once; raises BadPack when its end is not as it was signed."""
        with self._unzipped(), self.zipped.open(name) as file:
            yield file

    def read(self, name: str) -> bytes:
        """A member whole, as it was signed."""
        return b"".join(self._pieces(name))

    def verify(self, on_progress: Any = lambda done, total: None) -> None:
        """Read all members and raise BadPack if one is missing, added or not as it was signed."""
        names = self.zipped.namelist()
        listed = {*self.manifest.members, _MANIFEST, _SIGNATURE}
        is_listed = len(names) == len(set(names)) and set(names) == listed
        if not (is_listed and _is_alone(self.zipped)):
            raise BadPack("The pack was changed after it was made: it lacks members, or has more.")
        for done, name in enumerate(self.manifest.members):
            on_progress(done, len(self.manifest.members))
            for _ in self._pieces(name):
                pass

    def _pieces(self, name: str) -> Iterator[bytes]:
        of = self.manifest.members.get(name)
        if of is None:
            raise BadPack("The pack has no {name}: have it made anew.", name=name)
        digest, left = sha256(), of.size
        with self._unzipped(), self.zipped.open(name) as file:
            # One byte more than there are: a zip may hold terabytes in a few kilobytes.
            while piece := file.read(min(_AT_ONCE, left + 1)):
                left -= len(piece)
                if left < 0:
                    break
                digest.update(piece)
                yield piece
        if left or digest.hexdigest() != of.sha256:
            raise BadPack("{name} in the pack was changed after it was made.", name=name)

    @contextmanager
    def _unzipped(self) -> Iterator[None]:
        try:
            yield
        except _UNREADABLE as error:
            raise BadPack(
                "The pack cannot be read: {error}. Fetch it again.", error=error
            ) from error


@contextmanager
def open_pack(file: Path | IO[bytes]) -> Iterator[PackFile]:
    """Open a pack and verify its signature; raises BadPack with what is wrong."""
    path = file if isinstance(file, Path) else "This file"
    try:
        zipped = zipfile.ZipFile(file)
    except (*_UNREADABLE, ValueError) as error:
        raise BadPack("{path} is no release pack: {error}.", path=path, error=error) from error
    with zipped:
        if not all(map(_is_plain, zipped.infolist())):
            raise BadPack(
                "{path} is no release pack: a part is encrypted, or packed otherwise.", path=path
            )
        texts = [_small(zipped, name, path) for name in (_MANIFEST, _SIGNATURE)]
        try:
            signer = verified_signer(texts[0], json.loads(texts[1]))
            manifest = Manifest.model_validate_json(texts[0])
        except (ValidationError, ValueError, RecursionError) as error:
            raise BadPack(
                "{path} is no release pack of a form that is known here.", path=path
            ) from error
        if manifest.format != FORMAT:
            raise BadPack(
                "{path} has the format {format}, and this Strata reads {known}: use the "
                "version that made it, or have it made anew.",
                path=path,
                format=manifest.format,
                known=FORMAT,
            )
        yield PackFile(zipped, manifest, signer)


def _is_plain(info: zipfile.ZipInfo) -> bool:
    """Whether a member is stored or deflated, as packs are written."""
    is_known = info.compress_type in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
    return is_known and not info.flag_bits & _ENCRYPTED


def _is_alone(zipped: zipfile.ZipFile) -> bool:
    """Whether a file is nothing but its zip, which may have other bytes before and behind it."""
    assert zipped.fp is not None
    zipped.fp.seek(-_END_SIZE, os.SEEK_END)
    ends = zipped.fp.read(len(_END)) == _END
    return ends and min(info.header_offset for info in zipped.infolist()) == 0


def _small(zipped: zipfile.ZipFile, name: str, path: Path | str) -> bytes:
    try:
        with zipped.open(name) as file:
            text = file.read(_LARGEST[name] + 1)
    except _UNREADABLE as error:
        raise BadPack(
            "{path} is no release pack: it has no {name}.", path=path, name=name
        ) from error
    if len(text) > _LARGEST[name]:
        raise BadPack("{path} is no release pack: its {name} is too large.", path=path, name=name)
    return text


def write_pack(
    path: Path,
    key: Ed25519PrivateKey,
    fields: Mapping[str, Any],
    members: Iterable[tuple[str, Iterable[bytes]]],
) -> Manifest:
    """Write a pack, whole or not at all; `members` are names with pieces of their bytes."""
    written: dict[str, Member] = {}
    with written_whole(path) as aside, zipfile.ZipFile(aside, "w", zipfile.ZIP_DEFLATED) as zipped:
        for name, pieces in members:
            digest, size = sha256(), 0
            with zipped.open(name, "w", force_zip64=True) as file:
                for piece in pieces:
                    file.write(piece)
                    digest.update(piece)
                    size += len(piece)
            written[name] = Member(size=size, sha256=digest.hexdigest())
        manifest = Manifest(format=FORMAT, members=written, **fields)
        text = manifest.model_dump_json(indent=1).encode()
        if len(text) > _LARGEST[_MANIFEST]:
            raise BadPack(
                "The release has too many files for a pack ({number:,} parts): make it "
                "without the original files.",
                number=len(written),
            )
        zipped.writestr(_MANIFEST, text)
        zipped.writestr(_SIGNATURE, json.dumps(sign(key, text)))
    return manifest
