/* SPDX-License-Identifier: MIT
 *
 * wrap_shell.c - system, popen, wordexp: a shell that libc starts with environ
 *
 * In:  the call; environ, which may be without us
 * Out: the call of libc, or, where the shell is to be given another
 *      environment, the same done here
 * Caveat: environ belongs to all threads. It is exchanged for the time of a
 *         call only where there is one thread; system () does without that.
 */
#include "config.h"

#include <signal.h>
#include <sys/wait.h>

#include "lib/base/array.h"
#include "lib/base/text.h"
#include "lib/base/sys.h"
#include "preload/counted.h"
#include "preload/fdmap.h"
#include "preload/follow/departure.h"
#include "preload/probe.h"
#include "preload/process.h"
#include "preload/real.h"
#include "preload/wrap/streams.h"

static const char shell[] = "/bin/sh";
static const struct program_name shell_name = {AT_FDCWD, shell, 0};

/* The processes that libc starts are given our descriptors. */
static int shell_plan (struct departure *d)
{
    int other = departure_plan (d, &shell_name, environ);

    if (d->ours) {
        fdmap_share ();
        counted_waits ();
    }
    return other;
}

/* --- signals of system ------------------------------------------------- */

enum { MASK_BYTES = 8 };

/* As the kernel has it: what it gave back can be set again. */
struct shell_action {
    void (*handler) (int);
    unsigned long flags;
    void (*restorer) (void);
    uint64_t mask;
};

static struct {
    unsigned lock, users;
    struct shell_action interrupt, quit;
} ignored;

static void shell_lock (void)
{
    while (__atomic_exchange_n (&ignored.lock, 1u, __ATOMIC_ACQUIRE))
        sys_yield ();
}

static void shell_unlock (void)
{
    __atomic_store_n (&ignored.lock, 0u, __ATOMIC_RELEASE);
}

static void shell_action (int signal,
                          const struct shell_action *set,
                          struct shell_action *was)
{
    (void)sys_call (SYS_rt_sigaction, signal, set, was, MASK_BYTES);
}

/* The first of several threads ignores them, the last one sets them back. */
static void shell_ignore (void)
{
    static const struct shell_action ignore = {.handler = SIG_IGN};

    shell_lock ();
    if (ignored.users++ == 0) {
        shell_action (SIGINT, &ignore, &ignored.interrupt);
        shell_action (SIGQUIT, &ignore, &ignored.quit);
    }
    shell_unlock ();
}

static void shell_restore (void)
{
    shell_lock ();
    if (--ignored.users == 0) {
        shell_action (SIGINT, &ignored.interrupt, NULL);
        shell_action (SIGQUIT, &ignored.quit, NULL);
    }
    shell_unlock ();
}

/* --- system -------------------------------------------------------------- */

/* The shell that this thread waits for; 0: none. */
static _Thread_local struct shell_child {
    pid_t pid;
} waiting __attribute__ ((tls_model ("initial-exec")));

/* A thread that is cancelled in system () ends its shell. */
static void shell_thread_end (void)
{
    pid_t pid = waiting.pid;

    if (!pid)
        return;
    waiting.pid = 0;
    (void)sys_call (SYS_kill, pid, SIGKILL);
    while (sys_call (SYS_wait4, pid, NULL, 0, NULL) < 0 && errno == EINTR)
        ;
    shell_restore ();
}

/* The signals are as libc has them: in the shell as they were, but those that
 * were not ignored are the default ones. 0, or an error number. */
