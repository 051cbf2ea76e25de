"""Numbers over time; admins only."""

from ui.review.numbers_page import numbers

numbers()
