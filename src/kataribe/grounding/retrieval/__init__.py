"""Stage one of grounding: shots of films and texts in one space, trained, indexed and searched."""
