/* SPDX-License-Identifier: MIT
 *
 * program.c - path -> ELF header, #! line, mode bits -> kind
 */
#include "config.h"

#include <elf.h>
#include <errno.h>
#include <limits.h>
#include <string.h>

#include "lib/core/record/highfd.h"
#include "lib/core/settings/settings.h"
#include "lib/core/sys.h"
#include "preload/probe.h"
#include "preload/program.h"

enum {
    HEAD = 2048, /* bytes looked at: headers of all linkers we met */
    SCRIPTS = 4  /* #! lines behind each other, as the kernel allows */
};

#if defined __x86_64__
enum { MACHINE = EM_X86_64 };
#else
enum { MACHINE = EM_AARCH64 };
#endif

static char own[PATH_MAX]; /* "" not known */

/* The element of LD_PRELOAD that is us. */
void program_start (void)
{
    static const char name[] = "/libdftrace_preload.so";
    const char *list = settings_environ (NULL, "LD_PRELOAD");
    const char *at = list ? strstr (list, name) : NULL, *begin = at;
    size_t n;

    while (begin && begin > list && !strchr (": ", begin[-1]))
        begin--;
    n = begin ? (size_t)(at - begin) + sizeof (name) - 1 : 0;
    if (n == 0 || n >= sizeof (own) || begin[0] != '/')
        return;
    memcpy (own, begin, n);
    own[n] = '\0';
}

const char *program_reason (enum program_kind kind)
{
    static const char *const reasons[] = {
        [PROGRAM_UNKNOWN] = "",
        [PROGRAM_STATIC] = "static",
        [PROGRAM_SECURE] = "setuid",
        [PROGRAM_FOREIGN] = "foreign",
        [PROGRAM_NO_LIBRARY] = "no library",
    };

    return reasons[kind];
}

/* Of a program that the loader would start with us. */
static enum program_kind dynamic_kind (void)
{
    if (own[0] && sys_call (SYS_faccessat, AT_FDCWD, own, R_OK) < 0)
        return PROGRAM_NO_LIBRARY;
    return PROGRAM_UNKNOWN;
}

static int is_musl (const char *interpreter, size_t n)
{
    return memmem (interpreter, n, "ld-musl", 7) != NULL;
}

/* n bytes of an ELF file. */
static enum program_kind elf_kind (const char *head, size_t n)
{
    Elf64_Ehdr eh;
    Elf64_Phdr ph;

    memcpy (&eh, head, sizeof (eh));
    if (eh.e_ident[EI_CLASS] != ELFCLASS64 || eh.e_machine != MACHINE)
        return PROGRAM_FOREIGN;
    for (unsigned i = 0; i < eh.e_phnum; i++) {
        uint64_t at = eh.e_phoff + (uint64_t)i * sizeof (ph);

        if (at > n || n - at < sizeof (ph))
            return PROGRAM_UNKNOWN;
        memcpy (&ph, head + at, sizeof (ph));
        if (ph.p_type != PT_INTERP)
            continue;
        if (ph.p_offset > n || ph.p_filesz > n - ph.p_offset)
            return PROGRAM_UNKNOWN;
        return is_musl (head + ph.p_offset, ph.p_filesz) ? PROGRAM_FOREIGN
                                                         : dynamic_kind ();
    }
    return PROGRAM_STATIC;
}

/* What the loader calls secure: the ids change. */
static int is_secure (int fd)
{
    struct stat st;

    if (sys_fstat (fd, &st) < 0)
        return 0;
    return ((st.st_mode & S_ISUID) &&
            st.st_uid != (uid_t)sys_call (SYS_getuid)) ||
           ((st.st_mode & S_ISGID) && (st.st_mode & S_IXGRP) &&
            st.st_gid != (gid_t)sys_call (SYS_getgid));
}

/* The interpreter of a #! line, cut out of head; NULL when it is none. */
static const char *script_program (char *head, size_t n)
{
    char *path = head + 2;

    if (n < 3 || head[0] != '#' || head[1] != '!')
        return NULL;
    head[n < HEAD ? n : HEAD - 1] = '\0';
    path += strspn (path, " \t");
    path[strcspn (path, " \t\n")] = '\0';
    return *path ? path : NULL;
}

static enum program_kind kind (int dirfd, const char *path)
{
    char head[HEAD];
    ssize_t n;
    int fd, secure;

    for (int i = 0; path && i < SCRIPTS; i++) {
        if (sys_call (SYS_faccessat, dirfd, path, X_OK) < 0)
            return PROGRAM_UNKNOWN;
        fd = highfd_open (dirfd, path, O_RDONLY | O_NONBLOCK, 0);
        if (fd < 0)
            return PROGRAM_UNKNOWN;
        n = sys_read (fd, head, sizeof (head));
        secure = is_secure (fd);
        (void)sys_close (fd);
        if (n >= (ssize_t)sizeof (Elf64_Ehdr) &&
            memcmp (head, ELFMAG, SELFMAG) == 0)
            return secure ? PROGRAM_SECURE : elf_kind (head, (size_t)n);
        path = n > 0 ? script_program (head, (size_t)n) : NULL;
        dirfd = AT_FDCWD;
    }
    return PROGRAM_UNKNOWN;
}

enum program_kind program_kind_at (int dirfd, const char *path)
{
    int saved_errno = errno;
    enum program_kind k = path ? kind (dirfd, path) : PROGRAM_UNKNOWN;

    errno = saved_errno;
    return k;
}

/* list[0 … n - 1]/file into path; 0 when it does not fit. */
static int
join (char *path, size_t size, const char *list, size_t n, const char *file)
{
    size_t length = strlen (file);

    if (n + length + 2 > size)
        return 0;
    memcpy (path, list, n);
    path[n] = '/';
    memcpy (path + n + (n > 0), file, length + 1);
    return 1;
}

void program_search (const char *file, char *path, size_t size)
{
    const char *list = settings_environ (NULL, "PATH");
    size_t n;

    for (; list; list = list[n] ? list + n + 1 : NULL) {
        n = strcspn (list, ":");
        if (join (path, size, list, n, file) &&
            sys_call (SYS_faccessat, AT_FDCWD, path, X_OK) == 0)
            return;
    }
    path[0] = '\0';
}

static __attribute__ ((noinline)) enum program_kind search (const char *file)
{
    char path[PATH_MAX];

    program_search (file, path, sizeof (path));
    return path[0] ? kind (AT_FDCWD, path) : PROGRAM_UNKNOWN;
}

enum program_kind program_kind_of (const char *file, int searched)
{
    int saved_errno = errno;
    enum program_kind k = PROGRAM_UNKNOWN;
    struct probe p = {0};

    if (probe_text (&p, file, PATH_MAX) > 0)
        k = searched && !strchr (file, '/') ? search (file)
                                            : kind (AT_FDCWD, file);
    errno = saved_errno;
    return k;
}
