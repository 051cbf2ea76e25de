"""A documentation site as a source."""

from corpora.sources.options import SiteOptions
from corpora.sources.site.reader import SiteReader
from corpora.sources.source import Secrets, SourceReader


def open_site(options: SiteOptions, secrets: Secrets) -> SourceReader:
    """The reader of a site. Raises SourceError for options that cannot be used."""
    return SiteReader(options, secrets)
