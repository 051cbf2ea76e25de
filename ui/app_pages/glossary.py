"""The glossary of a product: words that mean the same."""

from ui.glossary.page import glossary

glossary()
