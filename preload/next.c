/* SPDX-License-Identifier: MIT
 *
 * next.c - names -> definitions in the libraries behind ours
 *
 * In:  the loader's list, hash tables of libraries
 * Out: addresses, of default versions
 * Caveat: only what was loaded with the program and stands before libc is
 *         looked at, libc included: of that, the list has the order in which
 *         the loader searches, and none of it is ever unloaded. Calls nothing
 *         of libc, as its functions may not be ready (sanitizers).
 */

/* Design. The real functions are found when they are first called, in the
 * hash tables of the libraries behind ours (next): no lock, no memory, no
 * call, so that it may be in a signal handler. Where the loader's order is
 * not known, it is asked. */

#include "config.h"

#include <link.h>
#include <sys/auxv.h>

#include "lib/settings/settings.h"
#include "lib/base/sys.h"
#include "preload/next.h"
#include "preload/probe.h"

enum {
    VERSION_HIDDEN = 0x8000, /* not the default */
    BLOOM_BITS = 8 * sizeof (ElfW (Addr))
};

extern ElfW (Dyn) _DYNAMIC[] __attribute__ ((visibility ("hidden")));

/* Defined by the GNU loader; weak, since others lack it. */
extern struct r_debug _r_debug __attribute__ ((weak));

struct library {
    ElfW (Addr) base;
    const ElfW (Sym) * symbols;
    const char *names;
    const uint16_t *versions; /* NULL: none */
    const uint32_t *hash;     /* of the GNU kind */
};

/* Those behind ours up to libc; NULL: not known. */
static SYS_START const struct link_map *begin, *last;

/* The loader has made most of them addresses, but not of all libraries. */
static const void *next_address (const struct link_map *m, ElfW (Addr) at)
{
    return (const void *)(at < m->l_addr ? at + m->l_addr : at);
}

/* False where the loader would not take it as it is. */
static int next_open (const struct link_map *m, struct library *l)
{
    *l = (struct library){.base = m->l_addr};
    for (const ElfW (Dyn) *d = m->l_ld; d->d_tag != DT_NULL; d++) {
        switch (d->d_tag) {
        case DT_SYMTAB:
            l->symbols = next_address (m, d->d_un.d_ptr);
            break;
        case DT_STRTAB:
            l->names = next_address (m, d->d_un.d_ptr);
            break;
        case DT_VERSYM:
            l->versions = next_address (m, d->d_un.d_ptr);
            break;
        case DT_GNU_HASH:
            l->hash = next_address (m, d->d_un.d_ptr);
            break;
        case DT_AUXILIARY:
        case DT_FILTER:
            return 0;
        default:
            break;
        }
    }
    return l->symbols && l->names && l->hash && l->hash[0] && l->hash[2];
}

static int next_same (const char *a, const char *b)
{
    while (*a && *a == *b) {
        a++;
        b++;
    }
    return *a == *b;
}

/* The last component of a path. */
static int next_is_libc (const char *path)
{
    const char *base = path;

    for (; *path; path++)
        if (*path == '/')
            base = path + 1;
    return next_same (base, "libc.so.6");
}

/* An auditor may bind names as it likes: by the environment, or as the program
 * says. */
static int next_has_auditor (const struct link_map *program)
{
    if (settings_environ (NULL, "LD_AUDIT"))
        return 1;
    for (const ElfW (Dyn) *d = program->l_ld; d->d_tag != DT_NULL; d++)
        if (d->d_tag == DT_AUDIT || d->d_tag == DT_DEPAUDIT)
            return 1;
    return 0;
}

/* The kernel's has no path, and the loader does not search it. */
static int next_is_searched (const struct link_map *m)
{
    const char *p = m->l_name ? m->l_name : "";

    while (*p && *p != '/')
        p++;
    return *p == '/';
}

/* libc, if all from m to it can be read. */
static const struct link_map *next_libc (const struct link_map *m)
{
    struct library l;

    for (; m; m = m->l_next) {
        if (!next_is_searched (m))
            continue;
        if (!next_open (m, &l))
            return NULL;
        if (next_is_libc (m->l_name))
            return m;
    }
    return NULL;
}

/* The first library behind ours. */
static const struct link_map *next_behind (const struct link_map *program)
{
    const struct link_map *m = program;

    while (m && m->l_ld != _DYNAMIC)
        m = m->l_next;
    return m ? m->l_next : NULL;
}

