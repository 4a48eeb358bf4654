// The program's own functions. Each leaves what no kernel does, so that a result tells whether it was called.

#include <stddef.h>
#include <stdint.h>
#include <string.h>

void quantize_row_q8_0(const float *x, void *y, int64_t k) {
    (void)x;
    memset(y, 0, (size_t)k / 32 * 34);
}

void ggml_vec_dot_q4_0_q8_0(int n, float *s, size_t bs, const void *vx, size_t bx, const void *vy, size_t by, int nrc) {
    (void)n, (void)bs, (void)vx, (void)bx, (void)vy, (void)by, (void)nrc;
    *s = -12345;
}
