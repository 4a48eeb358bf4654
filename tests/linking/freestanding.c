// A program without a C library, as plugins and page scripts are: its host writes into `buffer` and reads from it.

#include "ggmlwat.h"

char buffer[1 << 20] __attribute__((aligned(16)));

char *buffer_address(void) { return buffer; }

float dot_product(int n, size_t x, size_t y) {
    float s;
    ggml_vec_dot_q4_0_q8_0(n, &s, 0, buffer + x, 0, buffer + y, 0, 1);
    return s;
}
