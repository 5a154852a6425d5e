/* SPDX-License-Identifier: MIT
 *
 * wrap_exec.c - wrappers of calls that begin or end a program
 *
 * In:  vfork, clone, exec*, _exit
 * Out: the same, with every argument as it was; before an exec or an exit
 *      the events of this thread are put where they stay
 * Caveat: in a child of vfork all of this runs in the parent's memory, and
 *         touches none of it.
 */
#include "config.h"

#include <sys/prctl.h>
#include <sys/syscall.h>

#include "lib/base/sys.h"
#include "lib/format/event.h"
#include "preload/aside.h"
#include "preload/counted.h"
#include "preload/follow/departure.h"
#include "preload/probe.h"
#include "preload/process.h"
#include "preload/program.h"
#include "preload/real.h"
#include "preload/span.h"
#include "preload/waits.h"
#include "preload/wrap/facts.h"
#include "preload/wrap/wrap_exec.h"

/* --- vfork ----------------------------------------------------------- */

/* The child returns first, on the same stack: our frame must be gone by then,
 * so the wrapper calls this and jumps to what it returns. */
void *wrap_vfork_target (void);

__attribute__ ((used)) void *wrap_vfork_target (void)
{
    pid_t (*function) (void) = REAL (vfork);

    if (recorder_layers && process_is_ours ())
        process_before_vfork ();
    return (void *)function;
}

#if defined __x86_64__
__asm__(".text\n"
        ".p2align 4\n"
        ".globl vfork\n"
        ".type vfork, @function\n"
        "vfork:\n"
        "    .cfi_startproc\n"
        "    endbr64\n"
        "    subq $8, %rsp\n"
        "    .cfi_adjust_cfa_offset 8\n"
        "    call wrap_vfork_target\n"
        "    addq $8, %rsp\n"
        "    .cfi_adjust_cfa_offset -8\n"
        "    jmp *%rax\n"
        "    .cfi_endproc\n"
        ".size vfork, . - vfork\n");
#elif defined __aarch64__
__asm__(".text\n"
        ".p2align 4\n"
        ".globl vfork\n"
        ".type vfork, %function\n"
        "vfork:\n"
        "    .cfi_startproc\n"
        "    hint #34\n" /* bti c */
        "    stp x29, x30, [sp, #-16]!\n"
        "    .cfi_adjust_cfa_offset 16\n"
        "    bl wrap_vfork_target\n"
        "    ldp x29, x30, [sp], #16\n"
        "    .cfi_adjust_cfa_offset -16\n"
        "    mov x16, x0\n"
        "    br x16\n"
        "    .cfi_endproc\n"
        ".size vfork, . - vfork\n");
#else
#error "vfork: write its wrapper for this machine"
#endif

/* --- clone ----------------------------------------------------------- */

enum { CLONE_PARENT_TID = 1, CLONE_TLS = 2, CLONE_CHILD_TID = 3 };

/* How many of the optional arguments these flags say are there. */
static int clone_args (int flags)
{
    if (flags & (CLONE_CHILD_SETTID | CLONE_CHILD_CLEARTID))
        return CLONE_CHILD_TID;
    if (flags & CLONE_SETTLS)
        return CLONE_TLS;
    return flags & (CLONE_PARENT_SETTID | CLONE_PIDFD) ? CLONE_PARENT_TID : 0;
}

int clone (int (*fn) (void *), void *stack, int flags, void *arg, ...)
{
    int shared = (flags & CLONE_VM) && !(flags & CLONE_THREAD);
    void *extra[CLONE_CHILD_TID] = {NULL, NULL, NULL};
    va_list ap;

    va_start (ap, arg);
    for (int i = 0; i < clone_args (flags); i++)
        extra[i] = va_arg (ap, void *);
    va_end (ap);
    if (shared && recorder_layers && process_is_ours ()) {
        process_before_shared_clone ();
        recorder_count_untraced ();
    }
    span_clone (flags);
    return REAL (clone) (fn, stack, flags, arg, extra[0], extra[1], extra[2]);
}

/* --- spawn ------------------------------------------------------------ */

