"""The glossary of a product: words that mean the same."""

from __future__ import annotations

from ui.glossary.page import glossary

glossary()
