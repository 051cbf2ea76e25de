"""Everything that was asked and answered, for admins: filtered, opened, rated."""

from __future__ import annotations

from ui.review.history_page import history

history()
