"""Hides the library of this name."""
raise ImportError
