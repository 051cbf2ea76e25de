"""The memory page, for admins."""
