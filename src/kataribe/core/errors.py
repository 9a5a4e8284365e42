"""What goes wrong in ways a user can mend."""


class KataribeError(Exception):
    """An error with a message for the user and, where there is one, a hint at the remedy."""

    def __init__(self, message: str, *, hint: str = "") -> None:
        super().__init__(message)
        self.hint = hint


class ResourceError(KataribeError):
    """Data that a metric needs is missing, damaged or cannot be stored."""
