/* SPDX-License-Identifier: MIT
 *
 * programkind.c - path -> ELF header, #! line, mode bits -> kind
 */
#include "config.h"

#include <elf.h>
#include <sys/prctl.h>
#include <sys/statfs.h>
#include <sys/statvfs.h>

#include "lib/base/array.h"
#include "lib/base/text.h"
#include "lib/base/programkind.h"
#include "lib/base/highfd.h"
#include "lib/base/sys.h"

enum {
    HEAD = 2048, /* bytes looked at: headers of all linkers we met */
    SCRIPTS = 4, /* #! lines behind each other, as the kernel allows */
    GO_BUILD_ID = 4
};

#if defined __x86_64__
enum { MACHINE = EM_X86_64, MACHINE32 = EM_386 };
#else
enum { MACHINE = EM_AARCH64, MACHINE32 = EM_ARM };
#endif

/* The one sentence for all that makes system calls of its own. */
#define PAST_LIBC                                                  \
    "its calls go past libc; seeing them takes layer kernel (see " \
    "doc/kernel.md)"

static const struct {
    const char *reason, *explain;
} words[PROGRAM_KINDS] = {
    [PROGRAM_UNKNOWN] = {"", ""},
    [PROGRAM_STATIC] = {"static", "static: " PAST_LIBC},
    [PROGRAM_SECURE] = {"setuid", "setuid or setgid: the loader preloads "
                                  "nothing into it"},
    [PROGRAM_MACHINE] = {"another machine", "of another machine or of 32 bits: "
                                            "our library does not fit"},
    [PROGRAM_NO_LIBRARY] = {"no library",
                            "in a container without our library: bind it (see "
                            "doc/admin.md, Containers)"},
    [PROGRAM_GO] = {"go", "a Go program: " PAST_LIBC},
    [PROGRAM_NO_DIRECTORY] = {"no directory",
                              "in a container without the job directory, or "
                              "with it read-only: bind it (see doc/admin.md, "
                              "Containers)"},
    [PROGRAM_LIBC] = {"another libc",
                      "of another libc than GNU's and musl: our "
                      "library does not fit"},
    [PROGRAM_CAPABILITIES] = {"capabilities",
                              "its file gives capabilities: the loader "
                              "preloads nothing into it"},
    [PROGRAM_NOEXEC] = {"noexec", "our library is on a file system that is "
                                  "mounted with noexec: move it"},
    [PROGRAM_OTHER_USER] = {"another user", "it runs as another user, who does "
                                            "not write into this job"},
    [PROGRAM_ENVIRONMENT] = {"environment",
                             "its environment was without our library or our "
                             "settings (follow=all hands them on)"},
    [PROGRAM_OWN_REQUEST] = {"own request",
                             "started with DFTRACE_ENABLE=0, or follow=no"},
    [PROGRAM_EXCLUDED] = {"excluded", "left out by include_exe or exclude_exe"},
    [PROGRAM_TOO_LARGE] = {"too large", "its arguments and environment leave "
                                        "no room for ours"},
    [PROGRAM_SANITIZER] = {"sanitizer", "linked with a sanitizer's runtime, "
                                        "which must come before our library"},
    [PROGRAM_NOT_KNOWN] = {"not known", "no reason is known"},
    [PROGRAM_ADDRESSES] = {"address space",
                           "its limit of address space (ulimit -v) is below "
                           "8 MiB: no room for our library"},
    [PROGRAM_NO_ROOM] = {"no room",
                         "what it did found no room: its limit of file size "
                         "(ulimit -f), a quota or the disk"},
};

int programkind_is_wish (enum program_kind kind)
{
    return kind == PROGRAM_OWN_REQUEST || kind == PROGRAM_EXCLUDED;
}

const char *programkind_reason (enum program_kind kind)
{
    return words[kind].reason;
}

const char *programkind_explain (enum program_kind kind)
{
    return words[kind].explain;
}

enum program_kind programkind_of_reason (const char *reason)
{
    for (int k = PROGRAM_UNKNOWN + 1; k < PROGRAM_KINDS; k++)
        if (strcmp (words[k].reason, reason) == 0)
            return k;
    return PROGRAM_UNKNOWN;
}

static int is_another (const char *interpreter, size_t n)
{
    return text_contains (interpreter, n, "ld-uClibc") ||
           text_contains (interpreter, n, "/linker64"); /* of Android */
}

/* --- the dynamic section ---------------------------------------------------
 */

struct elf {
    int fd;
    const char *head;
    size_t n; /* bytes of it */
    Elf64_Ehdr eh;
};

/* Program header i; 0 when it is behind the head. */
static int elf_header (const struct elf *e, unsigned i, Elf64_Phdr *ph)
{
    uint64_t at = e->eh.e_phoff + (uint64_t)i * sizeof (*ph);

    if (at > e->n || e->n - at < sizeof (*ph))
        return 0;
    memcpy (ph, e->head + at, sizeof (*ph));
    return 1;
}

