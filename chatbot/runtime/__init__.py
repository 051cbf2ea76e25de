"""How a turn runs: events, the event loop, the queue of questions, calls of the model."""
