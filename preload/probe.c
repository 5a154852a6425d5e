/* SPDX-License-Identifier: MIT
 *
 * probe.c - address -> whether the kernel can read it
 */
#include "config.h"

#include "lib/base/sys.h"
#include "preload/probe.h"
#include "preload/process.h"

enum {
    PAGE = SYS_PAGE_LEAST,
    MASK_BYTES = 8 /* the kernel's sigset_t */
};

/* The kernel reads a signal mask before it finds that there is nothing called
 * NOTHING to be done with it. No descriptor, no file, no other effect. */
static int probe_is_readable (const struct probe *p, uintptr_t page)
{
    const int NOTHING = p->notes ? -2 : -1; /* tests tell them apart */
    int saved_errno = errno, ok;
    unsigned char resident;

    if (self_in_valgrind ()) /* that knows no such way; what is mapped will do
                              */
        ok = sys_call (SYS_mincore, page, 1, &resident) == 0;
    else
        ok = sys_call (SYS_rt_sigprocmask, NOTHING, page, NULL, MASK_BYTES) ==
                 0 ||
             errno != EFAULT;
    errno = saved_errno;
    return ok;
}

int probe_byte (struct probe *p, const void *at)
{
    uintptr_t page = (uintptr_t)at & ~(uintptr_t)(PAGE - 1);

    if (page == 0)
        return 0;
    if (page != p->page && !probe_is_readable (p, page))
        return 0;
    p->page = page;
    return 1;
}

ssize_t probe_text (struct probe *p, const char *text, size_t max)
{
    size_t n = 0;

    while (n < max && probe_byte (p, text + n)) {
        size_t rest = PAGE - ((uintptr_t)(text + n) & (PAGE - 1));
        size_t look = rest < max - n ? rest : max - n;
        const char *end = memchr (text + n, '\0', look);

        if (end)
            return end - text;
        n += look;
    }
    return -1;
}
