/* SPDX-License-Identifier: MIT
 *
 * kernelsay.c - code whose system calls the wrappers see -> one mark
 *
 * Whatever libc, the loader and this library call is recorded here or left out
 * here on purpose. System calls of any other code are not seen here, and the
 * recorder of layer kernel takes them.
 */
#include "config.h"

#include <link.h>

#include "lib/base/array.h"
#include "lib/base/kernelmark.h"
#include "lib/format/calls.h"
#include "lib/base/sys.h"
#include "preload/kernelsay.h"

static SYS_START int sees;

/* Parts of libc, one file each or all in the first. */
static const char *const names[] = {"libc.so", "libc-2",     "ld-linux",
                                    "ld-2",    "libpthread", "librt"};

static int kernelsay_is_covered (const struct dl_phdr_info *o)
{
    const char *slash = strrchr (o->dlpi_name, '/');
    const char *base = slash ? slash + 1 : o->dlpi_name;
    uintptr_t own = (uintptr_t)&kernelsay_start;

    for (size_t i = 0; i < ITEMS (names); i++)
        if (strncmp (base, names[i], strlen (names[i])) == 0)
            return 1;
    for (int i = 0; i < o->dlpi_phnum; i++) {
        uintptr_t begin = o->dlpi_addr + o->dlpi_phdr[i].p_vaddr;

        if (o->dlpi_phdr[i].p_type == PT_LOAD && own >= begin &&
            own - begin < o->dlpi_phdr[i].p_memsz)
            return 1;
    }
    return 0;
}

static int kernelsay_add (struct dl_phdr_info *o, size_t size, void *cookie)
{
    struct kernelmark_code *code = cookie;

    if (!kernelsay_is_covered (o))
        return 0;
    for (int i = 0; i < o->dlpi_phnum; i++) {
        const ElfW (Phdr) *ph = &o->dlpi_phdr[i];
        int n = 0;

        if (ph->p_type != PT_LOAD || !(ph->p_flags & PF_X))
            continue;
        while (n < KERNELMARK_RANGES && code->range[n].end)
            n++;
        if (n == KERNELMARK_RANGES)
            return 1;
        code->range[n].begin = o->dlpi_addr + ph->p_vaddr;
        code->range[n].end = code->range[n].begin + ph->p_memsz;
    }
    return 0;
}

void kernelsay_start (const struct settings *s)
{
    struct kernelmark_code code = {{{0, 0}}};

    if (!(s->layers & LAYER_KERNEL))
        return;
    sees = 1;
    if (!(s->layers & LAYER_POSIX))
        return;
    (void)dl_iterate_phdr (kernelsay_add, &code);
    (void)sys_call (SYS_getppid, KERNELMARK_MAGIC, KERNELMARK_LIBRARY, &code);
}

int kernelsay_sees (void)
{
    return sees;
}
