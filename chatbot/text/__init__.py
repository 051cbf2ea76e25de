"""Words, Markdown and citation markers, for the other packages."""
