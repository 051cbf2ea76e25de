"""The chat: a product, a conversation about it, answers with their releases and sources."""

from __future__ import annotations

from ui.chat import chat

chat()
