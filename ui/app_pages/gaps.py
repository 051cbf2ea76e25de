"""Content gaps: what was asked and the documentation could not answer; admins only."""

from ui.review.gaps_page import gaps

gaps()
