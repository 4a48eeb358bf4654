#include "../../quants.c"