#define SPAWN(F, SEARCH)                                                  \
    int F (pid_t *pid, const char *path,                                  \
           const posix_spawn_file_actions_t *actions,                     \
           const posix_spawnattr_t *attr, char *const argv[],             \
           char *const envp[])                                            \
    {                                                                     \
        const struct program_name name = {AT_FDCWD, path, SEARCH};        \
        char *const *env = NULL;                                          \
        struct departure d;                                               \
        struct waits_span w;                                              \
        pid_t child = 0;                                                  \
        int rc;                                                           \
        if (departure_plan (&d, &name, envp))                             \
            env = DEPARTURE_MAKE (d);                                     \
        if (d.ours) {                                                     \
            fdmap_share ();                                               \
            place_note (__builtin_return_address (0), PLACE_START, 0);    \
        }                                                                 \
        waits_begin (&w, LASTWORD_waitpid, 1);                            \
        rc = REAL (F) (pid ? pid : &child, path, actions, attr, argv,     \
                       env ? env : envp);                                 \
        if (rc == E2BIG && departure_too_large (&d))                      \
            rc = REAL (F) (pid ? pid : &child, path, actions, attr, argv, \
                           envp);                                         \
        waits_end (&w, CALL_wait_child, -1);                              \
        if (rc == 0)                                                      \
            departure_note (&d, pid ? *pid : child);                      \
        departure_end (&d);                                               \
        return rc;                                                        \
    }

SPAWN (posix_spawn, 0)
SPAWN (posix_spawnp, 1)

/* --- exec ------------------------------------------------------------ */

enum { FD_NAME = 32 /* bytes of /proc/self/fd/N */ };

/* A name under which the file of a descriptor can be looked at. */
static const char *name_of_fd (int fd, char text[FD_NAME])
{
    static const char directory[] = "/proc/self/fd/";
    char *p = text + FD_NAME - 1;
    unsigned n = (unsigned)fd;

    if (fd < 0)
        return NULL;
    *p = '\0';
    do
        *--p = (char)('0' + n % 10);
    while ((n /= 10) > 0);
    p -= sizeof (directory) - 1;
    memcpy (p, directory, sizeof (directory) - 1);
    return p;
}

static const char *
name_at (int dirfd, const char *path, int flags, char text[FD_NAME])
{
    struct probe p = {0};

    return flags & AT_EMPTY_PATH && probe_byte (&p, path) && !*path
               ? name_of_fd (dirfd, text)
               : path;
}

/* PLAIN is the call as it came, OTHER the same with env as its environment.
 * text has room for a name. */
#define EXEC(F, PARAMS, PLAIN, ENVP, OTHER, DIRFD, NAME, SEARCH)      \
    int F PARAMS                                                      \
    {                                                                 \
        char text[FD_NAME];                                           \
        const struct program_name name = {DIRFD, NAME, SEARCH};       \
        char *const *env = NULL;                                      \
        struct departure d;                                           \
        int rc;                                                       \
        (void)text;                                                   \
        if (departure_plan (&d, &name, ENVP))                         \
            env = DEPARTURE_MAKE (d);                                 \
        departure_exec (&d);                                          \
        if (!env)                                                     \
            return departure_failed (&d, PLAIN);                      \
        rc = OTHER;                                                   \
        if (rc == -1 && errno == E2BIG && departure_too_large (&d)) { \
            departure_exec (&d);                                      \
            rc = PLAIN;                                               \
        }                                                             \
        return departure_failed (&d, rc);                             \
    }

EXEC (execve,
      (const char *path, char *const argv[], char *const envp[]),
      REAL (execve) (path, argv, envp),
      envp,
      REAL (execve) (path, argv, env),
      AT_FDCWD,
      path,
      0)
EXEC (execv,
      (const char *path, char *const argv[]),
      REAL (execv) (path, argv),
      environ,
      REAL (execve) (path, argv, env),
      AT_FDCWD,
      path,
      0)
EXEC (execvp,
      (const char *file, char *const argv[]),
      REAL (execvp) (file, argv),
      environ,
      REAL (execvpe) (file, argv, env),
      AT_FDCWD,
      file,
      1)
EXEC (execvpe,
      (const char *file, char *const argv[], char *const envp[]),
      REAL (execvpe) (file, argv, envp),
      envp,
      REAL (execvpe) (file, argv, env),
      AT_FDCWD,
      file,
      1)
EXEC (fexecve,
      (int fd, char *const argv[], char *const envp[]),
      REAL (fexecve) (fd, argv, envp),
      envp,
      REAL (fexecve) (fd, argv, envp ? env : NULL), /* which is EINVAL */
      AT_FDCWD,
      name_of_fd (fd, text),
      0)
