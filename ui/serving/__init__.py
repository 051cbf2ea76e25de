"""What runs behind the page: server, gate, shared services, questions on their way, worker."""
