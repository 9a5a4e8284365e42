"""The film world: seeded films as real files, with everything that is said, told and done in them known."""
