"""Catalogs of made-up and real naming habits, for the release rules."""

from __future__ import annotations

from pathlib import Path

from eval.release_cases import read_catalogs

CATALOGS = read_catalogs(Path(__file__).with_name("release_catalogs.json"))
(SQLALCHEMY,) = CATALOGS["sqlalchemy"]
(MPI4PY,) = CATALOGS["mpi4py"]
