"""Replies that need no evidence: asking back, small talk, what the catalog knows."""
