/* SPDX-License-Identifier: MIT
 *
 * doors.c - starts ./w FILE without an environment, in each way that libc has
 *
 * doors execs | small [PROGRAM] | shells | threads | cancel | large | fill N
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>
#include <wordexp.h>

static char *arg[] = {"w", NULL, NULL}, *none[] = {NULL}, **large,
            *path = "./w";
extern char **environ;

static void end (int ok, const char *way)
{
    int status = -1;

    if (!ok)
        printf ("%s: %s\n", way, strerror (errno));
    while (wait (&status) > 0)
        ;
}

#define FORKED(FILE, CALL)  \
    do {                    \
        arg[1] = FILE;      \
        fflush (stdout);    \
        if (fork () == 0) { \
            CALL;           \
            perror (#CALL); \
            _exit (1);      \
        }                   \
        end (1, FILE);      \
    } while (0)

static void *spawner (void *how)
{
    int rc = posix_spawn (NULL, path, NULL, NULL, arg, large);

    if (rc)
        printf ("spawn: %s\n", strerror (rc));
    end (1, "spawn");
    if (vfork () == 0) {
        execve (path, arg, large);
        _exit (1);
    }
    end (1, "vfork");
    return NULL;
}

/* In a thread whose stack is small. */
static void threaded (const char *file, size_t stack)
{
    pthread_attr_t attr;
    pthread_t t;

    arg[1] = (char *)file;
    pthread_attr_init (&attr);
    pthread_attr_setstacksize (&attr, stack);
    errno = pthread_create (&t, &attr, spawner, NULL);
    if (errno)
        perror ("thread");
    else
        pthread_join (t, NULL);
}

static void *sleeper (void *unused)
{
    pause ();
    return NULL;
}

static void *canceled (void *unused)
{
    system ("echo $$ >pid; exec sleep 1000");
    return NULL;
}

static void nothing (int unused)
{
}

/* A handler without SA_RESTART, called again and again while the shell runs. */
static void interrupted (void)
{
    const struct itimerval on = {{0, 20000}, {0, 20000}}, off = {{0}};
    struct sigaction sa = {.sa_handler = nothing};

    sigaction (SIGALRM, &sa, NULL);
    setitimer (ITIMER_REAL, &on, NULL);
    printf ("interrupted %d\n", system ("sleep 0.3; exit 6"));
    setitimer (ITIMER_REAL, &off, NULL);
}

static void expand (const char *text)
{
    wordexp_t words = {0};

    printf ("wordexp %d", wordexp (text, &words, 0));
    for (size_t i = 0; i < words.we_wordc; i++)
        printf (" <%s>", words.we_wordv[i]);
    puts ("");
}

static void shells (void)
{
    struct sigaction sa, before = {.sa_handler = SIG_DFL};
    sigset_t mask;
    wordexp_t words;
    char line[100] = "";
    FILE *f;

    clearenv ();
    printf ("system %d\n", system ("./w s1; exit 3"));
    printf ("system %d\n", system ("kill -9 $$"));
    printf ("system %d\n", system ("exit 0; ./nosuch"));
    printf ("system %d\n", system (NULL));
    printf ("system %d\n", system ("no-such-command 2>/dev/null"));
    printf ("system %d\n",
            system ("test -z \"$LD_PRELOAD$DFTRACE_TOLD$DFTRACE_JOB_DIR\""));
    f = popen ("./w p1; echo said; exit 4", "r");
    if (!fgets (line, sizeof line, f))
        line[0] = 0;
    printf ("popen %s %d\n", line, pclose (f));
    f = popen (
        "echo \"$0 'quoted' $#\" \"$@\"; env | sort; no-such-command 2>&1",
        "r");
    while (fgets (line, sizeof line, f))
        printf ("popen %s", line);
    printf ("popen %d\n", pclose (f));
    f = popen ("cat >&2", "w");
    fputs ("written\n", f);
    printf ("popen %d\n", pclose (f));
    printf ("wordexp %d",
            wordexp ("a $(./w e1; echo b c) `echo d`", &words, 0));
    for (size_t i = 0; i < words.we_wordc; i++)
        printf (" %s", words.we_wordv[i]);
    puts ("");
    expand ("q 'n$(x)' \\$ \"$(./w e2; echo it\"'\"s '(' \\\\ $0) \\\"\" "
            "$x$(echo ')' y)");
    expand ("$(if) x");
    expand ("$() $(exit 3) $(no-such-command)");
    expand ("$(echo (unclosed");
    expand ("${x:=$(echo set)} $x");
    expand ("$((1 + 2)) `echo '$x' \\`echo d\\``");
    printf ("environ %s\n", environ && environ[0] ? environ[0] : "none");
    sigprocmask (SIG_BLOCK, NULL, &mask);
    sigaction (SIGINT, NULL, &sa);
    printf ("state %d %d\n", sigismember (&mask, SIGCHLD),
            sa.sa_handler == before.sa_handler);
    signal (SIGINT, SIG_IGN);
    printf ("ignored %d\n", system ("kill -2 $$; exit 5"));
    signal (SIGINT, SIG_DFL);
    printf ("default %d\n", system ("kill -2 $$; exit 5"));
    interrupted ();
}

