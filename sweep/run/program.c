/* SPDX-License-Identifier: MIT
 *
 * program.c - fork, execvp, collect output; never through a shell
 */
#include "config.h"

#include <poll.h>
#include <signal.h>
#include <sys/wait.h>

#include "lib/base/array.h"
#include "lib/base/clock.h"
#include "lib/settings/plan.h"
#include "lib/util/fsutil.h"
#include "sweep/run/program.h"

enum {
    OUTPUT_MAX = 16 * 1024 * 1024, /* bytes kept of each stream */
    START_FAILED = 127,
};

/* -- where things are -------------------------------------------------- */

const char *program_self (void)
{
    char path[PATH_MAX], *base, *dir;
    const char *wrapper;
    ssize_t n = readlink ("/proc/self/exe", path, sizeof (path) - 1);

    if (n < 0)
        return "dftrace";
    path[n] = '\0';
    base = strrchr (path, '/');
    dir = base && base - path > 6 ? base - 6 : NULL;
    if (!dir || strncmp (dir, "/.libs/", 7))
        return arena_text (path);
    *dir = '\0';
    base++;
    if (!strncmp (base, "lt-", 3))
        base += 3;
    wrapper = arena_format ("%s/%s", path, base);
    if (access (wrapper, X_OK) == 0)
        return wrapper;
    return arena_format ("%s/.libs/%s", path, base);
}

const char *program_preload (void)
{
    struct settings s;
    const char *path;

    settings_init (&s);
    settings_from_env (&s, NULL);
    path = places_library (&s);
    if (access (path, R_OK) == 0)
        return path;
    die ("%s: no preload library: %s", path,
         *s.preload ? "correct DFTRACE_PRELOAD"
                    : "install it, set DFTRACE_PRELOAD, or use `trace: off`");
}

const char *program_python (void)
{
    struct settings s;

    settings_init (&s);
    settings_from_env (&s, NULL);
    return places_python (&s);
}

/* -- environment ------------------------------------------------------- */

static int is_left_over (const char *entry)
{
    static const char *const prefix[] = {
        "SBATCH_", "SLURM_",           "SLURMD_",        "SRUN_",
        "PMI",     "SQUEUE_",          "SACCT_",         "SCONTROL_",
        "SWEEP_",  "DFTRACE_JOB_DIR=", "DFTRACE_POINT=", PLAN_SWEEP "=",
        NULL};

    if (!strncmp (entry, "SLURM_CONF=", 11))
        return 0;
    for (size_t i = 0; prefix[i]; i++)
        if (!strncmp (entry, prefix[i], strlen (prefix[i])))
            return 1;
    return 0;
}

char **program_environment (int query)
{
    size_t count = 0, n = 0;
    char **env;

    while (environ[count])
        count++;
    env = arena_array (count + 3, sizeof (*env));
    for (size_t i = 0; i < count; i++)
        if (!is_left_over (environ[i]) &&
            !(query && !strncmp (environ[i], "LC_ALL=", 7)))
            env[n++] = environ[i];
    if (query) {
        env[n++] = arena_text ("LC_ALL=C");
        env[n++] = arena_text ("SLURM_TIME_FORMAT=%s");
    }
    return env;
}

char **program_environment_of (const char *name)
{
    char **env = program_environment (0);
    size_t n = 0;

    while (env[n])
        n++;
    env[n++] = arena_format (PLAN_SWEEP "=%s", name);
    env[n] = NULL;
    return env;
}

/* -- running ----------------------------------------------------------- */

struct stream {
    int fd;
    char *text;
    size_t length, size;
};

static _Noreturn void
child_exit (int out, int errors, const char *const *argv, char *const envp[])
{
    int null = open ("/dev/null", O_RDONLY);
    sigset_t none;

    sigemptyset (&none);
    sigprocmask (SIG_SETMASK, &none, NULL);
    if (null >= 0)
        (void)dup2 (null, 0);
    dup2 (out, 1);
    dup2 (errors, 2);
    execvpe (argv[0], (char *const *)argv, envp);
    dprintf (2, "%s: %s\n", argv[0], strerror (errno));
    _exit (START_FAILED);
}

