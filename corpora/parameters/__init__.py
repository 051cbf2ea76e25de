"""What a release states about its parameters, read from the forms of its pages.

`parameter` is what is known of one, `forms` how pages write it, `extraction` reads a document,
`of_release` holds a release, and `changes` puts two beside each other. All of it is derived from
the pages and stored nowhere (docs/decisions/0025).
"""
