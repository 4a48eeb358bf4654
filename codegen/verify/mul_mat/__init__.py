"""The cases and checks of mul_mat."""
