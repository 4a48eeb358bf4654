// Functions that a program may well have: our objects have such, too, under names of their own.

int range_end(int x) { return x + 1; }
int ranges_apart(int x) { return x + 2; }
int panel(int x) { return x + 3; }
int exactly(int x) { return x + 4; }
int quantize_column(int x) { return x + 5; }
int quantize_again(int x) { return x + 6; }
int interleave_group(int x) { return x + 7; }
