"""The npm package: modules of kernels, what they must compute, and the sources of js/ around them."""
