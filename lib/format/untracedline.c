/* SPDX-License-Identifier: MIT
 *
 * untracedline.c - pid, path, reason, now -> a line
 */
#include "config.h"

#include <stdint.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>

#include "lib/base/sys.h"
#include "lib/format/untracedline.h"

enum { REASON_MAX = 200 };

static void untracedline_put (struct untracedline *l, char c)
{
    if (l->used < sizeof (l->text))
        l->text[l->used++] = c;
}

static void untracedline_put_number (struct untracedline *l, uint64_t n)
{
    char digits[24];
    int i = 0;

    do
        digits[i++] = (char)('0' + n % 10);
    while ((n /= 10) > 0);
    while (i > 0)
        untracedline_put (l, digits[--i]);
}

static void
untracedline_put_text (struct untracedline *l, const char *text, size_t n)
{
    static const char hex[] = "0123456789abcdef";

    for (size_t i = 0; i < n; i++) {
        unsigned char c = (unsigned char)text[i];

        if (c > ' ' && c < 127 && c != '%') {
            untracedline_put (l, (char)c);
            continue;
        }
        untracedline_put (l, '%');
        untracedline_put (l, hex[c >> 4]);
        untracedline_put (l, hex[c & 15]);
    }
}

/* When, by the kernel's clock: another preload may have replaced libc's. */
static void untracedline_put_time (struct untracedline *l, int child)
{
    struct timespec now = {0, 0};

    if (sys_call (SYS_clock_gettime, CLOCK_REALTIME, &now) < 0)
        return;
    untracedline_put (l, ' ');
    untracedline_put (l, child ? '~' : '@');
    untracedline_put_number (l, (uint64_t)now.tv_sec * 1000000000u +
                                    (uint64_t)now.tv_nsec);
}

/* What does not fit into the line ends it. */
void untracedline_make (struct untracedline *l,
                        pid_t pid,
                        const char *exe,
                        size_t n,
                        const char *what,
                        const char *reason)
{
    l->used = 0;
    untracedline_put_number (l, (uint64_t)pid);
    untracedline_put (l, ' ');
    untracedline_put_text (l, exe, n);
    untracedline_put (l, ' ');
    untracedline_put_text (l, what, strlen (what));
    untracedline_put_text (l, reason, strnlen (reason, REASON_MAX));
    untracedline_put_time (l, pid != sys_getpid ());
    if (l->used == sizeof (l->text))
        l->used--;
    l->text[l->used++] = '\n';
}
