"""The chat: conversations, questions on their way, answers."""
