"""The cases, order of additions and checks of gemv and gemm."""
