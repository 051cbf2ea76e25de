"""Everything that was asked and answered, for admins: filtered, opened, rated."""

from ui.review.history_page import history

history()