EXEC (execveat,
      (int dirfd,
       const char *path,
       char *const argv[],
       char *const envp[],
       int flags),
      REAL (execveat) (dirfd, path, argv, envp, flags),
      envp,
      REAL (execveat) (dirfd, path, argv, env, flags),
      dirfd,
      name_at (dirfd, path, flags, text),
      0)

/* The system calls, by syscall () of libc. */
static EXEC (exec_number,
             (const char *path, char *const argv[], char *const envp[]),
             (int)wrap_syscall_next (SYS_execve, path, argv, envp),
             envp,
             (int)wrap_syscall_next (SYS_execve, path, argv, env),
             AT_FDCWD,
             path,
             0) static EXEC (execat_number,
                             (int dirfd,
                              const char *path,
                              char *const argv[],
                              char *const envp[],
                              int flags),
                             (int)wrap_syscall_next (
                                 SYS_execveat, dirfd, path, argv, envp, flags),
                             envp,
                             (int)wrap_syscall_next (
                                 SYS_execveat, dirfd, path, argv, env, flags),
                             dirfd,
                             name_at (dirfd, path, flags, text),
                             0)

    long wrap_exec_number (long number, const long arg[])
{
    if (number == SYS_execve)
        return exec_number ((const char *)arg[0], (char *const *)arg[1],
                            (char *const *)arg[2]);
    return execat_number ((int)arg[0], (const char *)arg[1],
                          (char *const *)arg[2], (char *const *)arg[3],
                          (int)arg[4]);
}

/* Arguments up to the NULL, which is counted, too. */
static size_t count_args (const char *arg, va_list ap)
{
    size_t n = 1;

    for (; arg; arg = va_arg (ap, const char *))
        n++;
    return n;
}

static void copy_args (char **argv, size_t n, const char *arg, va_list ap)
{
    argv[0] = (char *)(uintptr_t)arg;
    for (size_t i = 1; i < n; i++)
        argv[i] = va_arg (ap, char *);
}

/* An argument vector on the stack, as libc makes it: nothing else may be
 * used between vfork and exec. */
#define COLLECT(ARGV, ARG)                                \
    va_list ap;                                           \
    va_start (ap, ARG);                                   \
    size_t n = count_args (ARG, ap);                      \
    va_end (ap);                                          \
    char **ARGV = __builtin_alloca (n * sizeof (char *)); \
    va_start (ap, ARG);                                   \
    copy_args (ARGV, n, ARG, ap)

int execl (const char *path, const char *arg, ...)
{
    COLLECT (argv, arg);
    va_end (ap);
    return execv (path, argv);
}

int execlp (const char *file, const char *arg, ...)
{
    COLLECT (argv, arg);
    va_end (ap);
    return execvp (file, argv);
}

int execle (const char *path, const char *arg, ...)
{
    char *const *envp;

    COLLECT (argv, arg);
    envp = va_arg (ap, char *const *);
    va_end (ap);
    return execve (path, argv, envp);
}

/* --- sandboxes ------------------------------------------------------- */

int prctl (int option, ...)
{
    unsigned long arg[4];
    va_list ap;
    int rc, aside;

    va_start (ap, option);
    for (int i = 0; i < 4; i++)
        arg[i] = va_arg (ap, unsigned long);
    va_end (ap);
    if (option == PR_SET_KEEPCAPS || option == PR_CAPBSET_DROP ||
        option == PR_SET_SECUREBITS || option == PR_CAP_AMBIENT ||
        option == PR_SET_NO_NEW_PRIVS)
        (void)span_open_rights ();
    aside = aside_prctl (option, arg[0], arg[1]);
    rc = REAL (prctl) (option, arg[0], arg[1], arg[2], arg[3]);
    if (aside)
        aside_done (rc);
    return rc;
}

/* --- exit ------------------------------------------------------------ */

/* Does nothing in a process that is not the one that was started. */
static void before_exit (int status)
{
    if (!process_has_begun () && !waits_began_worth ())
        return;
    if (recorder_layers && process_is_ours ())
        recorder_ended (status);
    process_end (0);
}

void _exit (int status)
{
    before_exit (status);
    REAL (_exit) (status);
    __builtin_unreachable ();
}

