"""Hostile input: mutated GGUF files, random command lines, wrong calls from Python."""
