"""Which products and releases there are, what they are called, and what each documents."""
