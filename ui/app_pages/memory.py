"""The memory: answers that were given, how good they are, and what became of them; admins only."""

from ui.memory.page import memory

memory()
