"""What a release states about its parameters, read from the forms of its pages.

`parameter` is what is known of one, `forms` how pages write it, `extraction` reads a document,
and `releases` holds those of a release and puts two beside each other. All of it is derived from
the pages and stored nowhere (docs/decisions/0025).
"""
