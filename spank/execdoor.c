/* SPDX-License-Identifier: MIT
 *
 * execdoor.c - slurmstepd's pointer to execve -> a function of the plugin
 *
 * In:  the dynamic section of the main program
 * Out: its pointer to execve (JUMP_SLOT or GLOB_DAT), changed
 * Caveat: only in a task's process, where nothing but TaskProlog and execve
 *         follow. Where the pointer is not found, or cannot be written,
 *         nothing changes.
 */
#include "config.h"

#include <dlfcn.h>
#include <link.h>
#include <sys/mman.h>

#include "spank/sides.h"

static execdoor_fn door;
static pid_t task;
static void **slot; /* NULL: not found */

/* The entries of a program's dynamic section that are needed. */
struct program {
    ElfW (Addr) base;
    const ElfW (Sym) * symbols;
    const char *names;
    uintptr_t table[2]; /* of relocations: of calls, of data */
    size_t bytes[2];
    int adds; /* those of calls have addends */
};

static int
execdoor_execve (const char *path, char *const argv[], char *const envp[])
{
    return execve (path, argv, getpid () == task ? door (envp) : envp);
}

/* glibc has relocated the addresses of most machines. */
static uintptr_t address (const struct program *p, ElfW (Addr) value)
{
    return value < p->base ? p->base + value : value;
}

static void read_dynamic (struct program *p, const ElfW (Dyn) * d)
{
    for (; d->d_tag != DT_NULL; d++)
        switch (d->d_tag) {
        case DT_SYMTAB:
            p->symbols = (const void *)address (p, d->d_un.d_ptr);
            break;
        case DT_STRTAB:
            p->names = (const void *)address (p, d->d_un.d_ptr);
            break;
        case DT_JMPREL:
            p->table[0] = address (p, d->d_un.d_ptr);
            break;
        case DT_PLTRELSZ:
            p->bytes[0] = d->d_un.d_val;
            break;
        case DT_PLTREL:
            p->adds = d->d_un.d_val == DT_RELA;
            break;
        case DT_RELA:
            p->table[1] = address (p, d->d_un.d_ptr);
            break;
        case DT_RELASZ:
            p->bytes[1] = d->d_un.d_val;
            break;
        default:
            break;
        }
}

#if UINTPTR_MAX > UINT32_MAX
#define SYMBOL_OF(INFO) ELF64_R_SYM (INFO)
#else
#define SYMBOL_OF(INFO) ELF32_R_SYM (INFO)
#endif

/* A pointer of data is one to execve only if it points there. */
static void look_for_slot (const struct program *p, int which)
{
    size_t size =
        which == 1 || p->adds ? sizeof (ElfW (Rela)) : sizeof (ElfW (Rel));
    void *own = which == 0 ? NULL : dlsym (RTLD_DEFAULT, "execve");

    for (size_t at = 0; !slot && at + size <= p->bytes[which]; at += size) {
        const ElfW (Rel) *r = (const void *)(p->table[which] + at);
        size_t symbol = SYMBOL_OF (r->r_info);
        void **pointer = (void **)(p->base + r->r_offset);

        if (symbol &&
            strcmp (p->names + p->symbols[symbol].st_name, "execve") == 0 &&
            (which == 0 || *pointer == own))
            slot = pointer;
    }
}

/* The first object is the program itself. */
static int execdoor_find (struct dl_phdr_info *info, size_t size, void *cookie)
{
    struct program p = {.base = info->dlpi_addr};

    for (int i = 0; i < info->dlpi_phnum; i++)
        if (info->dlpi_phdr[i].p_type == PT_DYNAMIC)
            read_dynamic (&p,
                          (const void *)(p.base + info->dlpi_phdr[i].p_vaddr));
    for (int which = 0; which < 2; which++)
        if (p.symbols && p.names && p.table[which])
            look_for_slot (&p, which);
    return 1;
}

void execdoor_look (void)
{
    if (!slot)
        dl_iterate_phdr (execdoor_find, NULL);
}

int execdoor_open (execdoor_fn fn)
{
    uintptr_t page = (uintptr_t)sysconf (_SC_PAGESIZE), start;

    execdoor_look ();
    if (!slot)
        return -1;
    door = fn;
    task = getpid ();
    start = (uintptr_t)slot / page * page;
    if (mprotect ((void *)start, (uintptr_t)(slot + 1) - start,
                  PROT_READ | PROT_WRITE) < 0)
        return -1;
    *slot = (void *)execdoor_execve;
    return 0;
}
