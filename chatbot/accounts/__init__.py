"""Who asks: people, sign-in, limits and the audit log."""
