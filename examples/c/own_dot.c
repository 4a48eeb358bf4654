// A program's own dot product under GGML's name: what a build has where nobody wrote it for WebAssembly.

#include <stddef.h>
#include <stdint.h>
#include <string.h>

static float half_to_float(const unsigned char *bytes) {
    const uint32_t half = bytes[0] | (uint32_t)bytes[1] << 8;
    const uint32_t sign = (half & 0x8000u) << 16, rest = half & 0x7fffu;
    const float two_to_112 = 5192296858534827628530496329220096.0f;
    uint32_t bits = rest << 13;
    float value;
    if (rest >= 0x7c00u) {
        bits |= 0x7f800000u;
        memcpy(&value, &bits, 4);
    } else {
        memcpy(&value, &bits, 4);
        value *= two_to_112;
    }
    memcpy(&bits, &value, 4);
    bits |= sign;
    memcpy(&value, &bits, 4);
    return value;
}

void ggml_vec_dot_q4_0_q8_0(int n, float *s, size_t bs, const void *vx, size_t bx, const void *vy, size_t by, int nrc) {
    (void)bs, (void)bx, (void)by, (void)nrc;
    float total = 0;
    for (int block = 0; block < n / 32; block++) {
        const unsigned char *x = (const unsigned char *)vx + 18 * (size_t)block;
        const signed char *y = (const signed char *)vy + 34 * (size_t)block;
        int sum = 0;
        for (int j = 0; j < 16; j++) {
            sum += ((x[2 + j] & 0x0f) - 8) * y[2 + j] + ((x[2 + j] >> 4) - 8) * y[18 + j];
        }
        total += sum * (half_to_float(x) * half_to_float((const unsigned char *)y));
    }
    *s = total;
}
