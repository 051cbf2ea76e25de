"""The server side of the pages: server, gate, shared services, running questions, worker."""
