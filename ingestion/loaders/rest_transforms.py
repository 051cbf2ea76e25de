"""What is done to reStructuredText once it is parsed, in the manner of Sphinx."""

from docutils import nodes
from docutils.transforms import Transform

from ingestion.names import SUBSTITUTION


class QuotedDefinitions(Transform):
    """Reads a name that stands by itself, with indented text below it, as its definition."""

    default_priority = 900

    def apply(self) -> None:
        """Put a definition in place of each such pair."""
        for quote in list(self.document.findall(nodes.block_quote)):
            around, at = quote.parent, quote.parent.index(quote)
            name = around[at - 1] if at else None
            if not isinstance(name, nodes.paragraph) or len(name) != 1:
                continue
            if isinstance(name[0], nodes.literal):
                text = name.astext()
                term = nodes.term(text, "", *name.children, ids=[nodes.make_id(text)])
                item = nodes.definition_list_item("", term, nodes.definition("", *quote.children))
                around[at - 1 : at + 1] = [nodes.definition_list("", item, classes=["py"])]


class UndefinedSubstitutions(Transform):
    """Leaves the name alone of what only the project's configuration defines, such as `|today|`."""

    # Before docutils' own, which fails on one inside the definition of another.
    default_priority = 219

    def apply(self) -> None:
        """Put text in place of each reference that nothing in the file defines."""
        for reference in list(self.document.findall(nodes.substitution_reference)):
            name = reference["refname"]
            if name.lower() not in self.document.substitution_names:
                reference.replace_self(nodes.Text(name))


class SubstitutionsInCode(Transform):
    """Fills in the substitutions of listings that ask for it."""

    # After docutils' own.
    default_priority = 221

    def apply(self) -> None:
        """Put the text of each definition in place of its name."""
        definitions = self.document.substitution_defs
        known = {name.lower(): node.astext() for name, node in definitions.items()}
        for listing in list(self.document.findall(nodes.literal_block)):
            if listing.attributes.pop("substitutions", False):
                filled = SUBSTITUTION.sub(
                    lambda found: known.get(found[1].lower(), found[0]), listing.astext()
                )
                listing[:] = [nodes.Text(filled)]
