"""An answer as the chat and the review show it."""
