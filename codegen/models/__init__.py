"""Model files: reading them, and running their matrices."""
