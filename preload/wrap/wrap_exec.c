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
#include <limits.h>
#include <string.h>

#include "lib/core/record/event.h"
#include "lib/core/sys.h"
#include "preload/aside/aside.h"
#include "preload/counted/counted.h"
#include "preload/handover.h"
#include "preload/process.h"
#include "preload/program.h"
#include "preload/real.h"
#include "preload/span.h"
#include "preload/span_open.h"
#include "preload/untraced.h"

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

/* --- programs that cannot be traced ------------------------------------- */

/* A program as the caller named it. */
struct target {
    int dirfd;
    const char *name;
    int search; /* in PATH */
};

static __attribute__ ((noinline)) void
list_untraced (pid_t pid, const struct target *t, enum program_kind kind)
{
    char path[PATH_MAX];

    if (t->search && !strchr (t->name, '/')) {
        program_search (t->name, path, sizeof (path));
        untraced_program (pid, AT_FDCWD, path, programkind_reason (kind));
    } else
        untraced_program (pid, t->dirfd, t->name, programkind_reason (kind));
}

/* In a child of vfork no event, as that would be the parent's: no more than
 * one addition in its memory, and a line in a file. */
static void note_untraced (pid_t pid,
                           const struct target *t,
                           enum program_kind kind,
                           int ours)
{
    struct span sp = {.call = CALL_exec_untraced};
    int saved_errno = errno;
    struct record r;

    if (kind == PROGRAM_UNKNOWN)
        return;
    recorder_count_untraced ();
    list_untraced (pid, t, kind);
    if (ours && span_open (&sp)) {
        span_result (&sp, &r, 0, 0);
        r.file = names_intern (SHARD_NAME_FILE, FILE_CLASS_OTHER, t->name,
                               strnlen (t->name, EVENT_NAME_MAX));
        r.flags = kind;
        span_write (&r);
    }
    errno = saved_errno;
}

/* Room on the stack, as between vfork and exec there is no other. */
#define HANDOVER(ENV, H)                                                     \
    char *const *ENV =                                                       \
        handover_make (&(H), __builtin_alloca ((H).count * sizeof (char *)), \
                       __builtin_alloca ((H).length))

/* --- spawn ------------------------------------------------------------ */

/* A program runs. */
static void spawned (const pid_t *pid, const char *path, int search)
{
    const struct target t = {AT_FDCWD, path, search};

    note_untraced (pid ? *pid : 0, &t, program_kind_of (path, search), 1);
}

#define SPAWN(F, SEARCH)                                          \
    int F (pid_t *pid, const char *path,                          \
           const posix_spawn_file_actions_t *actions,             \
           const posix_spawnattr_t *attr, char *const argv[],     \
           char *const envp[])                                    \
    {                                                             \
        struct handover h;                                        \
        int rc, ours = recorder_layers && process_is_ours ();     \
        if (ours)                                                 \
            fdmap_share ();                                       \
        if (handover_needed (&h, envp)) {                         \
            HANDOVER (env, h);                                    \
            rc = REAL (F) (pid, path, actions, attr, argv, env);  \
        } else                                                    \
            rc = REAL (F) (pid, path, actions, attr, argv, envp); \
        if (ours && rc == 0)                                      \
            spawned (pid, path, SEARCH);                          \
        return rc;                                                \
    }

SPAWN (posix_spawn, 0)
SPAWN (posix_spawnp, 1)

/* --- exec ------------------------------------------------------------ */

/* What is in memory only would be gone; a failed exec goes on in a new
 * chunk. */
static int before_exec (const struct target *t, enum program_kind kind)
{
    int saved_errno = errno;
    int ours = recorder_layers && process_is_ours ();

    if (recorder_layers)
        note_untraced (sys_getpid (), t, kind, ours);
    if (ours) {
        mm_flush ();
        recorder_exec (1);
        recorder_thread_end ();
        counted_exec ();
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
/* OTHER is the same call with env in the place of ENVP. */
#define EXEC(F, PARAMS, ARGS, ENVP, OTHER, DIRFD, PATH, SEARCH, KIND)         \
    int F PARAMS                                                              \
    {                                                                         \
        struct handover h;                                                    \
        int ours =                                                            \
            before_exec (&(struct target){DIRFD, PATH, SEARCH}, LOOK (KIND)); \
        if (!handover_needed (&h, ENVP))                                      \
            return exec_failed (ours, REAL (F) ARGS);                         \
        HANDOVER (env, h);                                                    \
        return exec_failed (ours, OTHER);                                     \
    }

EXEC (execve,
      (const char *path, char *const argv[], char *const envp[]),
      (path, argv, envp),
      envp,
      REAL (execve) (path, argv, env),
      AT_FDCWD,
      path,
      0,
      program_kind_of (path, 0))
EXEC (execv,
      (const char *path, char *const argv[]),
      (path, argv),
      environ,
      REAL (execve) (path, argv, env),
      AT_FDCWD,
      path,
      0,
      program_kind_of (path, 0))
EXEC (execvp,
      (const char *file, char *const argv[]),
      (file, argv),
      environ,
      REAL (execvpe) (file, argv, env),
      AT_FDCWD,
      file,
      1,
      program_kind_of (file, 1))
EXEC (execvpe,
      (const char *file, char *const argv[], char *const envp[]),
      (file, argv, envp),
      envp,
      REAL (execvpe) (file, argv, env),
      AT_FDCWD,
      file,
      1,
      program_kind_of (file, 1))
EXEC (fexecve,
      (int fd, char *const argv[], char *const envp[]),
      (fd, argv, envp),
      envp,
      REAL (fexecve) (fd, argv, env),
      AT_FDCWD,
      NULL,
      0,
      PROGRAM_UNKNOWN)
EXEC (execveat,
      (int dirfd,
       const char *path,
       char *const argv[],
       char *const envp[],
       int flags),
      (dirfd, path, argv, envp, flags),
      envp,
      REAL (execveat) (dirfd, path, argv, env, flags),
      dirfd,
      path,
      0,
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
    if (!process_has_begun ())
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
