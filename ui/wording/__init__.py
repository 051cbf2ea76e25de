"""Texts for pages and terminal, as plain text."""
