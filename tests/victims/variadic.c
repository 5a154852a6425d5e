/* SPDX-License-Identifier: MIT
 *
 * variadic.c - calls with optional arguments, and lists of arguments
 *
 * variadic DIR: shows the modes of what open and its kin make, and what
 * programs get that are started through exec's lists (this one, as
 * "variadic exec …", which shows its arguments and environment).
 */
#include "config.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/victims/show.h"

enum { MANY = 300 };

static char self[4096];
static const char *volatile nothing; /* so that no compiler knows it is */
static char *no_env[] = {NULL};
static char *one_env[] = {(char *)(intptr_t) "VICTIM=is here", NULL};

static long mode_of (const char *name)
{
    struct stat st;

    return stat (name, &st) < 0 ? -1 : (long)st.st_mode;
}

static void modes (const char *dir)
{
    int d = open (dir, O_RDONLY | O_DIRECTORY), fd;
    struct stat st;

    (void)umask (0);
    SHOW (close (open ("a", O_WRONLY | O_CREAT, 0751)));
    SHOW (mode_of ("a"));
    SHOW (close (open64 ("b", O_WRONLY | O_CREAT | O_EXCL, 04640)));
    SHOW (mode_of ("b"));
    SHOW (open ("b", O_WRONLY | O_CREAT | O_EXCL, 0600));
    SHOW (close (openat (d, "c", O_RDWR | O_CREAT, 0123)));
    SHOW (mode_of ("c"));
    SHOW (close (openat64 (AT_FDCWD, "d", O_RDWR | O_CREAT, 0)));
    SHOW (mode_of ("d"));
    SHOW (close (creat ("e", 0604)));
    SHOW (mode_of ("e"));
    fd = open (dir, O_RDWR | O_TMPFILE, 0417);
    SHOW (fd >= 0 && fstat (fd, &st) == 0 ? (long)st.st_mode : -1);
    (void)close (fd);
    (void)umask (027);
    SHOW (close (open ("f", O_WRONLY | O_CREAT, 0777)));
    SHOW (mode_of ("f"));
    SHOW (mkdir ("g", 0777));
    SHOW (mode_of ("g"));
    SHOW (umask (0777));
    SHOW (close (open ("h", O_WRONLY | O_CREAT, 0777)));
    SHOW (mode_of ("h"));
    SHOW (umask (022));
    SHOW (close (open ("a", O_RDONLY)));
    SHOW (open ("nowhere", O_RDONLY));
    SHOW (open ("a/b", O_RDONLY));
    SHOW (open (".", O_WRONLY));
    (void)close (d);
}

static void mremaps (void)
{
    char *p = mmap (NULL, 8192, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    char *q = mmap (NULL, 8192, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    p[4096] = 'x';
    SHOW (mremap (p, 8192, 8192, MREMAP_MAYMOVE | MREMAP_FIXED, q) == q);
    SHOW (q[4096]);
    SHOW (mremap (q, 8192, 4096, 0) == q);
    SHOW (mremap (q, 4096, 8192, MREMAP_FIXED, p) == MAP_FAILED);
}

static void waits (pid_t pid)
{
    int status = -1;

    (void)waitpid (pid, &status, 0);
    (void)printf ("status %d\n", status);
    (void)fflush (stdout);
}

/* START is an exec; what fails is seen, too. */
#define CHILD(START)                      \
    do {                                  \
        pid_t pid = fork ();              \
        if (pid == 0) {                   \
            int rc = START;               \
            _exit (rc == -1 ? errno : 0); \
        }                                 \
        waits (pid);                      \
    } while (0)

#define END     (char *)NULL
#define TEN     "1", "", " 3", "4\n", "\"5\"", "'6'", "\\7", "8=9", "\xff", "ten"
#define HUNDRED TEN, TEN, TEN, TEN, TEN, TEN, TEN, TEN, TEN, TEN

static void lists (void)
{
    CHILD (execl (self, "variadic", "exec", END));
    CHILD (execl (self, "variadic", "exec", TEN, END));
    CHILD (execl (self, "variadic", "exec", HUNDRED, HUNDRED, HUNDRED, END));
    CHILD (execl (self, nothing, END));
    CHILD (execl ("nowhere", "variadic", TEN, END));
    CHILD (execlp ("variadic", "variadic", "exec", TEN, END));
    CHILD (execlp ("no-such-program", "variadic", TEN, END));
    CHILD (execlp (self, "variadic", "exec", "a", END));
    CHILD (execle (self, "variadic", "exec", END, one_env));
    CHILD (execle (self, "variadic", "exec", TEN, END, one_env));
    CHILD (execle (self, "variadic", "exec", HUNDRED, END, no_env));
    CHILD (execle ("nowhere", "variadic", END, no_env));
}

static void vectors (void)
{
    char *argv[MANY + 1] = {(char *)(intptr_t) "variadic",
                            (char *)(intptr_t) "exec"};
    int fd = open (self, O_RDONLY | O_CLOEXEC);
    int path = open (self, O_PATH | O_CLOEXEC);

    for (int i = 2; i < MANY; i++)
        argv[i] = (char *)(intptr_t) "argument";
    CHILD (execv (self, argv));
    CHILD (execve (self, argv, one_env));
    CHILD (execvp ("variadic", argv));
    CHILD (execvpe ("variadic", argv, one_env));
    CHILD (fexecve (fd, argv, one_env));
    CHILD (execveat (path, "", argv, one_env, AT_EMPTY_PATH));
    CHILD (execveat (AT_FDCWD, self, argv, no_env, 0));
    CHILD (execve (self, argv, NULL));
    CHILD (execve ("/", argv, no_env));
    CHILD (execve ("/etc/passwd", argv, no_env));
    CHILD (fexecve (-1, argv, no_env));
    CHILD (execve (nothing, argv, no_env));
    CHILD (execvp ("", argv));
}

/* What this program was started with, without what a tracer needs itself. */
static int show_start (int argc, char **argv, char **envp)
{
    int n = 0;

    for (int i = 0; i < argc; i++)
        (void)printf ("[%s]", argv[i]);
    for (; *envp; envp++)
        if (strncmp (*envp, "LD_PRELOAD=", 11) != 0 &&
            strncmp (*envp, "DFTRACE", 7) != 0 &&
            strncmp (*envp, "PYTHONPATH=", 11) != 0)
            n++;
    (void)printf (" %d VICTIM=%s\n", n, getenv ("VICTIM"));
    return argc % 100;
}

int main (int argc, char **argv, char **envp)
{
    char bin[5000];
    ssize_t n;

    if (argc == 0 || (argc > 1 && strcmp (argv[1], "exec") == 0))
        return show_start (argc, argv, envp);
    n = readlink ("/proc/self/exe", self, sizeof (self) - 1);
    if (argc != 2 || n < 0 || chdir (argv[1]) < 0)
        return 2;
    (void)snprintf (bin, sizeof (bin), "%.*s",
                    (int)(strrchr (self, '/') - self), self);
    (void)setenv ("PATH", bin, 1);
    modes (argv[1]);
    mremaps ();
    lists ();
    vectors ();
    return 5;
}
