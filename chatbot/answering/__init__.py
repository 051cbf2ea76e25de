"""From the selected passages to an answer: a written lead, a composed body, both checked."""
