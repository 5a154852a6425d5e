/* SPDX-License-Identifier: MIT
 *
 * lustrelayout.c - any bytes as lustre.lov, and as /proc/self/mountinfo: no
 * crash, and texts end
 *
 * make fuzz-lustrelayout FUZZ_SECONDS=60
 */
#include "config.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/fsinfo.h"

int LLVMFuzzerTestOneInput (const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
    struct lustrelayout l;
    struct mountinfo m = {.id = size ? data[0] : 0, .major = 8, .minor = 1};
    const struct mountinfo_mount *found;
    size_t half = size / 2;

    if (lustrelayout_parse (&l, data, size) == 0 && !l.components)
        abort ();
    if (!mountinfo_take (&m, (const char *)data, half))
        (void)mountinfo_take (&m, (const char *)data + half, size - half);
    found = mountinfo_found (&m);
    if (found && (!memchr (found->point, 0, sizeof (found->point)) ||
                  !memchr (found->type, 0, sizeof (found->type))))
        abort ();
    return 0;
}
