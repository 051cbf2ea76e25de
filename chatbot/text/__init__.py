"""Words, Markdown and citation markers: what the other packages read texts with."""