int main (int argc, char **argv)
{
    int fd = open ("./w", O_RDONLY | O_CLOEXEC),
        dir = open (".", O_RDONLY | O_DIRECTORY);
    pthread_t t;

    setvbuf (stdout, NULL, _IOLBF, 0);
    if (strcmp (argv[1], "execs") == 0) {
        FORKED ("f1", execve (path, arg, none));
        FORKED ("f2", execve (path, arg, NULL));
        FORKED ("f3", execvpe (path, arg, none));
        FORKED ("f4", execle (path, "w", "f4", NULL, none));
        FORKED ("f5", fexecve (fd, arg, none));
        FORKED ("f6", execveat (dir, "w", arg, none, 0));
        FORKED ("f7", execveat (fd, "", arg, none, AT_EMPTY_PATH));
        FORKED ("f8", syscall (SYS_execve, path, arg, none));
        FORKED ("f9", syscall (SYS_execveat, fd, "", arg, none, AT_EMPTY_PATH));
        FORKED ("f10", (clearenv (), execv (path, arg)));
        FORKED ("f11", (clearenv (), execl (path, "w", "f11", NULL)));
        FORKED ("f12", (environ = NULL, execvp (path, arg)));
        FORKED ("f13", (clearenv (), execlp ("./w", "w", "f13", NULL)));
        arg[1] = "f14";
        errno = posix_spawnp (NULL, path, NULL, NULL, arg, none);
        end (errno == 0, "f14");
        arg[1] = "f15";
        if (vfork () == 0) {
            execve (path, arg, none);
            _exit (1);
        }
        end (1, "f15");
    } else if (strcmp (argv[1], "small") == 0) {
        large = calloc (20002, sizeof *large);
        for (int i = 0; i < 20000; i++)
            if (asprintf (&large[i], "VARIABLE_%d=%d", i, i) < 0)
                return 1;
        threaded ("t1", 64 * 1024);
        large[1500] = NULL;
        threaded ("t2", 16 * 1024);
        large[0] = NULL;
        threaded ("t3", 16 * 1024);
        if (argv[2]) {
            path = argv[2];
            threaded ("t4", 16 * 1024);
        }
    } else if (strcmp (argv[1], "shells") == 0)
        shells ();
    else if (strcmp (argv[1], "threads") == 0) {
        pthread_create (&t, NULL, sleeper, NULL);
        shells ();
    } else if (strcmp (argv[1], "cancel") == 0) {
        void *result;
        pid_t pid = 0;

        clearenv ();
        pthread_create (&t, NULL, canceled, NULL);
        while (access ("pid", F_OK) || pid == 0) {
            FILE *f = fopen ("pid", "r");
            if (f && fscanf (f, "%d", &pid) != 1)
                pid = 0;
            if (f)
                fclose (f);
            usleep (1000);
        }
        pthread_cancel (t);
        pthread_join (t, &result);
        printf ("cancelled %d, gone %d\n", result == PTHREAD_CANCELED,
                kill (pid, 0) < 0 && errno == ESRCH);
        struct sigaction sa;
        sigaction (SIGINT, NULL, &sa);
        printf ("default %d\n", sa.sa_handler == SIG_DFL);
    } else if (strcmp (argv[1], "large") == 0) {
        /* As much as there is room for, to some hundred bytes. */
        size_t low = 1 << 10, high = 8 << 20;
        char *text[41] = {NULL};

        while (high - low > 8) {
            size_t n = (low + high) / 2;

            for (int i = 0; i < 40; i++) {
                text[i] = malloc (n / 40 + 10);
                memset (text[i], 'x', n / 40);
                text[i][1] = '=';
                text[i][n / 40] = 0;
            }
            text[40] = NULL;
            arg[1] = "/dev/null";
            if (fork () == 0) {
                syscall (SYS_execve, "/no/such/file", arg, text);
                int e = errno;
                execve ("/bin/true", arg, text);
                _exit (e ? 99 : 0);
            }
            int status;
            wait (&status);
            if (status == 0)
                low = n;
            else
                high = n;
            for (int i = 0; i < 40; i++)
                free (text[i]);
        }
        printf ("%zu\n", low);
    } else if (strcmp (argv[1], "fill") == 0) {
        size_t n = strtoul (argv[2], NULL, 0) / 40;
        char *text[41] = {NULL};

        for (int i = 0; i < 40; i++) {
            text[i] = malloc (n + 1);
            memset (text[i], 'x', n);
            text[i][1] = '=';
            text[i][n] = 0;
        }
        arg[1] = "g1";
        FORKED ("g1", execve (path, arg, text));
        arg[1] = "g2";
        errno = posix_spawn (NULL, path, NULL, NULL, arg, text);
        end (errno == 0, "g2");
    } else if (strcmp (argv[1], "fillshell") == 0) {
        size_t n = strtoul (argv[2], NULL, 0) / 40;
        char *text[41] = {NULL}, line[8] = "none";
        FILE *f;

        for (int i = 0; i < 40; i++) {
            text[i] = malloc (n + 1);
            memset (text[i], 'x', n);
            text[i][1] = '=';
            text[i][n] = 0;
        }
        environ = text;
        f = popen ("echo said", "r");
        if (f && fgets (line, sizeof line, f))
            pclose (f);
        puts (line);
        wordexp_t words = {0};
        int rc = wordexp ("$(echo said)", &words, 0);
        printf ("%d %zu %s\n", rc, words.we_wordc, rc ? "" : words.we_wordv[0]);
    }
    return 0;
}
