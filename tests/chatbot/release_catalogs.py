"""Catalogs of made-up and real naming habits, for the release rules."""

from pathlib import Path

from corpora.catalog.release import Product, Release
from tests.chatbot.release_cases import read_catalogs

CATALOGS = read_catalogs(Path(__file__).with_name("release_catalogs.json"))
(SQLALCHEMY,) = CATALOGS["sqlalchemy"]
(MPI4PY,) = CATALOGS["mpi4py"]
TESSALINE = Product(
    "tessaline", (), tuple(Release("tessaline", name) for name in ("17.10", "17.20", "18.00"))
)
"""The sample's product."""
