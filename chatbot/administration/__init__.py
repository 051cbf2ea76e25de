"""The work of admins: releases, documents, glossaries and saved answers."""
