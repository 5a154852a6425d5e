/* SPDX-License-Identifier: MIT
 *
 * moves.c - bytes of every kind that a trace records or leaves out
 *
 * moves DIR: as many of each as t1130-lines.t expects; files are made in DIR.
 * moves spin DIR: writes 7000 bytes to a file, then waits to be killed.
 * moves threads DIR: four threads write 25000 bytes each to /dev/null.
 * moves crowd DIR PROGRAM…: threads write 201000 bytes to /dev/null; eight end
 *     and one does not; 700 bytes to a file; PROGRAM runs twice in between.
 * moves secret DIR: the kernel does not let it read /proc/self/io.
 * moves exec DIR PROGRAM…: writes 700 bytes to /dev/null, then becomes PROGRAM.
 * moves left DIR N: 3 + 6 * N calls on a file that is left out, of which N read
 *     10 bytes each; 30 ms each in a read of a pipe and in four more calls on
 *     what looks like such a file; an open of a file that is recorded.
 * moves mapped DIR: streams that libc maps: 1000 of 6000 bytes of a file that
 * is recorded, and of one that is left out; half of it behind a seek. moves
 * daemon DIR: a grandchild, which nobody waits for, writes 900 bytes.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { ROOM = 10000, THREADS = 4, TIMES = 250, FULL = 100 };

static char buf[ROOM];

static void want (int64_t got, int64_t n)
{
    if (got == n)
        return;
    (void)fprintf (stderr, "moves: %lld, not %lld bytes\n", (long long)got,
                   (long long)n);
    exit (1);
}

static int need (int fd)
{
    if (fd >= 0)
        return fd;
    perror ("moves");
    exit (1);
}

static int file_in (const char *dir, const char *name)
{
    char path[4096];

    (void)snprintf (path, sizeof (path), "%s/%s", dir, name);
    return need (open (path, O_RDWR | O_CREAT | O_TRUNC, 0600));
}

static void read_some (const char *path, size_t n)
{
    int fd = need (open (path, O_RDONLY));

    want (read (fd, buf, n), (int64_t)n);
    (void)close (fd);
}

/* --- left out ---------------------------------------------------------- */

static void *fill (void *fd)
{
    for (int i = 0; i < TIMES; i++)
        want (write (*(int *)fd, buf, FULL), FULL);
    return NULL;
}

static void devices (void)
{
    int null = need (open ("/dev/null", O_WRONLY));

    want (write (null, buf, 5000), 5000);
    (void)close (null);
    read_some ("/dev/zero", 4000);
}

static void threads (void)
{
    int null = need (open ("/dev/null", O_WRONLY));
    pthread_t thread[THREADS];

    for (int i = 0; i < THREADS; i++)
        want (pthread_create (&thread[i], NULL, fill, &null), 0);
    for (int i = 0; i < THREADS; i++)
        want (pthread_join (thread[i], NULL), 0);
    (void)close (null);
}

/* Does not end. */
static void *stay (void *p)
{
    int null = need (open ("/dev/null", O_WRONLY)), *ready = p;
    char c;

    want (write (null, buf, 1000), 1000);
    want (write (ready[1], "", 1), 1);
    while (read (ready[2], &c, 1) >= 0)
        (void)pause ();
    return NULL;
}

static void run (char **argv)
{
    int status;
    pid_t pid = fork ();

    if (pid == 0) {
        (void)execv (argv[0], argv);
        _exit (127);
    }
    want (waitpid (pid, &status, 0), pid);
    want (status, 0);
}

static void crowd (const char *dir, char **argv)
{
    int p[4];
    char c;
    pthread_t thread;

    want (pipe (p), 0);
    want (pipe (p + 2), 0);
    want (pthread_create (&thread, NULL, stay, p), 0);
    want (read (p[0], &c, 1), 1);
    want (write (file_in (dir, "one"), buf, 700), 700);
    threads ();
    run (argv);
    threads ();
    run (argv);
}

