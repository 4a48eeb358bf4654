"""gemv and gemm, and what mul_mat has of them: strategies and plans."""
