"""Films as they enter a corpus: what is said and told in them, casts, and the rules that make clips of it."""