static void pipes (void)
{
    struct iovec v[2] = {{buf, 100}, {buf, 50}};
    int p[2], status;
    char *line = NULL;
    size_t room = 0;
    FILE *in, *out;

    want (pipe (p), 0);
    want (write (p[1], buf, 1000), 1000);
    want (writev (p[1], v, 2), 150);
    want (read (p[0], buf, 600), 600);
    want (read (p[0], buf, ROOM), 550);
    if (fork () == 0) {
        want (write (p[1], buf, 333), 333);
        _exit (0);
    }
    want (wait (&status) > 0 && status == 0, 1);
    want (read (p[0], buf, ROOM), 333);
    out = fdopen (p[1], "w");
    in = fdopen (p[0], "r");
    if (!out || !in)
        exit (1);
    want (fprintf (out, "%.*s\n", 39,
                   "................................"
                   "................"),
          40);
    want (fputs ("12345\n", out) >= 0, 1);
    want (fclose (out), 0);
    want (getline (&line, &room, in), 40);
    want (fclose (in), 0);
    free (line);
}

static void others (void)
{
    int s[2], memory = need (memfd_create ("moves", 0));

    want (socketpair (AF_UNIX, SOCK_STREAM, 0, s), 0);
    want (write (s[0], buf, 2000), 2000);
    want (send (s[0], buf, 50, 0), 50); /* the kernel counts no send */
    want (read (s[1], buf, 1500), 1500);
    want (write (memory, buf, 3000), 3000);
    read_some ("/proc/sys/kernel/ostype", 6);
    read_some ("/bin/sh", 100);
}

/* --- recorded ---------------------------------------------------------- */

static void streams (const char *dir)
{
    FILE *f = fdopen (file_in (dir, "stream"), "w+");

    if (!f)
        exit (1);
    want ((int64_t)fwrite (buf, 1, 8000, f), 8000);
    rewind (f);
    want ((int64_t)fread (buf, 1, 10, f), 10);
    want (fclose (f), 0);
}

static void files (const char *dir)
{
    int f = file_in (dir, "one"), g = file_in (dir, "two");
    off_t at = 0;

    want (write (f, buf, 7000), 7000);
    want (pwrite (f, buf, 500, 100), 500);
    want (lseek (f, 0, SEEK_SET), 0);
    want (read (f, buf, 3000), 3000);
    want (pread (f, buf, 200, 0), 200);
    want (sendfile (g, f, &at, 555), 555);
    want (dprintf (g, "%s", "dprintf"), 7);
}

static void daemon_of (const char *dir)
{
    int null = need (open ("/dev/null", O_WRONLY)), p[2];

    want (pipe (p), 0);
    if (fork () == 0) {
        if (fork () == 0) {
            char c;

            (void)close (p[1]);
            want (read (p[0], &c, 1), 0); /* the first one has ended */
            want (write (null, buf, 900), 900);
            (void)close (file_in (dir, "daemon.done"));
            exit (0);
        }
        _exit (0);
    }
    (void)close (p[0]);
    want (wait (NULL) > 0, 1);
}

static int parent_sleeps (void)
{
    char path[64], text[256] = "";
    const char *state;
    FILE *f;

    (void)snprintf (path, sizeof (path), "/proc/%d/stat", (int)getppid ());
    if (!(f = fopen (path, "r")))
        return 1;
    (void)fgets (text, sizeof (text), f);
    (void)fclose (f);
    state = strrchr (text, ')');
    return !state || state[1] != ' ' || state[2] == 'S';
}

/* So long, from when the parent waits. */
static void let_wait (void)
{
    const struct timespec short_time = {0, 1000000}, pause = {0, 30000000};

    while (!parent_sleeps ())
        (void)nanosleep (&short_time, NULL);
    (void)nanosleep (&pause, NULL);
}

