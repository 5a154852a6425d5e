/* SPDX-License-Identifier: MIT
 *
 * preads.c - many reads at places that do not follow each other, then memory
 *
 * preads FILE N [BYTES]
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int main (int argc, char **argv)
{
    int fd = argc >= 3 ? open (argv[1], O_RDONLY) : -1;
    long n = argc >= 3 ? atol (argv[2]) : 0;
    uint64_t at = 1;
    char buf[64];

    if (fd < 0)
        return 2;
    for (long i = 0; i < n; i++) {
        at = at * 6364136223846793005u + 1442695040888963407u;
        if (pread (fd, buf, 1 + (at >> 20) % 60, (off_t)((at >> 33) % 100000)) <
            0)
            return 1;
    }
    if (argc > 3) {
        size_t bytes = (size_t)atol (argv[3]);
        char *memory = malloc (bytes);

        if (!memory)
            return 3;
        memset (memory, 1, bytes);
        return memory[bytes / 2] == 1 ? 0 : 4;
    }
    return 0;
}