static int shell_spawn (pid_t *pid,
                        const char *line,
                        const sigset_t *mask,
                        char *const *env)
{
    static const char sh[] = "sh", option[] = "-c";
    char *const argv[] = {(char *)(uintptr_t)sh, (char *)(uintptr_t)option,
                          (char *)(uintptr_t)line, NULL};
    posix_spawnattr_t attr;
    sigset_t defaults;
    int rc;

    ZERO (&defaults);
    if (ignored.interrupt.handler != SIG_IGN)
        (void)LATER (sigaddset) (&defaults, SIGINT);
    if (ignored.quit.handler != SIG_IGN)
        (void)LATER (sigaddset) (&defaults, SIGQUIT);
    (void)LATER (posix_spawnattr_init) (&attr);
    (void)LATER (posix_spawnattr_setsigmask) (&attr, mask);
    (void)LATER (posix_spawnattr_setsigdefault) (&attr, &defaults);
    (void)LATER (posix_spawnattr_setflags) (&attr, POSIX_SPAWN_SETSIGDEF |
                                                       POSIX_SPAWN_SETSIGMASK);
    rc = REAL (posix_spawn) (pid, shell, NULL, &attr, argv, env);
    (void)LATER (posix_spawnattr_destroy) (&attr);
    return rc;
}

/* Wait for the shell; return its status. A point of cancellation. */
static int shell_wait (pid_t pid)
{
    pid_t ended;
    int status;

    process_at_thread_end (shell_thread_end);
    waiting.pid = pid;
    do
        ended = waitpid (pid, &status, 0);
    while (ended < 0 && errno == EINTR);
    waiting.pid = 0;
    return ended == pid ? status : -1;
}

static int shell_run (struct departure *d, const char *line, char *const *env)
{
    uint64_t child = (uint64_t)1 << (SIGCHLD - 1);
    sigset_t mask;
    int status, rc;
    pid_t pid;

    ZERO (&mask);
    shell_ignore ();
    (void)sys_call (SYS_rt_sigprocmask, SIG_BLOCK, &child, &mask, MASK_BYTES);
    rc = shell_spawn (&pid, line, &mask, env);
    if (rc == E2BIG && departure_too_large (d))
        rc = shell_spawn (&pid, line, &mask, environ);
    if (rc == 0)
        departure_note (d, pid);
    departure_end (d);
    status = rc == 0 ? shell_wait (pid) : W_EXITCODE (127, 0);
    shell_restore ();
    (void)sys_call (SYS_rt_sigprocmask, SIG_SETMASK, &mask, NULL, MASK_BYTES);
    if (rc != 0)
        errno = rc;
    return status;
}

int system (const char *line)
{
    char *const *env = NULL;
    struct departure d;

    if (!line)
        return REAL (system) (line);
    if (shell_plan (&d))
        env = DEPARTURE_MAKE (d);
    if (d.ours)
        place_note (__builtin_return_address (0), PLACE_START, 0);
    if (env)
        return shell_run (&d, line, env);
    departure_note (&d, 0);
    return REAL (system) (line);
}

/* --- a command that hands on what environ does not have --------------------
 */

enum { COMMAND_MAX = 1 << 17 /* bytes of an argument; more is E2BIG */ };

struct shell_text {
    char *to; /* NULL: only counted */
    size_t used;
};

static void shell_put (struct shell_text *t, const char *text, size_t n)
{
    if (t->to)
        memcpy (t->to + t->used, text, n);
    t->used += n;
}

/* As one word of a shell, in which each quote has its other one: so wordexp
 * finds the end of a command. */
static void shell_quote (struct shell_text *t, const char *text, size_t n)
{
    const char *end = text + n, *quote;

    shell_put (t, "'", 1);
    for (; (quote = memchr (text, '\'', (size_t)(end - text)));
         text = quote + 1) {
        shell_put (t, text, (size_t)(quote - text));
        shell_put (t, "'\"'\"'", 5);
    }
    shell_put (t, text, (size_t)(end - text));
    shell_put (t, "'", 1);
}

static void shell_assign (struct shell_text *t, const char *entry)
{
    size_t n = strcspn (entry, "=");

    shell_put (t, entry, n + 1);
    shell_quote (t, entry + n + 1, strlen (entry + n + 1));
    shell_put (t, " ", 1);
}

/* line of n bytes, by a shell that is given both entries which end env. */
static void shell_command (struct shell_text *t,
                           const struct departure *d,
                           char *const *env,
                           const char *line,
                           size_t n)
{
    static const char head[] = "exec /bin/sh -c ";

    shell_assign (t, env[d->o.pointers - 3]);
    shell_assign (t, env[d->o.pointers - 2]);
    shell_put (t, head, sizeof (head) - 1);
    shell_quote (t, line, n);
}

