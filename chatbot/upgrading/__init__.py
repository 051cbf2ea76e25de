"""What has to be changed from one release to a later one, for what somebody uses.

`usage` reads what that is, `notes` the release notes, `steps` what changed from one release to the
next, and `guide` puts the steps over all releases between into one list, each with its pages.
"""