/* Offset in the file of the byte at an address; 0: it is in no segment. */
static uint64_t elf_offset (const struct elf *e, uint64_t address)
{
    Elf64_Phdr ph;

    for (unsigned i = 0; i < e->eh.e_phnum && elf_header (e, i, &ph); i++)
        if (ph.p_type == PT_LOAD && address >= ph.p_vaddr &&
            address - ph.p_vaddr < ph.p_filesz)
            return ph.p_offset + (address - ph.p_vaddr);
    return 0;
}

static ssize_t
elf_read (const struct elf *e, void *to, size_t size, uint64_t offset)
{
    return sys_pread (e->fd, to, size, offset);
}

/* The dynamic entries; how many. */
static size_t elf_dynamic (const struct elf *e, Elf64_Dyn *d, size_t max)
{
    Elf64_Phdr ph;
    ssize_t n;

    for (unsigned i = 0; i < e->eh.e_phnum && elf_header (e, i, &ph); i++)
        if (ph.p_type == PT_DYNAMIC) {
            size_t size = max * sizeof (*d);

            n = elf_read (e, d, MIN (ph.p_filesz, size), ph.p_offset);
            return n > 0 ? (size_t)n / sizeof (*d) : 0;
        }
    return 0;
}

/* Whether an entry of that tag names a file that begins so. */
static int elf_names (const struct elf *e, int64_t tag, const char *begin)
{
    enum { ENTRIES = 64, LOOKED = 12 /* a sanitizer is among the first */ };
    size_t length = strlen (begin), looked = 0, n;
    Elf64_Dyn d[ENTRIES];
    uint64_t names = 0;
    char text[16];

    n = elf_dynamic (e, d, ENTRIES);
    for (size_t i = 0; i < n; i++)
        if (d[i].d_tag == DT_STRTAB)
            names = elf_offset (e, d[i].d_un.d_ptr);
    for (size_t i = 0; names && i < n && looked < LOOKED; i++) {
        if (d[i].d_tag != tag)
            continue;
        looked++;
        if (elf_read (e, text, length, names + d[i].d_un.d_val) ==
                (ssize_t)length &&
            memcmp (text, begin, length) == 0)
            return 1;
    }
    return 0;
}

/* --- the kind ---------------------------------------------------------------
 */

/* Decide what the headers leave open: the loader, started as a program, has no
 * loader and is not static. */
static enum program_kind elf_kind (const struct elf *e, enum program_kind kind)
{
    if (kind == PROGRAM_STATIC && e->eh.e_type == ET_DYN &&
        elf_names (e, DT_SONAME, "ld-linux"))
        return PROGRAM_UNKNOWN;
    if (kind == PROGRAM_UNKNOWN && elf_names (e, DT_NEEDED, "libasan.so"))
        return PROGRAM_SANITIZER;
    return kind;
}

/* The file gives privileges, and nothing keeps the kernel from it. */
static int gives_privileges (int fd)
{
    struct statfs fs;

    return sys_call (SYS_prctl, PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) != 1 &&
           !(sys_call (SYS_fstatfs, fd, &fs) == 0 &&
             ((unsigned long)fs.f_flags & ST_NOSUID));
}

static int has_capabilities (int fd)
{
    return sys_call (SYS_getuid) != 0 &&
           sys_call (SYS_fgetxattr, fd, "security.capability", NULL, 0) > 0;
}

static enum program_kind
programkind_of_file (int fd, const char *head, size_t n)
{
    struct elf e = {.fd = fd, .head = head, .n = n};
    struct stat st;

    memcpy (&e.eh, head, sizeof (e.eh));
    if (sys_fstat (fd, &st) == 0 && programkind_is_secure (&st) &&
        gives_privileges (fd))
        return PROGRAM_SECURE;
    if (has_capabilities (fd) && gives_privileges (fd))
        return PROGRAM_CAPABILITIES;
    return elf_kind (&e, programkind_of_head (head, n));
}

/* A program of 32 bits that has no loader, which would not take our library. */
static int is_static32 (const char *head, size_t n)
{
    Elf32_Ehdr eh;
    Elf32_Phdr ph;

    memcpy (&eh, head, sizeof (eh));
    if (eh.e_ident[EI_CLASS] != ELFCLASS32 || eh.e_machine != MACHINE32)
        return 0;
    for (unsigned i = 0; i < eh.e_phnum; i++) {
        uint64_t at = eh.e_phoff + (uint64_t)i * sizeof (ph);

        if (at > n || n - at < sizeof (ph))
            return 0;
        memcpy (&ph, head + at, sizeof (ph));
        if (ph.p_type == PT_INTERP)
            return 0;
    }
    return 1;
}

enum program_kind programkind_of_head (const char *head, size_t n)
{
    Elf64_Ehdr eh;
    Elf64_Phdr ph;

