"""The glossary editor, for admins."""
