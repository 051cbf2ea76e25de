"""Products, releases and documents: upload, settings, earlier states, deletion."""

from __future__ import annotations

from ui.documents.page import documents

documents()