/* Into memory: 0, or -1 where it is not to be done so. */
typedef int shell_fill_f (struct shell_text *t,
                          const struct departure *d,
                          char *const *env,
                          const char *text);

/* text must stay as it is. */
static int shell_fill_from (struct shell_text *t,
                            struct departure *d,
                            const char *text,
                            shell_fill_f *fill)
{
    char *const *env;

    if (!(env = DEPARTURE_MAKE (*d)) || fill (t, d, env, text) < 0 ||
        t->used > COMMAND_MAX || !(t->to = sys_memory (t->used)))
        return -1;
    t->used = 0;
    return fill (t, d, env, text);
}

/* Another thread may change text meanwhile, so from a copy. */
static int shell_fill (struct shell_text *t,
                       struct departure *d,
                       const char *text,
                       shell_fill_f *fill)
{
    size_t n = strnlen (text, COMMAND_MAX);
    char *copy;
    int rc;

    *t = (struct shell_text){NULL, 0};
    if (!d->o.adds || d->o.python || n == COMMAND_MAX ||
        !(copy = sys_memory (n + 1)))
        return -1;
    memcpy (copy, text, n);
    rc = shell_fill_from (t, d, copy, fill);
    (void)sys_munmap (copy, n + 1);
    return rc;
}

static void shell_free (const struct shell_text *t)
{
    int saved_errno = errno;

    if (t->to)
        (void)sys_munmap (t->to, t->used);
    errno = saved_errno;
}

static int shell_fill_line (struct shell_text *t,
                            const struct departure *d,
                            char *const *env,
                            const char *line)
{
    static const char tail[] = " sh";

    shell_command (t, d, env, line, strlen (line));
    shell_put (t, tail, sizeof (tail));
    return 0;
}

/* popen where others may use environ; *done: f is its result. The shell that
 * libc starts becomes the one that is traced. */
static FILE *
shell_popen (struct departure *d, const char *line, const char *mode, int *done)
{
    int saved_errno = errno;
    struct shell_text t;
    struct probe p = {0};
    FILE *f = NULL;

    if (probe_text (&p, line, COMMAND_MAX) < 0 || *line == '-' ||
        *line == '+' || shell_fill (&t, d, line, shell_fill_line) < 0)
        return NULL;
    errno = saved_errno;
    f = REAL (popen) (t.to, mode);
    shell_free (&t);
    *done = f != NULL;
    return f;
}

/* The end of a command of wordexp, as GNU's libc finds it, or NULL. */
static const char *words_end (const char *p)
{
    char quote = 0;
    int depth = 1;

    for (; *p; p++)
        if (quote)
            quote = *p == quote ? 0 : quote;
        else if (*p == '\'' || *p == '"')
            quote = *p;
        else if (*p == '(')
            depth++;
        else if (*p == ')' && --depth == 0)
            return p;
    return NULL;
}

/* Each "$(COMMAND)" by such a shell. The command stands behind it once more,
 * for libc to tell whether it is one. */
static int shell_fill_words (struct shell_text *t,
                             const struct departure *d,
                             char *const *env,
                             const char *p)
{
    static const char tail[] = " /bin/sh\n";
    const char *end;
    int quoted = 0;

    for (; *p; p = end) {
        end = p + 1;
        if (*p == '\\' && p[1])
            end = p + 2;
        else if (*p == '"')
            quoted = !quoted;
        else if (*p == '\'' && !quoted)
            end = strchr (p + 1, '\'') ? strchr (p + 1, '\'') + 1 : end;
        else if (*p == '`' || (*p == '$' && (p[1] == '{' || p[1] == '[')))
            return -1;
        else if (*p == '$' && p[1] == '(') {
            const char *command = p + 2;

            if (*command == '(' || !(end = words_end (command)))
                return -1;
            shell_put (t, p, 2);
            shell_command (t, d, env, command, (size_t)(end - command));
            shell_put (t, tail, sizeof (tail) - 1);
            p = command;
        }
        shell_put (t, p, (size_t)(end - p));
    }
    shell_put (t, p, 1);
    return 0;
}