int next_start (void)
{
    const struct link_map *program = &_r_debug ? _r_debug.r_map : NULL;

    begin = next_behind (program);
    last = begin && !next_has_auditor (program) ? next_libc (begin) : NULL;
    return last ? 0 : -1;
}

static uint32_t next_hash (const char *name)
{
    uint32_t h = 5381;

    for (; *name; name++)
        h = h * 33 + (unsigned char)*name;
    return h;
}

static int next_is_default (const struct library *l, uint32_t i)
{
    const ElfW (Sym) *s = &l->symbols[i];

    return s->st_shndx != SHN_UNDEF && s->st_value != 0 &&
           ELF64_ST_VISIBILITY (s->st_other) == STV_DEFAULT &&
           !(l->versions && l->versions[i] & VERSION_HIDDEN);
}

/* Number of the symbol, 0 if the library has none of that name. */
static uint32_t
next_index (const struct library *l, const char *name, uint32_t h)
{
    uint32_t buckets = l->hash[0], first = l->hash[1], words = l->hash[2];
    const ElfW (Addr) *bloom = (const void *)(l->hash + 4);
    const uint32_t *bucket = (const void *)(bloom + words);
    const uint32_t *chain = bucket + buckets;
    ElfW (Addr) word = bloom[h / BLOOM_BITS % words];
    ElfW (Addr) bits = (ElfW (Addr))1 << h % BLOOM_BITS |
                       (ElfW (Addr))1 << (h >> l->hash[3]) % BLOOM_BITS;
    uint32_t i = (word & bits) == bits ? bucket[h % buckets] : 0;

    for (; i >= first && i > 0; i++) {
        uint32_t other = chain[i - first];

        if ((other | 1) == (h | 1) && next_is_default (l, i) &&
            next_same (l->names + l->symbols[i].st_name, name))
            return i;
        if (other & 1)
            break;
    }
    return 0;
}

/* From m to end, which is NULL for all. */
static void *next_of_type (const struct link_map *m,
                           const struct link_map *end,
                           const char *symbol,
                           unsigned type)
{
    uint32_t h = next_hash (symbol);

    for (; m; m = m != end ? m->l_next : NULL) {
        struct library l;
        uint32_t i = next_is_searched (m) && next_open (m, &l)
                         ? next_index (&l, symbol, h)
                         : 0;

        if (i > 0)
            return ELF64_ST_TYPE (l.symbols[i].st_info) == type
                       ? (void *)(l.base + l.symbols[i].st_value)
                       : NULL;
    }
    return NULL;
}

void *next_find (const char *symbol)
{
    return next_of_type (last ? begin : NULL, last, symbol, STT_FUNC);
}

void *next_find_anywhere (const char *symbol)
{
    const struct link_map *program = &_r_debug ? _r_debug.r_map : NULL;

    return next_of_type (next_behind (program), NULL, symbol, STT_FUNC);
}

void *next_variable (const char *symbol)
{
    return next_of_type (last, last, symbol, STT_OBJECT);
}

/* Whether its segments reach over that offset from where it was loaded. */
static int next_covers (const ElfW (Phdr) * ph, size_t count, uintptr_t offset)
{
    for (size_t i = 0; i < count; i++)
        if (ph[i].p_type == PT_LOAD && ph[i].p_flags & PF_X &&
            offset - ph[i].p_vaddr < ph[i].p_memsz)
            return 1;
    return 0;
}

int next_object (uintptr_t address, uintptr_t *base, const char **path)
{
    const struct link_map *m = &_r_debug ? _r_debug.r_map : NULL;
    struct probe p = {0};

    *path = "";
    if (m && next_covers ((const void *)getauxval (AT_PHDR),
                          getauxval (AT_PHNUM), address - m->l_addr)) {
        *base = m->l_addr;
        return 0;
    }
    for (; m && last; m = m != last ? m->l_next : NULL) {
        const ElfW (Ehdr) *head = (const void *)m->l_addr;

        if (address <= m->l_addr || !next_is_searched (m) ||
            !probe_byte (&p, head) || memcmp (head, ELFMAG, SELFMAG) != 0 ||
            !next_covers ((const void *)(m->l_addr + head->e_phoff),
                          head->e_phnum, address - m->l_addr))
            continue;
        *base = m->l_addr;
        *path = m->l_name;
        return 0;
    }
    return -1;
}
