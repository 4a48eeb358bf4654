// Calls both functions through a table, from another file than the one that defines them.

#include <stddef.h>
#include <stdint.h>

void ggml_vec_dot_q4_0_q8_0(int n, float *s, size_t bs, const void *vx, size_t bx, const void *vy, size_t by, int nrc);
void quantize_row_q8_0(const float *x, void *y, int64_t k);

const struct {
    void (*from_float)(const float *, void *, int64_t);
    void (*vec_dot)(int, float *, size_t, const void *, size_t, const void *, size_t, int);
} ggml_type_traits = {quantize_row_q8_0, ggml_vec_dot_q4_0_q8_0};

void ggml_mul_mat(int n, int rows, const char *weights, const float *values, void *work, float *results) {
    ggml_type_traits.from_float(values, work, n);
    for (int row = 0; row < rows; row++) {
        ggml_type_traits.vec_dot(n, &results[row], 0, weights + (size_t)row * n / 32 * 18, 0, work, 0, 1);
    }
}
