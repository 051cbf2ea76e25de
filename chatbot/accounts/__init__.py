"""People, sign-in, limits and the audit log."""
