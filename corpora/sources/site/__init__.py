"""A documentation site as a source."""
