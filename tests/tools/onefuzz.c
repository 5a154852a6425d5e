/* SPDX-License-Identifier: MIT
 *
 * onefuzz.c - files -> a fuzz target, each once, without libFuzzer
 *
 *     onefuzz FILE...
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerInitialize (int *argc, char ***argv);
int LLVMFuzzerTestOneInput (const uint8_t *data, size_t size);

int main (int argc, char **argv)
{
    enum { INPUT_MAX = 1 << 16 };
    uint8_t *data = malloc (INPUT_MAX);

    LLVMFuzzerInitialize (&argc, &argv);
    for (int i = 1; data && i < argc; i++) {
        FILE *f = fopen (argv[i], "r");

        if (!f)
            return 1;
        LLVMFuzzerTestOneInput (data, fread (data, 1, INPUT_MAX, f));
        fclose (f);
    }
    free (data);
    return 0;
}