void _Exit (int status)
{
    before_exit (status);
    REAL (_Exit) (status);
    __builtin_unreachable ();
}

/* ---- syscall () of the program -> rawcalls.def, or straight on ---- */

#if defined __x86_64__ || defined __aarch64__

enum { NUMBERS = 512 }; /* also in the code below */

#define HERE __attribute__ ((used, visibility ("hidden")))

/* 1: is in the table. */
HERE const unsigned char wrap_syscall_rows[NUMBERS] = {
#define RAW(NUMBER, CALL, OPEN, CLOSE) [SYS_##NUMBER] = 1,
#include "preload/wrap/rawcalls.def"
#undef RAW
    [SYS_execve] = 1,
    [SYS_execveat] = 1,
};

HERE SYS_START long (*wrap_syscall_next) (long, ...);

HERE long wrap_syscall_traced (
    long number, long a, long b, long c, long d, long e, long f);

void wrap_syscall_start (void)
{
    wrap_syscall_next = (long (*) (long, ...))real_find (REAL_syscall);
}

/* openat2 has them in memory, which a success shows to be there. */
static int open_flags (long rc, const uint64_t *how)
{
    return rc < 0 ? 0 : (int)*how;
}

long wrap_syscall_traced (
    long number, long a, long b, long c, long d, long e, long f)
{
    const long arg[] = {a, b, c, d, e, f};
    struct span sp;
    long rc;

    sp.caller = __builtin_return_address (0);
    if (!wrap_syscall_next)
        return sys_call (number, a, b, c, d, e, f);
    if (number == SYS_execve || number == SYS_execveat)
        return wrap_exec_number (number, arg);
    switch (number) {
#define RAW(NUMBER, CALL, OPEN, CLOSE)                         \
    case SYS_##NUMBER:                                         \
        sp.call = CALL_##CALL;                                 \
        sp.file.state = FILE_UNKNOWN;                          \
        if (!(OPEN)) {                                         \
            if (!span_left_begins (&sp, SUMS_OF_##CALL))       \
                break;                                         \
            rc = wrap_syscall_next (number, a, b, c, d, e, f); \
            span_left_ended (&sp, SUMS_OF_##CALL, rc);         \
            return rc;                                         \
        }                                                      \
        rc = wrap_syscall_next (number, a, b, c, d, e, f);     \
        CLOSE;                                                 \
        return rc;
#include "preload/wrap/rawcalls.def"
#undef RAW
    }
    return wrap_syscall_next (number, a, b, c, d, e, f);
}

#if defined __x86_64__
__asm__(".text\n"
        "    .p2align 4\n"
        "    .globl syscall\n"
        "    .type syscall, @function\n"
        "syscall:\n"
        "    .cfi_startproc\n"
        "    endbr64\n"
        "    cmpq $512, %rdi\n"
        "    jae 1f\n"
        "    leaq wrap_syscall_rows(%rip), %r11\n"
        "    cmpb $0, (%r11,%rdi)\n"
        "    jne wrap_syscall_traced\n"
        "1:  movq wrap_syscall_next(%rip), %r11\n"
        "    testq %r11, %r11\n"
        "    jz sys_call\n"
        "    jmp *%r11\n"
        "    .cfi_endproc\n"
        "    .size syscall, .-syscall\n");
#else
__asm__(".text\n"
        "    .p2align 4\n"
        "    .globl syscall\n"
        "    .type syscall, %function\n"
        "syscall:\n"
        "    .cfi_startproc\n"
        "    hint #34\n" /* bti c */
        "    cmp x0, #512\n"
        "    b.hs 1f\n"
        "    adrp x16, wrap_syscall_rows\n"
        "    add x16, x16, :lo12:wrap_syscall_rows\n"
        "    ldrb w16, [x16, x0]\n"
        "    cbnz w16, 2f\n"
        "1:  adrp x16, wrap_syscall_next\n"
        "    ldr x16, [x16, :lo12:wrap_syscall_next]\n"
        "    cbz x16, 3f\n"
        "    br x16\n"
        "2:  b wrap_syscall_traced\n"
        "3:  b sys_call\n"
        "    .cfi_endproc\n"
        "    .size syscall, .-syscall\n");
#endif

#else
#error "syscall () of this machine: take its row out of wraps.def"
#endif
