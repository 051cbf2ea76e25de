"""The memory: answers that were given, how good they are, and what became of them; admins only."""

from __future__ import annotations

from ui.memory.page import memory

memory()
