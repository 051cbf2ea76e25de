"""The audit log: who did what, and when; admins only."""

from ui.review.audit_page import audit

audit()
