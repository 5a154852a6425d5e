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

#include <errno.h>
#include <string.h>

#include "lib/core/event.h"
#include "preload/process.h"
#include "preload/program.h"
#include "preload/real.h"
#include "preload/span.h"

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
    return REAL (clone) (fn, stack, flags, arg, extra[0], extra[1], extra[2]);
}

/* --- programs that cannot be traced ------------------------------------- */

/* In a child of vfork only counted, for the parent: no more than one addition
 * in its memory. */
static void note_untraced (const char *path, enum program_kind kind, int ours)
{
    struct span sp = {.call = CALL_exec_untraced};
    int saved_errno = errno;
    struct record r;

    if (kind == PROGRAM_UNKNOWN)
        return;
    recorder_count_untraced ();
    if (ours && span_open (&sp)) {
        span_result (&sp, &r, 0, 0);
        r.file = names_intern (SHARD_NAME_FILE, FILE_CLASS_OTHER, path,
                               strnlen (path, EVENT_NAME_MAX));
        r.flags = kind;
        span_write (&r);
    }
    errno = saved_errno;
}

/* --- spawn ------------------------------------------------------------ */

#define SPAWN(F, SEARCH)                                                \
    int F (pid_t *pid, const char *path,                                \
           const posix_spawn_file_actions_t *actions,                   \
           const posix_spawnattr_t *attr, char *const argv[],           \
           char *const envp[])                                          \
    {                                                                   \
        int ours = recorder_layers && process_is_ours ();               \
        if (ours)                                                       \
            fdmap_share ();                                             \
        int rc = REAL (F) (pid, path, actions, attr, argv, envp);       \
        if (ours && rc == 0)                                            \
            note_untraced (path, program_kind_of (path, SEARCH), ours); \
        return rc;                                                      \
    }

SPAWN (posix_spawn, 0)
SPAWN (posix_spawnp, 1)

/* --- exec ------------------------------------------------------------ */

/* What is in memory only would be gone; a failed exec goes on in a new
 * chunk. */
static int before_exec (const char *path, enum program_kind kind)
{
    int saved_errno = errno;
    int ours = recorder_layers && process_is_ours ();

    if (recorder_layers)
        note_untraced (path, kind, ours);
    if (ours) {
        recorder_exec (1);
        recorder_thread_end ();
    }
    errno = saved_errno;
    return ours;
}

/* Here after all. */
static int exec_failed (int ours, int rc)
{
    if (ours)
        recorder_exec (0);
    return rc;
}

#define LOOK(KIND) (recorder_layers ? KIND : PROGRAM_UNKNOWN)
#define EXEC(F, PARAMS, ARGS, PATH, KIND)           \
    int F PARAMS                                    \
    {                                               \
        int ours = before_exec (PATH, LOOK (KIND)); \
        return exec_failed (ours, REAL (F) ARGS);   \
    }

EXEC (execve,
      (const char *path, char *const argv[], char *const envp[]),
      (path, argv, envp),
      path,
      program_kind_of (path, 0))
EXEC (execv,
      (const char *path, char *const argv[]),
      (path, argv),
      path,
      program_kind_of (path, 0))
EXEC (execvp,
      (const char *file, char *const argv[]),
      (file, argv),
      file,
      program_kind_of (file, 1))
EXEC (execvpe,
      (const char *file, char *const argv[], char *const envp[]),
      (file, argv, envp),
      file,
      program_kind_of (file, 1))
EXEC (fexecve,
      (int fd, char *const argv[], char *const envp[]),
      (fd, argv, envp),
      NULL,
      PROGRAM_UNKNOWN)
EXEC (execveat,
      (int dirfd,
       const char *path,
       char *const argv[],
       char *const envp[],
       int flags),
      (dirfd, path, argv, envp, flags),
      path,
      program_kind_at (dirfd, path))

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

/* --- exit ------------------------------------------------------------ */

/* Does nothing in a process that is not the one that was started. */
void _exit (int status)
{
    recorder_finish ();
    REAL (_exit) (status);
    __builtin_unreachable ();
}

void _Exit (int status)
{
    recorder_finish ();
    REAL (_Exit) (status);
    __builtin_unreachable ();
}
