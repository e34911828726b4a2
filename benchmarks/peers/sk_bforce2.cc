// Count solutions of a file of 9 x 9 puzzles, one a line, up to 2 each, with SK_BFORCE2.
// With very few givens it overruns an array (its own program skips puzzles with fewer than 17).
#include <cstdio>
#include <cstdlib>

#include "main.h"
// after it: definitions that its main program includes
#include "Zhn_cpp.h"

// The solver answers 0 for all puzzles with fewer than 8 different digits, before it searches.
static bool is_refused(const char *puzzle) {
    unsigned digits = 0;
    for (int i = 0; i < 81; i++)
        if (puzzle[i] >= '1' && puzzle[i] <= '9') digits |= 1u << (puzzle[i] - '1');
    return __builtin_popcount(digits) < 8;
}

// The same search without that answer.
static int count_refused(const char *puzzle) {
    GINT16 givens[81];
    int number = 0;
    for (int i = 0; i < 81; i++)
        if (puzzle[i] >= '1' && puzzle[i] <= '9') {
            givens[number].u8[0] = i;
            givens[number++].u8[1] = puzzle[i] - '1';
        }
    zh_g.Init(1);  // stop after more than one solution
    if (!zhou[0].InitSudoku(givens, number) && zhou[0].FullUpdate()) zhou[0].Guess();
    return zh_g.nsol;
}

int main(int argc, char **argv) {
    if (argc != 3 || strtoul(argv[1], nullptr, 10) != 2) return 2;
    size_t total = 0;
    FILE *file = fopen(argv[2], "r");
    if (!file) return 2;
    char line[1024];
    while (fgets(line, sizeof line, file)) {
        if (line[0] == '#' || line[0] == '\n') continue;
        int count = zhou[0].CheckValidityQuick(line);  // ends the line after 81 cells
        total += count || !is_refused(line) ? count : count_refused(line);
    }
    printf("total %zu\n", total);
    return 0;
}
