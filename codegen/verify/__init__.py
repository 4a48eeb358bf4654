"""A kernel against the oracle, its own order of additions, and the contracts of memory and module."""