    if (n < sizeof (eh) || memcmp (head, ELFMAG, SELFMAG) != 0)
        return PROGRAM_UNKNOWN;
    memcpy (&eh, head, sizeof (eh));
    if (eh.e_ident[EI_CLASS] != ELFCLASS64 || eh.e_machine != MACHINE)
        return is_static32 (head, n) ? PROGRAM_STATIC : PROGRAM_MACHINE;
    for (unsigned i = 0; i < eh.e_phnum; i++) {
        uint64_t at = eh.e_phoff + (uint64_t)i * sizeof (ph);

        if (at > n || n - at < sizeof (ph))
            return PROGRAM_UNKNOWN;
        memcpy (&ph, head + at, sizeof (ph));
        if (ph.p_type != PT_INTERP)
            continue;
        if (ph.p_offset > n || ph.p_filesz > n - ph.p_offset)
            return PROGRAM_UNKNOWN;
        return is_another (head + ph.p_offset, ph.p_filesz) ? PROGRAM_LIBC
                                                            : PROGRAM_UNKNOWN;
    }
    return PROGRAM_STATIC;
}

int programkind_is_secure (const struct stat *st)
{
    return ((st->st_mode & S_ISUID) &&
            st->st_uid != (uid_t)sys_call (SYS_getuid)) ||
           ((st->st_mode & S_ISGID) && (st->st_mode & S_IXGRP) &&
            st->st_gid != (gid_t)sys_call (SYS_getgid));
}

/* The interpreter of a #! line, cut out of head; NULL when it is none. */
static const char *script_program (char *head, size_t n)
{
    char *path = head + 2;

    if (n < 3 || head[0] != '#' || head[1] != '!')
        return NULL;
    head[n < HEAD ? n : HEAD - 1] = '\0';
    while (*path == ' ' || *path == '\t')
        path++;
    path[strcspn (path, " \t\n")] = '\0';
    return *path ? path : NULL;
}

enum program_kind programkind_look (int dirfd, const char *path)
{
    enum program_kind kind = PROGRAM_UNKNOWN;
    char head[HEAD];
    ssize_t n;
    int fd, is;

    for (int i = 0; path && i < SCRIPTS; i++) {
        if (sys_call (SYS_faccessat, dirfd, path, X_OK) < 0)
            return PROGRAM_UNKNOWN;
        fd = highfd_open (dirfd, path, O_RDONLY | O_NONBLOCK, 0);
        if (fd < 0)
            return PROGRAM_UNKNOWN;
        n = sys_read (fd, head, sizeof (head));
        is = n >= (ssize_t)sizeof (Elf64_Ehdr) &&
             memcmp (head, ELFMAG, SELFMAG) == 0;
        if (is)
            kind = programkind_of_file (fd, head, n);
        sys_close (fd);
        if (is)
            return kind;
        path = n > 0 ? script_program (head, n) : NULL;
        dirfd = AT_FDCWD;
    }
    return PROGRAM_UNKNOWN;
}

/* list[0 … n - 1]/file into path; 0 when it does not fit. */
static int programkind_join (
    char *path, size_t size, const char *list, size_t n, const char *file)
{
    size_t length = strlen (file), at = n + (n > 0);

    if (n + length + 2 > size)
        return 0;
    memcpy (path, list, n);
    path[n] = '/';
    memcpy (path + at, file, length);
    path[at + length] = '\0'; /* file may have another end by now */
    return 1;
}

void programkind_search (const char *list,
                         const char *file,
                         char *path,
                         size_t size)
{
    size_t n;

    for (; list; list = list[n] ? list + n + 1 : NULL) {
        n = strcspn (list, ":");
        if (programkind_join (path, size, list, n, file) &&
            sys_call (SYS_faccessat, AT_FDCWD, path, X_OK) == 0)
            return;
    }
    path[0] = '\0';
}

/* Notes: sizes of name and text, type, both padded to four bytes. */
static int has_go_note (const char *p, size_t n)
{
    Elf64_Nhdr note;

    while (n >= sizeof (note)) {
        uint64_t size;

        memcpy (&note, p, sizeof (note));
        size = sizeof (note) + (((uint64_t)note.n_namesz + 3) & ~3ull) +
               (((uint64_t)note.n_descsz + 3) & ~3ull);
        if (size > n)
            return 0;
        if (note.n_type == GO_BUILD_ID && note.n_namesz == 4 &&
            memcmp (p + sizeof (note), "Go\0\0", 4) == 0)
            return 1;
        p += size;
        n -= size;
    }
    return 0;
}

int programkind_is_go (const void *headers, size_t count)
{
    const Elf64_Phdr *ph = headers;
    uintptr_t base = 0; /* where a program without PIE is, too */
    int known = 0;

    for (size_t i = 0; i < count; i++)
        if (ph[i].p_type == PT_PHDR) {
            base = (uintptr_t)headers - ph[i].p_vaddr;
            known = 1;
        }
    for (size_t i = 0; known && i < count; i++)
        if (ph[i].p_type == PT_NOTE && ph[i].p_align <= 4 &&
            has_go_note ((const char *)(base + ph[i].p_vaddr), ph[i].p_memsz))
            return 1;
    return 0;
}
