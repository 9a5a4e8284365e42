"""Property tests take the time they need."""

from hypothesis import settings

# A busy machine is no failure of the code under test.
settings.register_profile("patient", deadline=None)
settings.load_profile("patient")
