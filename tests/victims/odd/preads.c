/* SPDX-License-Identifier: MIT
 *
 * preads.c - many reads at places that do not follow each other
 *
 * preads FILE N
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

int main (int argc, char **argv)
{
    int fd = argc == 3 ? open (argv[1], O_RDONLY) : -1;
    long n = argc == 3 ? atol (argv[2]) : 0;
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
    return 0;
}
