// Kernels of three instruction sets in one program, each with its own header.

#include "gemv.h"
#include "gemm.h"
#include "mul_mat.h"

int main(void) {
    float s = 1;
    gemv_q4_0_q8_0(0, &s, 1, NULL, NULL, 1, 1);
    const int first = s == 0;
    s = 1;
    gemm_q4_0_q8_0(0, &s, 1, NULL, NULL, 1, 1);
    const int second = s == 0;
    s = 1;
    mul_mat_q4_0(0, &s, 1, NULL, NULL, 0, 1, 1, NULL);
    return first && second && s == 0 ? 0 : 1;
}
