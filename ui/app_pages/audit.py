"""The audit log: who did what, and when; admins only."""

from __future__ import annotations

from ui.review.audit_page import audit

audit()