/* 30 ms in a read of a pipe, in an open and in a read of what looks like a file
 * that is left out. */
static void wait_for_child (const char *fifo)
{
    int fd[2], status;
    pid_t child;

    (void)unlink (fifo);
    want (mkfifo (fifo, 0600), 0);
    if (pipe (fd) < 0 || (child = fork ()) < 0)
        exit (1);
    if (child == 0) {
        let_wait ();
        want (write (fd[1], buf, 1), 1);
        let_wait ();
        fd[0] = need (open (fifo, O_WRONLY));
        let_wait ();
        want (write (fd[0], buf, 1), 1);
        _exit (0);
    }
    want (read (fd[0], buf, 1), 1);
    fd[0] = need (open (fifo, O_RDONLY));
    want (read (fd[0], buf, 1), 1);
    (void)waitpid (child, &status, 0);
}

static void left (const char *dir, int n)
{
    char path[4096], none[4096];
    struct stat st;
    int fd;

    fd = file_in (dir, "recorded");
    (void)close (fd);
    (void)snprintf (path, sizeof (path), "%s/left.pyc", dir);
    (void)snprintf (none, sizeof (none), "%s/none.pyc", dir);
    fd = file_in (dir, "left.pyc");
    want (write (fd, buf, 10), 10);
    (void)close (fd);
    for (int i = 0; i < n; i++) {
        fd = need (open (path, O_RDONLY));
        want (fstat (fd, &st), 0);
        want (read (fd, buf, 10), 10);
        (void)close (fd);
        want (stat (path, &st), 0);
        want (access (none, R_OK), -1);
    }
    (void)snprintf (path, sizeof (path), "%s/slow.pyc", dir);
    wait_for_child (path);
}

static void read_mapped (const char *dir, const char *name)
{
    char path[4096];
    FILE *f;

    (void)snprintf (path, sizeof (path), "%s/%s", dir, name);
    if (!(f = fopen (path, "w")))
        exit (1);
    want ((int64_t)fwrite (buf, 1, 6000, f), 6000);
    (void)fclose (f);
    if (!(f = fopen (path, "rm")))
        exit (1);
    want ((int64_t)fread (buf, 1, 500, f), 500);
    (void)fseek (f, 5000, SEEK_SET);
    want ((int64_t)fread (buf, 1, 500, f), 500);
    (void)fclose (f);
}

int main (int argc, char **argv)
{
    const char *how = argc > 2 ? argv[1] : "all", *dir = argv[argc > 2 ? 2 : 1];

    if (argc < 2)
        return 2;
    if (strcmp (how, "daemon") == 0) {
        daemon_of (dir);
        return 0;
    }
    if (strcmp (how, "spin") == 0) {
        want (write (file_in (dir, "one"), buf, 7000), 7000);
        want (dprintf (file_in (dir, "ready"), "%d\n", (int)getpid ()) > 0, 1);
        for (;;)
            (void)pause ();
    }
    if (strcmp (how, "threads") == 0) {
        threads ();
        return 0;
    }
    if (strcmp (how, "crowd") == 0) {
        crowd (dir, argv + 3);
        return 0;
    }
    if (strcmp (how, "exec") == 0) {
        int null = need (open ("/dev/null", O_WRONLY));

        want (write (null, buf, 700), 700);
        (void)execv (argv[3], argv + 3);
        return 127;
    }
    if (strcmp (how, "mapped") == 0) {
        read_mapped (argv[2], "mapped");
        read_mapped (argv[2], "mapped.pyc");
        return 0;
    }
    if (strcmp (how, "left") == 0) {
        left (argv[2], argc > 3 ? atoi (argv[3]) : 1);
        return 0;
    }
    if (strcmp (how, "secret") == 0)
        want (prctl (PR_SET_DUMPABLE, 0, 0, 0, 0), 0);
    devices ();
    pipes ();
    others ();
    files (dir);
    streams (dir);
    return 0;
}
