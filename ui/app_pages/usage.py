"""Numbers over time; admins only."""

from __future__ import annotations

from ui.review.numbers_page import numbers

numbers()
