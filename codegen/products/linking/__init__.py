"""Kernels inside other people's programs: objects and libraries for C, modules of several kernels, and headers."""
