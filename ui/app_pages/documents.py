"""Products, releases and documents: upload, settings, earlier states, deletion."""

from ui.documents.page import documents

documents()
