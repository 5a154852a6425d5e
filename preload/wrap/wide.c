/* SPDX-License-Identifier: MIT
 *
 * wide.c - wide characters in the buffer of a FILE -> their bytes in the file
 */
#include "config.h"

#include <stdlib.h>

#include "preload/wrap/wide.h"

/* UTF-8; each of ASCII is one byte in all locales of libc. */
int64_t wide_bytes (const wchar_t *from, const wchar_t *end)
{
    int64_t n = end > from ? end - from : 0;

    if (n == 0 || MB_CUR_MAX == 1)
        return n;
    for (; from < end; from++) {
        uint32_t c = (uint32_t)*from;

        n += (c >= 0x80) + (c >= 0x800) + (c >= 0x10000);
    }
    return n;
}

/* With characters put back, the buffer is in two pieces. */
int64_t wide_unread (const FILE *f, int in_backup)
{
    const struct wide_data *w = wide_data (f);
    int64_t n;

    if (!w)
        return 0;
    n = wide_bytes (w->read_ptr, w->read_end);
    if (in_backup)
        n += wide_bytes (w->save_base, w->save_end);
    return n;
}

int64_t wide_unwritten (const FILE *f)
{
    const struct wide_data *w = wide_data (f);

    return w ? wide_bytes (w->write_base, w->write_ptr) : 0;
}
