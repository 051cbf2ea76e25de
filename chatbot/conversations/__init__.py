"""Kept conversations: turns, thumbs, search, export, and how long they are kept."""
