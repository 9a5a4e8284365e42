"""Kataribe: how well does this text tell what happens in this video or picture?"""

__version__ = "0.1.0"
