/* SPDX-License-Identifier: MIT
 *
 * buildid.c - this program's notes -> a text that names its build
 *
 * In:  the program headers that the loader has of this program or library
 * Out: version and build ID
 *
 * The linker makes the ID from the contents of what it links, so a program that
 * was changed and not given another version has another one.
 */
#include "config.h"

#include <elf.h>
#include <link.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "lib/util/buildid.h"

enum {
    BUILDID_MOST = 32 /* bytes of the ID */
};

static char buildid_said[sizeof (PACKAGE_VERSION) + 1 + 2 * BUILDID_MOST];
static pthread_once_t buildid_once = PTHREAD_ONCE_INIT;

static size_t buildid_round (size_t n)
{
    return (n + 3) & ~(size_t)3;
}

/* Append the ID to the text, if these notes have one. */
static int buildid_take (const unsigned char *note, size_t bytes)
{
    ElfW (Nhdr) head;
    size_t name, id;

    for (; bytes >= sizeof (head); note += id, bytes -= id) {
        memcpy (&head, note, sizeof (head));
        note += sizeof (head);
        bytes -= sizeof (head);
        if ((name = buildid_round (head.n_namesz)) > bytes)
            return 0;
        bytes -= name;
        note += name;
        if ((id = buildid_round (head.n_descsz)) > bytes)
            return 0;
        if (head.n_type != NT_GNU_BUILD_ID || head.n_namesz != 4 ||
            memcmp (note - name, "GNU", 4) != 0)
            continue;
        for (size_t i = 0; i < head.n_descsz && i < BUILDID_MOST; i++)
            (void)snprintf (buildid_said + sizeof (PACKAGE_VERSION) + 2 * i, 3,
                            "%02x", note[i]);
        buildid_said[sizeof (PACKAGE_VERSION) - 1] = ' ';
        return 1;
    }
    return 0;
}

/* Is this code in the object? */
static int buildid_is_here (const struct dl_phdr_info *info)
{
    uintptr_t here = (uintptr_t)buildid_text;

    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW (Phdr) *p = info->dlpi_phdr + i;

        if (p->p_type == PT_LOAD && here >= info->dlpi_addr + p->p_vaddr &&
            here - info->dlpi_addr - p->p_vaddr < p->p_memsz)
            return 1;
    }
    return 0;
}

static int buildid_look (struct dl_phdr_info *info, size_t bytes, void *nothing)
{
    (void)bytes;
    (void)nothing;
    if (!buildid_is_here (info))
        return 0;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW (Phdr) *p = info->dlpi_phdr + i;

        if (p->p_type == PT_NOTE &&
            buildid_take ((const unsigned char *)(info->dlpi_addr + p->p_vaddr),
                          p->p_memsz))
            break;
    }
    return 1;
}

static void buildid_make (void)
{
    memcpy (buildid_said, PACKAGE_VERSION, sizeof (PACKAGE_VERSION));
    (void)dl_iterate_phdr (buildid_look, NULL);
}

const char *buildid_text (void)
{
    (void)pthread_once (&buildid_once, buildid_make);
    return buildid_said;
}
