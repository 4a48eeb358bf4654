"""The fastest kernels of an engine, searched for: which shapes to try, which to keep, and the file that says so."""
