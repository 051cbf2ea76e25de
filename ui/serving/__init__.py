"""What runs behind the page: server, gate, shared services, running questions, worker."""
