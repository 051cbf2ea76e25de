"""What admins do: releases, documents and glossaries, and the pairs of the memory."""
