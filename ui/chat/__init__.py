"""The chat: conversations, open questions, answers."""
