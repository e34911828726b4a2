// Count solutions of a file of 9 x 9 puzzles, one a line, up to a limit each, with Tdoku.
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "tdoku.h"

int main(int argc, char **argv) {
    if (argc != 3) return 2;
    size_t limit = strtoul(argv[1], nullptr, 10), total = 0, guesses = 0;
    FILE *file = fopen(argv[2], "r");
    if (!file) return 2;
    char line[1024], solution[128];
    while (fgets(line, sizeof line, file)) {
        if (line[0] == '#' || line[0] == '\n') continue;
        for (int i = 0; i < 81; i++)
            if (line[i] == '0') line[i] = '.';
        line[81] = 0;
        total += TdokuSolverDpllTriadSimd(line, limit, 0, solution, &guesses);
    }
    printf("total %zu\n", total);
    return 0;
}
