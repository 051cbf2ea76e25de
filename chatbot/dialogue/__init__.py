"""Replies that need no evidence: small talk, and what the catalog knows."""