static void stream_read (struct stream *s)
{
    char drop[4096];
    ssize_t n;

    if (s->length + 1 >= s->size && s->size < OUTPUT_MAX) {
        s->size = s->size ? s->size * 2 : 8192;
        s->text = xreallocarray (s->text, s->size, 1);
    }
    if (s->length + 1 < s->size)
        n = read (s->fd, s->text + s->length, s->size - s->length - 1);
    else
        n = read (s->fd, drop, sizeof (drop));
    if (n < 0 && errno == EINTR)
        return;
    if (n <= 0) {
        close (s->fd);
        s->fd = -1;
    } else if (s->length + 1 < s->size) {
        s->length += n;
    }
}

static char *stream_text (struct stream *s)
{
    char *text = arena_copy (s->text ? s->text : "", s->length);

    if (s->fd >= 0)
        close (s->fd);
    free (s->text);
    return text;
}

/* Until both streams are closed; 1 when time ran out first. */
static int listen_to (struct stream s[2], int timeout_s)
{
    int64_t end = (int64_t)(clock_ns (CLOCK_MONOTONIC) / 1000000) +
                  (int64_t)timeout_s * 1000;

    while (s[0].fd >= 0 || s[1].fd >= 0) {
        struct pollfd p[2] = {{.fd = s[0].fd, .events = POLLIN},
                              {.fd = s[1].fd, .events = POLLIN}};
        int64_t left = end - (int64_t)(clock_ns (CLOCK_MONOTONIC) / 1000000);

        if (left <= 0)
            return 1;
        if (poll (p, 2, (int)left) < 0 && errno != EINTR)
            return 1;
        for (int i = 0; i < 2; i++)
            if (p[i].fd >= 0 && p[i].revents)
                stream_read (&s[i]);
    }
    return 0;
}

int program_run (const char *const *argv,
                 char *const envp[],
                 int timeout_s,
                 struct program_result *r,
                 struct errtext *err)
{
    int out[2], errors[2];
    struct stream s[2] = {{.fd = -1}, {.fd = -1}};
    pid_t pid;

    ZERO (r);
    if (pipe2 (out, O_CLOEXEC) < 0)
        return errf (err, "%s: pipe: %s", argv[0], strerror (errno));
    if (pipe2 (errors, O_CLOEXEC) < 0) {
        close (out[0]);
        close (out[1]);
        return errf (err, "%s: pipe: %s", argv[0], strerror (errno));
    }
    pid = fork ();
    if (pid == 0)
        child_exit (out[1], errors[1], argv, envp);
    close (out[1]);
    close (errors[1]);
    s[0].fd = out[0];
    s[1].fd = errors[0];
    if (pid > 0) {
        r->timed_out = listen_to (s, timeout_s);
        if (r->timed_out)
            kill (pid, SIGKILL);
        while (waitpid (pid, &r->status, 0) < 0 && errno == EINTR)
            ;
    }
    r->out = stream_text (&s[0]);
    r->errors = stream_text (&s[1]);
    if (pid < 0)
        return errf (err, "%s: fork: %s", argv[0], strerror (errno));
    if (WIFEXITED (r->status) && WEXITSTATUS (r->status) == START_FAILED &&
        !*r->out)
        return errf (err, "%s", program_complaint (r));
    return 0;
}

const char *
program_output (const char *const *argv, int timeout_s, struct errtext *err)
{
    struct program_result r;

    if (program_run (argv, program_environment (1), timeout_s, &r, err) < 0)
        return NULL;
    if (program_succeeded (&r))
        return r.out;
    errf (err, "%s: %s", argv[0], program_complaint (&r));
    return NULL;
}

int program_succeeded (const struct program_result *r)
{
    return !r->timed_out && WIFEXITED (r->status) &&
           WEXITSTATUS (r->status) == 0;
}

const char *program_complaint (const struct program_result *r)
{
    const char *text = r->errors + strspn (r->errors, " \n");

    if (r->timed_out)
        return "no answer in time";
    if (*text)
        return arena_copy (text, strcspn (text, "\n"));
    if (WIFSIGNALED (r->status))
        return arena_format ("ended by signal %d", WTERMSIG (r->status));
    return arena_format ("exit status %d", WEXITSTATUS (r->status));
}

const char *shell_quote (const char *text)
{
    char *out, *p;

    if (*text && !text[strspn (text, "abcdefghijklmnopqrstuvwxyz"
                                     "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                     "0123456789_-./=:,+@%")])
        return arena_text (text);
    p = out = arena_alloc (strlen (text) * 4 + 3);
    *p++ = '\'';
    for (; *text; text++) {
        if (*text == '\'') {
            memcpy (p, "'\\''", 4);
            p += 4;
        } else {
            *p++ = *text;
        }
    }
    *p = '\'';
    return out;
}
