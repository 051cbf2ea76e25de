"""Office files: zips of XML, looked at as an archive is before anything in them is believed."""

import io
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import closing, contextmanager
from xml.parsers.expat import ExpatError

from ingestion.archives import Archive
from ingestion.page import Rejected, UnreadableFile

_DAMAGE = (
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
        for member in archive.members():
            if isinstance(member, Rejected) and "bomb" in member.reason:
                raise UnreadableFile(f"{member.file} in it {member.reason}")
    try:
        yield io.BytesIO(data)
    except RecursionError as error:
        raise UnreadableFile("its elements are nested too deeply to be read") from error
    except _DAMAGE as error:
        raise UnreadableFile(
            f"damaged, or not the Office file that its name says ({type(error).__name__}); "
            "open it in an office program and save it again"
        ) from error
