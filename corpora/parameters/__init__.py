"""What a release states about its parameters, read from the forms of its pages.

`parameter` is what is known of one, `extraction` reads a document, `of_release` holds a release,
and `changes` puts releases beside each other. All of it is derived from the pages and stored
nowhere (docs/decisions/0025).
"""
