/* SPDX-License-Identifier: MIT
 *
 * sys.c - number, arguments -> the kernel
 *
 * Registers are moved to where the kernel wants them, as in syscall of libc;
 * no frame, so that it can be jumped to in its place.
 */
#include "config.h"

#include "lib/base/sys.h"

#include <sys/auxv.h>

/* Changes in each process. */
SYS_STATE struct sys_moved sys_moved;

/* Set errno from the negative result of a system call; return -1. */
__attribute__ ((used, visibility ("hidden"))) long sys_failed (long rc);

long sys_failed (long rc)
{
    errno = (int)-rc;
    return -1;
}

SYS_START uintptr_t sys_map_next;
SYS_START uintptr_t sys_page_bits;

void sys_page_start (void)
{
    uintptr_t page = getauxval (AT_PAGESZ);

    if (page > SYS_PAGE_LEAST)
        sys_page_bits = page - SYS_PAGE_LEAST;
}

/* The kernel places libraries, and what is mapped later, from the top of the
 * address space downwards, the program itself and its heap at two thirds of it.
 * Sixteen TiB below this library is far from both, and as random as it. Where
 * that is no address of the process, the kernel takes no notice. */
void sys_map_away (void)
{
    const uintptr_t below = (uintptr_t)16 << 40, page = 1 << 16;

    if ((uintptr_t)&sys_map_next > below)
        sys_map_next = ((uintptr_t)&sys_map_next - below) & ~(page - 1);
}

#if defined __x86_64__
__asm__(".section .text.sys_call, \"ax\", %progbits\n"
        "    .p2align 4\n"
        "    .globl sys_call\n"
        "    .hidden sys_call\n"
        "    .type sys_call, @function\n"
        "sys_call:\n"
        "    .cfi_startproc\n"
        "    endbr64\n"
        "    movq %rdi, %rax\n"
        "    movq %rsi, %rdi\n"
        "    movq %rdx, %rsi\n"
        "    movq %rcx, %rdx\n"
        "    movq %r8, %r10\n"
        "    movq %r9, %r8\n"
        "    movq 8(%rsp), %r9\n"
        "    syscall\n"
        "    cmpq $-4095, %rax\n"
        "    jae 1f\n"
        "    ret\n"
        "1:  movq %rax, %rdi\n"
        "    jmp sys_failed\n"
        "    .cfi_endproc\n"
        "    .size sys_call, .-sys_call\n"
        ".text\n");
#elif defined __aarch64__
__asm__(".section .text.sys_call, \"ax\", %progbits\n"
        "    .p2align 4\n"
        "    .globl sys_call\n"
        "    .hidden sys_call\n"
        "    .type sys_call, %function\n"
        "sys_call:\n"
        "    .cfi_startproc\n"
        "    hint #34\n" /* bti c */
        "    mov x8, x0\n"
        "    mov x0, x1\n"
        "    mov x1, x2\n"
        "    mov x2, x3\n"
        "    mov x3, x4\n"
        "    mov x4, x5\n"
        "    mov x5, x6\n"
        "    svc #0\n"
        "    cmn x0, #4095\n"
        "    b.cs 1f\n"
        "    ret\n"
        "1:  b sys_failed\n"
        "    .cfi_endproc\n"
        "    .size sys_call, .-sys_call\n"
        ".text\n");
#endif

/* --- an absolute path -> its directory, made where it is missing --- */

enum { STEP_FLAGS = O_PATH | O_DIRECTORY | O_CLOEXEC };

static int is_trusted (const struct stat *st)
{
    return st->st_uid == 0 || st->st_uid == (uid_t)sys_call (SYS_geteuid);
}

/* In this directory nobody else can replace what root or we made. */
static int is_stable (int dir)
{
    struct stat st;

    return sys_fstat (dir, &st) == 0 && is_trusted (&st) &&
           (!(st.st_mode & 022) || st.st_mode & S_ISVTX);
}

static int follow (int dir, const char *name)
{
    struct stat st;

    if (sys_call (SYS_newfstatat, dir, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
        return -1;
    if (!S_ISLNK (st.st_mode)) {
        errno = ENOTDIR;
        return -1;
    }
    if (!is_trusted (&st) || !is_stable (dir)) {
        errno = ELOOP;
        return -1;
    }
    return (int)sys_call (SYS_openat, dir, name, STEP_FLAGS);
}

/* Whatever the umask is. */
static int dirwalk_make (int dir, const char *name)
{
    if (sys_call (SYS_mkdirat, dir, name, 0700) < 0)
        return errno == EEXIST ? 0 : -1;
    sys_call (SYS_fchmodat, dir, name, 0700);
    return 0;
}

/* Descriptor of name in dir; dir is closed. */
static int dirwalk_step (int dir, const char *name)
{
    int fd = (int)sys_call (SYS_openat, dir, name, STEP_FLAGS | O_NOFOLLOW);
    int saved;

    if (fd < 0 && errno == ENOENT && dirwalk_make (dir, name) == 0)
        fd = (int)sys_call (SYS_openat, dir, name, STEP_FLAGS | O_NOFOLLOW);
    if (fd < 0 && (errno == ENOTDIR || errno == ELOOP))
        fd = follow (dir, name);
    saved = errno;
    sys_close (dir);
    errno = saved;
    return fd;
}

int dirwalk_parent (const char *path, const char **base)
{
    int dir = sys_open ("/", STEP_FLAGS, 0);

    while (dir >= 0) {
        char name[NAME_MAX + 1];
        size_t n;

        while (*path == '/')
            path++;
        n = strcspn (path, "/");
        if (path[n] == '\0')
            break;
        if (n >= sizeof (name)) {
            sys_close (dir);
            errno = ENAMETOOLONG;
            return -1;
        }
        memcpy (name, path, n);
        name[n] = '\0';
        path += n;
        dir = dirwalk_step (dir, name);
    }
    *base = path;
    return dir;
}
