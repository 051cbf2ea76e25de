"""The pages on which admins review questions and answers."""
