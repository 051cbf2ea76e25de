"""What the pages of one release are read with."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import httpx

from corpora.sources.options import SiteOptions
from corpora.sources.site.addresses import Place
from corpora.sources.site.fetching import Fetcher
from corpora.sources.site.robots import Robots


@dataclass(frozen=True)
class Site:
    """What the pages of one release are read with.

    `is_other` says whether an address is that of another release; `folder` is where files go.
    """

    options: SiteOptions
    place: Place
    is_other: Callable[[httpx.URL], bool]
    fetcher: Fetcher
    robots: Robots
    folder: Path
