"""A film told by a narrator: where there is time, what is said, and how it fits."""
