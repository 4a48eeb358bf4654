"""Timing of kernels."""
