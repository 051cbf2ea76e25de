"""The first schema that is still known: that of 0.2.0, the first release.

A new database is made from the models and stamped, so that there is nothing to do here. The next
revision says what changes for a database that is there.
"""

revision = "0006"
down_revision = None


def upgrade() -> None:
    """Do nothing: a database of this revision has these tables already."""
