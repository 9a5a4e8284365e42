"""Narrators: models that tell what is seen in a span of a film, by the names of its roles."""