/* --- popen, wordexp ------------------------------------------------------- */

/* The kernel counts a link for each thread, beside the two of a directory. */
static int has_one_thread (void)
{
    struct stat st;

    return sys_call (SYS_newfstatat, AT_FDCWD, "/proc/self/task", &st, 0) ==
               0 &&
           st.st_nlink == 3;
}

/* True when environ may be exchanged. */
static int shell_may_exchange (void)
{
    int saved_errno = errno, may = has_one_thread ();

    errno = saved_errno;
    return may;
}

/* The shell is not given what it lacks: it is counted with the reason
 * `environment`. */
static void shell_lacks (struct departure *d)
{
    if (d->o.adds && d->o.kind == PROGRAM_UNKNOWN)
        d->o.kind = PROGRAM_ENVIRONMENT;
}

/* CALL with another environ, and RESULT is what it returned. */
#define EXCHANGED(D, RESULT, CALL)             \
    do {                                       \
        char **given = environ;                \
        char *const *env = DEPARTURE_MAKE (D); \
        if (env)                               \
            environ = (char **)(uintptr_t)env; \
        RESULT = CALL;                         \
        if (env)                               \
            environ = given;                   \
    } while (0)

FILE *popen (const char *line, const char *mode)
{
    struct departure d;
    int done = 0;
    FILE *f = NULL;

    if (shell_plan (&d)) {
        if (shell_may_exchange ()) {
            EXCHANGED (d, f, REAL (popen) (line, mode));
            /* libc does not tell why; it may be the size of our environment. */
            done = f || !departure_too_large (&d);
        } else {
            f = shell_popen (&d, line, mode, &done);
            if (!done)
                shell_lacks (&d);
        }
    }
    if (!done)
        f = REAL (popen) (line, mode);
    departure_end (&d);
    if (f)
        departure_note (&d, 0);
    if (d.ours)
        place_note (__builtin_return_address (0), PLACE_START, 0);
    return f;
}

/* wordexp where others may use environ. */
static int shell_wordexp (struct departure *d,
                          const char *words,
                          wordexp_t *result,
                          int flags,
                          int *done)
{
    int saved_errno = errno, rc = 0;
    struct shell_text t = {NULL, 0};

    if (!streams_are_musl () &&
        shell_fill (&t, d, words, shell_fill_words) == 0) {
        errno = saved_errno;
        rc = REAL (wordexp) (t.to, result, flags);
        *done = 1;
    }
    shell_free (&t);
    return rc;
}

enum { WORDS_MAX = 1 << 20 /* bytes that are looked at */ };

/* Only a command in the words takes a shell. "${NAME:=…}" sets a variable,
 * which is not to go with an environ that was exchanged. */
int wordexp (const char *words, wordexp_t *result, int flags)
{
    struct departure d;
    struct probe p = {0};
    int rc = 0, done = 0;

    if (flags & WRDE_NOCMD || probe_text (&p, words, WORDS_MAX) < 0 ||
        !(strchr (words, '`') || text_contains (words, strlen (words), "$(")))
        return REAL (wordexp) (words, result, flags);
    if (shell_plan (&d)) {
        int assigns =
            text_contains (words, strlen (words), "${") && strchr (words, '=');

        if (!assigns && shell_may_exchange ()) {
            wordexp_t before = *result;

            EXCHANGED (d, rc, REAL (wordexp) (words, result, flags));
            /* No shell was started, perhaps for the size of our environment. */
            done = rc != WRDE_NOSPACE || !departure_too_large (&d);
            if (!done)
                *result = before;
        } else {
            rc = shell_wordexp (&d, words, result, flags, &done);
            if (!done)
                shell_lacks (&d);
        }
    }
    if (!done)
        rc = REAL (wordexp) (words, result, flags);
    departure_end (&d);
    if (rc == 0)
        departure_note (&d, 0);
    return rc;
}
