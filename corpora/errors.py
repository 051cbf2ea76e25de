"""The failures of corpora. What `ui/api/app.py` answers to a program is a table there.

StrataError
├── CatalogError
│   ├── UnknownRelease
│   ├── NoCorpus
│   ├── NothingWaits
│   ├── UnusableName
│   └── UnusableRight
├── GlossaryError (ValueError)
├── IngestError
│   ├── BeingBuilt
│   ├── TakenOver
│   ├── IngestCancelled
│   ├── NothingToIngest
│   ├── NothingLeft
│   └── DiskFull
├── UnusableDatabase
│   ├── UnreachableDatabase
│   └── DatabaseFull
├── UnusableOriginals
├── NotCopied
├── UploadError
├── JobError
├── ModelMissing
└── RerankerFailed
Exception, caught inside
├── BrokenIndex
└── JobTaken
"""

from ingestion.errors import StrataError


class CatalogError(StrataError):
    """What was asked of the catalog cannot be done; the message says why."""


class UnknownRelease(CatalogError):
    """There is no such product or release; the message lists those that there are."""


class NoCorpus(CatalogError):
    """Nothing serves a release; the message lists the releases that can be asked."""


class NothingWaits(CatalogError):
    """No generation of a release waits to be published, or another one than was meant."""


class UnusableName(CatalogError):
    """A name or alias cannot be given; the message says why."""


class UnusableRight(CatalogError):
    """A right cannot be given; the message says why."""


class GlossaryError(StrataError, ValueError):
    """A glossary cannot be as it is given; the message says what is wrong and where."""


class NotCopied(StrataError):
    """A database cannot be copied; the message says why and what to do. The target is as it was."""


class UnusableDatabase(StrataError):
    """The database cannot be opened or used; the message says why and what to do."""

    for_operators = True


class UnreachableDatabase(UnusableDatabase):
    """The database does not answer, which it may do again."""


class DatabaseFull(UnusableDatabase):
    """No room is left on the database's disk; nothing was written, and what is there is kept."""


class UnusableOriginals(StrataError):
    """The place of originals cannot be used; the message says which, why and what to do."""


class UploadError(StrataError):
    """An upload cannot be taken; the message says why and what to do."""


class IngestError(StrataError):
    """An ingest ended and published nothing; the message says why and what to do."""


class BeingBuilt(IngestError):
    """Another process is ingesting into this release; the message says which."""


class TakenOver(IngestError):
    """This builder was thought dead and another one took its release over."""


class ModelMissing(StrataError):
    """A model's file is not there; the message names it and the command that fetches it."""

    for_operators = True


class EmbedderFailed(StrataError):
    """Texts cannot be embedded; the message says why and what to do."""

    for_operators = True


class RerankerFailed(StrataError):
    """The passages cannot be scored; the message says why and what to do."""


class BrokenIndex(Exception):
    """An index cannot be read or is not complete; the message says which and why."""


class JobError(StrataError):
    """What was asked of a job cannot be done; the message says why and what to do."""


class JobTaken(Exception):
    """A worker that was thought dead has lost its job to another one, or to a cancellation."""


class IngestCancelled(IngestError):
    """The ingest was stopped; what was read and embedded is kept for the next try."""


class NothingToIngest(IngestError):
    """There is no file under the given paths."""


class NothingLeft(IngestError):
    """A release would be without documents; the message says what to do instead."""


class DiskFull(IngestError):
    """No room is left where the data is kept; what is published is not harmed."""

    for_operators = True


class SourceError(StrataError):
    """A source cannot be read; the message says what failed, at which address, and what to do."""


class NothingThere(SourceError):
    """Where releases of a source, or the pages and files of one, were expected there are none."""


class NoSuchSource(SourceError):
    """There is no source of this number."""


class BadPack(StrataError):
    """A release pack cannot be read, or is not as it was when it was signed."""


class UntrustedPack(BadPack):
    """Nobody here trusts the key that signed a release pack."""
