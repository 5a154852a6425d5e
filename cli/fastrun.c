/* SPDX-License-Identifier: MIT
 *
 * fastrun.c - page cache, overlays -> a command with fast I/O
 *
 * In:  files that are read, directories that are written to
 * Out: the command's status and time
 *
 * Data in memory: its files are read before the start. Outputs in memory: each
 * directory becomes an overlay whose upper layer is in a memory file system of
 * this process; the program sees the same paths. Without syncs: an overlay
 * whose upper layer is on the same file system and that is mounted as
 * "volatile", where the kernel leaves out each fsync. The files below never
 * change. Without metadata: a copy of each directory of data, in a memory file
 * system too, is mounted over it, read-only.
 *
 * Caveat: of this node, and of processes that the command starts itself.
 */
#include "config.h"

#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include "lib/util/launch.h"
#include "cli/whatif.h"
#include "lib/base/array.h"
#include "lib/base/clock.h"
#include "lib/util/fsutil.h"
#include "lib/util/xalloc.h"
#include "sweep/run/machine.h"

enum { OPTIONS_MAX = 4096 /* a page, says mount (2) */ };

void fastpaths_add (struct fastpaths *l, const char *path)
{
    l->path = arena_grow (l->path, l->count, sizeof (*l->path));
    l->path[l->count++] = arena_text (path);
}

static int path_is_below (const char *path, const char *dir)
{
    size_t n = strlen (dir);

    return strncmp (path, dir, n) == 0 && (path[n] == '/' || !path[n]);
}

int fastpaths_cover (const struct fastpaths *l, const char *path)
{
    for (size_t i = 0; i < l->count; i++)
        if (path_is_below (path, l->path[i]))
            return 1;
    return 0;
}

/* ---- memory ---- */

/* The number at the start of a file, or after its word `key`; UINT64_MAX: there
 * is none. */
static uint64_t memory_number (const char *path, const char *key)
{
    char text[8192], *at;
    int fd = open (path, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? 0 : read (fd, text, sizeof (text) - 1);
    uint64_t number = UINT64_MAX;

    if (fd >= 0)
        close (fd);
    text[n > 0 ? n : 0] = '\0';
    at = strstr (text, key);
    if (at)
        (void)sscanf (at + strlen (key), " %" SCNu64, &number);
    return number;
}

/* Bytes left below the limits of a cgroup and of those above it. files: its
 * limit and its use. */
static uint64_t memory_of_cgroup (const char *root,
                                  const char *cgroup,
                                  const char *const files[2])
{
    uint64_t least = UINT64_MAX;

    for (int n = (int)strlen (cgroup); n >= 0; n--) {
        uint64_t number[2]; /* the limit, what is used */

        if (cgroup[n] && cgroup[n] != '/')
            continue;
        for (int i = 0; i < 2; i++)
            number[i] = memory_number (
                arena_format ("%s%.*s/%s", root, n, cgroup, files[i]), "");
        if (number[0] == UINT64_MAX || number[1] == UINT64_MAX)
            continue;
        number[0] -= number[1] < number[0] ? number[1] : number[0];
        least = number[0] < least ? number[0] : least;
    }
    return least;
}

uint64_t fastrun_memory (void)
{
    static const char *const v2[] = {"memory.max", "memory.current"};
    static const char *const v1[] = {"memory.limit_in_bytes",
                                     "memory.usage_in_bytes"};
    uint64_t least = memory_number ("/proc/meminfo", "MemAvailable:");
    FILE *f = fopen ("/proc/self/cgroup", "re");
    char line[PATH_MAX];

    least = least == UINT64_MAX ? 0 : least * 1024;
    while (f && fgets (line, sizeof (line), f)) {
        /* number:controllers:path */
        char *rest = line, *number = strsep (&rest, ":\n");
        char *controllers = strsep (&rest, ":\n"), *path = strsep (&rest, "\n");
        uint64_t left = UINT64_MAX;

        if (number && path && !*controllers)
            left = memory_of_cgroup ("/sys/fs/cgroup", path, v2);
        else if (path && strstr (controllers, "memory"))
            left = memory_of_cgroup ("/sys/fs/cgroup/memory", path, v1);
        least = left < least ? left : least;
    }
    if (f)
        fclose (f);
    return least;
}

/* ---- what outputs are written to ---- */

static int mounts_map_user (const char *path, const char *text)
{
    int fd = open (path, O_WRONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? -1 : write (fd, text, strlen (text));
    int err = errno;

    if (fd >= 0)
        close (fd);
    errno = err;
    return n < 0 ? -1 : 0;
}

/* Mounts of our own, under our own name. */
static void mounts_enter (void)
{
    unsigned uid = geteuid (), gid = getegid ();

    if (unshare (CLONE_NEWNS | (uid ? CLONE_NEWUSER : 0)) < 0)
        die ("what-if: no mounts of its own: %m: user namespaces are not "
             "allowed here; data-in-memory needs none");
    if (uid && (mounts_map_user ("/proc/self/setgroups", "deny") < 0 ||
                mounts_map_user ("/proc/self/uid_map",
                                 arena_format ("%u %u 1", uid, uid)) < 0 ||
                mounts_map_user ("/proc/self/gid_map",
                                 arena_format ("%u %u 1", gid, gid)) < 0))
        die ("what-if: user namespace: %m");
    if (mount ("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0)
        die ("what-if: mounts: %m");
}

/* A path as a word of overlay's options. */
static const char *option_word (const char *text)
{
    char *word = arena_alloc (2 * strlen (text) + 1), *to = word;

    for (const char *p = text; *p; p++) {
        if (strchr (":,\\", *p))
            *to++ = '\\';
        *to++ = *p;
    }
    return word;
}

/* An overlay over dir, whose layers are in the directory `layers`. */
static void
mounts_overlay (const char *dir, const char *layers, int is_volatile)
{
    const char *upper = arena_format ("%s/upper", layers);
    const char *work = arena_format ("%s/work", layers);
    const char *options = arena_format (
        "lowerdir=%s,upperdir=%s,workdir=%s%s%s", option_word (dir),
        option_word (upper), option_word (work), geteuid () ? ",userxattr" : "",
        is_volatile ? ",volatile" : "");

    xmake_dirs (upper);
    xmake_dirs (work);
    if (strlen (options) >= OPTIONS_MAX)
        die ("%s: too long a path to be mounted", dir);
    if (mount ("overlay", dir, "overlay", 0, options) < 0)
        die ("%s: no overlay can be mounted there: %m: use data-in-memory "
             "alone, or name other directories (--under)",
             dir);
}

/* dir or the nearest directory above it that is there. */
static char *mounts_nearest (const char *dir)
{
    char *path = arena_text (dir);
    struct stat st;

    while (stat (path, &st) < 0) {
        char *slash = strrchr (path, '/');

        if (!slash)
            break;
        *slash = '\0';
    }
    return path;
}

/* Directories that are there, none below an earlier one. NULL, or one of the
 * run's that is the root directory. */
static const char *mounts_places (const struct fastrun *f, struct fastpaths *to)
{
    for (size_t i = 0; i < f->under.count; i++) {
        const char *dir = mounts_nearest (f->under.path[i]);

        if (dir[0] != '/' || !dir[1])
            return f->under.path[i];
        if (!fastpaths_cover (to, dir))
            fastpaths_add (to, dir);
    }
    return NULL;
}

int fastrun_hides (const struct fastrun *f, const char *path)
{
    struct fastpaths dirs = {NULL, 0};

    return mounts_places (f, &dirs) || fastpaths_cover (&dirs, path);
}

/* A new directory for layers on the file system of dir: in scratch, or beside
 * dir. */
static const char *layers_beside (const struct fastrun *f, const char *dir)
{
    char *layers = arena_format ("%s/layers.XXXXXX", f->scratch);
    struct stat of, there;

    if (stat (dir, &of) == 0 && stat (f->scratch, &there) == 0 &&
        of.st_dev == there.st_dev && !path_is_below (f->scratch, dir)) {
        if (!mkdtemp (layers))
            die ("%s: %m", layers);
        return layers;
    }
    layers = arena_format ("%.*s/.dftrace-what-if.XXXXXX",
                           (int)(strrchr (dir, '/') - dir), dir);
    if (!mkdtemp (layers))
        die ("%s: %m: no-sync needs a directory on the file system of the "
             "outputs, but outside of them: name one with --output",
             layers);
    if (stat (layers, &there) < 0 || of.st_dev != there.st_dev) {
        rmdir (layers);
        die ("%s: is the top of a file system: no-sync needs a directory on "
             "it, but outside of the outputs: name directories below it with "
             "--under",
             dir);
    }
    return layers;
}

struct mounts {
    struct fastpaths dirs;   /* that are overlays */
    struct fastpaths layers; /* of each */
    struct fastpaths staged; /* directories with a copy in memory */
    int memory;              /* their directory, open; 0: they are elsewhere */
};

/* In memory: from now on in the directory whose mount may be hidden later. */
static void mounts_memory (const struct fastrun *f, struct mounts *w)
{
    const char *options = arena_format ("size=%" PRIu64 ",mode=0700", f->room);

    if (mount ("what-if", f->scratch, "tmpfs", MS_NOSUID | MS_NODEV, options) <
            0 ||
        (w->memory = open (f->scratch, O_DIRECTORY | O_CLOEXEC)) < 0 ||
        fchdir (w->memory) < 0)
        die ("%s: memory file system: %m", f->scratch);
}

static void program_setup (void *cookie)
{
}

static int program_status (const char *const *argv)
{
    int status = 0;

    return launch ((char **)argv, program_setup, NULL, &status) < 0 ? -1
                                                                    : status;
}

static void program_copy (const char *from, const char *to, const char *what)
{
    const char *cp[] = {"cp", "-a", "--", from, to, NULL};
    int status = program_status (cp);

    if (status)
        die ("%s: cp failed with status %d", what, status);
}

/* Directories of data, copied to memory, over themselves. */
static void mounts_stage (const struct fastrun *f, struct mounts *w)
{
    for (size_t i = 0; i < f->data.count; i++) {
        const char *dir = f->data.path[i];
        const char *to = arena_format ("data%zu", i);
        struct stat st;

        for (size_t j = 0; j < f->under.count; j++)
            if (path_is_below (f->under.path[j], dir))
                die ("%s: is written to, and below the data %s: no-metadata is "
                     "for data that nobody writes",
                     f->under.path[j], dir);
        if (stat (dir, &st) < 0 || !S_ISDIR (st.st_mode))
            continue;
        if (mkdir (to, 0700) < 0)
            die ("%s: %m", to);
        program_copy (arena_format ("%s/.", dir), to, dir);
        fastpaths_add (&w->staged, dir);
    }
    if (!w->staged.count)
        die ("no-metadata: of which directories? name them with --data: the "
             "command must not write there");
}

static void mounts_over (struct mounts *w)
{
    const unsigned long flags =
        MS_BIND | MS_REMOUNT | MS_RDONLY | MS_NOSUID | MS_NODEV;

    for (size_t i = 0; i < w->staged.count; i++) {
        const char *dir = w->staged.path[i];

        if (mount (arena_format ("data%zu", i), dir, NULL, MS_BIND, NULL) < 0 ||
            mount (NULL, dir, NULL, flags, NULL) < 0)
            die ("%s: its copy in memory cannot be mounted: %m", dir);
    }
}

static void mounts_make (const struct fastrun *f, struct mounts *w)
{
    const int output = f->fast & (FAST_OUTPUT | FAST_SYNC) && f->under.count;
    const char *root;
    char cwd[PATH_MAX];

    if (!output && !(f->fast & FAST_META))
        return;
    if (!getcwd (cwd, sizeof (cwd)))
        die ("what-if: working directory: %m");
    if (output && (root = mounts_places (f, &w->dirs)))
        die ("%s: the root directory cannot be made fast: name the directories "
             "of the outputs (--under)",
             root);
    mounts_enter ();
    if (f->fast & (FAST_OUTPUT | FAST_META))
        mounts_memory (f, w);
    if (f->fast & FAST_META)
        mounts_stage (f, w);
    for (size_t i = 0; i < w->dirs.count; i++)
        fastpaths_add (&w->layers, f->fast & FAST_OUTPUT
                                       ? arena_format ("%zu", i)
                                       : layers_beside (f, w->dirs.path[i]));
    for (size_t i = 0; i < w->dirs.count; i++)
        mounts_overlay (w->dirs.path[i], w->layers.path[i],
                        !(f->fast & FAST_OUTPUT));
    mounts_over (w);
    if (chdir (cwd) < 0)
        die ("%s: %m", cwd);
}

static void mounts_keep (const struct fastrun *f, const struct mounts *w)
{
    char cwd[PATH_MAX];

    if (!f->keep || !w->memory)
        return;
    if (!getcwd (cwd, sizeof (cwd)) || fchdir (w->memory) < 0)
        die ("%s: %m", f->keep);
    for (size_t i = 0; i < w->dirs.count; i++) {
        const char *to = arena_format ("%s%s", f->keep, w->dirs.path[i]);

        xmake_dirs (to);
        program_copy (arena_format ("%s/upper/.", w->layers.path[i]), to, to);
    }
    if (chdir (cwd) < 0)
        die ("%s: %m", cwd);
}

/* The kernel's own directories in the layers at path are such that rm cannot
 * read them. */
static void layers_remove (const char *path)
{
    const char *chmod[] = {"chmod", "-R", "u+rwx", "--", path, NULL};
    const char *rm[] = {"rm", "-rf", "--", path, NULL};

    program_status (chmod);
    program_status (rm);
}

static void mounts_end (const struct fastrun *f, struct mounts *w)
{
    for (size_t i = w->staged.count; i-- > 0;)
        umount2 (w->staged.path[i], MNT_DETACH);
    for (size_t i = w->layers.count; i-- > 0;) {
        umount2 (w->dirs.path[i], MNT_DETACH);
        if (!(f->fast & FAST_OUTPUT))
            layers_remove (w->layers.path[i]);
    }
    if (w->memory) {
        close (w->memory);
        umount2 (f->scratch, MNT_DETACH);
    }
}

/* ---- the bytes of outputs ---- */

enum { DIGEST_SECONDS = 3600 };

/* The sum of the sums of all files. */
static void digest_of (const struct fastpaths *same, char out[SHA256_HEX + 1])
{
    const char **argv = arena_array (same->count + 5, sizeof (*argv));
    const char *const words[] = {"sh", "-c",
                                 "find \"$@\" -type f -exec sha256sum {} + "
                                 "2>/dev/null | LC_ALL=C sort | "
                                 "sha256sum",
                                 "sh"};

    out[0] = '\0';
    if (same->count) {
        memcpy (argv, words, sizeof (words));
        memcpy (argv + ITEMS (words), same->path, same->count * sizeof (*argv));
        capture (argv, DIGEST_SECONDS, out, SHA256_HEX + 1);
    }
}

/* ---- one run ---- */

static void data_before (const struct fastrun *f, struct fastend *end)
{
    struct pagecache_sum sum = {.bytes = 0};

    for (size_t i = 0; i < f->data.count; i++)
        pagecache_tree (f->data.path[i],
                        f->fast & FAST_DATA ? PAGECACHE_FILL
                        : f->cold           ? PAGECACHE_DROP
                                            : PAGECACHE_LOOK,
                        &sum);
    end->data_bytes = sum.bytes;
    end->data_resident = sum.unknown ? -1 : sum.resident;
}

static double fastrun_now (void)
{
    return clock_ns (CLOCK_MONOTONIC) / 1e9;
}

struct here {
    const struct fastrun *f;
    char **argv;
    struct mounts mounts;
    struct fastend *end;
};

static void here_run (void *cookie)
{
    struct here *h = cookie;
    double start;

    mounts_make (h->f, &h->mounts);
    data_before (h->f, h->end);
    start = fastrun_now ();
    if (launch (h->argv, program_setup, NULL, &h->end->status) < 0)
        die ("%s: %m: is it the right name?", h->argv[0]);
    h->end->seconds = fastrun_now () - start;
    digest_of (&h->f->same, h->end->digest);
    mounts_keep (h->f, &h->mounts);
}

int fastrun_here (const struct fastrun *f,
                  char **argv,
                  struct fastend *end,
                  struct errtext *err)
{
    struct here h = {.f = f, .argv = argv, .end = end};
    int rc;

    ZERO (end);
    rc = xalloc_guard (here_run, &h);
    if (rc < 0)
        errf (err, "%s", xalloc_why ());
    mounts_end (f, &h.mounts);
    return rc;
}

struct fastanswer {
    int rc;
    struct fastend end;
    struct errtext err;
};

static _Noreturn void
child_run (const struct fastrun *f, char **argv, const char *output, int to)
{
    static struct fastanswer a;
    int null = open ("/dev/null", O_RDONLY);
    int out = open (output, O_WRONLY | O_CREAT | O_APPEND, 0666);

    prctl (PR_SET_PDEATHSIG, SIGTERM);
    if (null < 0 || out < 0 || dup2 (null, STDIN_FILENO) < 0 ||
        dup2 (out, STDOUT_FILENO) < 0 || dup2 (out, STDERR_FILENO) < 0)
        a.rc = errf (&a.err, "%s: %s", output, strerror (errno));
    else {
        close (null);
        close (out);
        a.rc = fastrun_here (f, argv, &a.end, &a.err);
    }
    _exit (write (to, &a, sizeof (a)) != sizeof (a));
}

/* Lines of an output that have a text, of what has been written since. */
struct outputlines {
    FILE *in;
    const char *text;
    int count;
    int first; /* lines when some were seen first, at first_at */
    double first_at, last_at;
};

static void outputlines_read (struct outputlines *o)
{
    char *line = NULL;
    size_t room = 0;
    ssize_t n;
    off_t at = ftello (o->in);
    int before = o->count;

    clearerr (o->in);
    while ((n = getline (&line, &room, o->in)) > 0 && line[n - 1] == '\n') {
        o->count += strstr (line, o->text) != NULL;
        at = ftello (o->in);
    }
    fseeko (o->in, at, SEEK_SET); /* a line that is not whole yet */
    free (line);
    if (o->count > before)
        o->last_at = fastrun_now ();
    if (o->count && !before) {
        o->first = o->count;
        o->first_at = o->last_at;
    }
}

enum { LOOK_MS = 5 /* at the output; what a stop is late by, at most */ };

/* Wait for the answer of a run; meanwhile look whether it is to be stopped. */
static void child_watch (const struct fastrun *f,
                         const char *output,
                         off_t from,
                         int answer,
                         pid_t pid,
                         struct fastend *end)
{
    struct outputlines o = {.in = fopen (output, "re"), .text = f->stop_at};
    struct pollfd p = {.fd = answer, .events = POLLIN};
    const double start = fastrun_now ();

    if (o.in)
        fseeko (o.in, from, SEEK_SET);
    while (o.in && !end->stopped && poll (&p, 1, LOOK_MS) == 0) {
        outputlines_read (&o);
        if (o.count >= f->stop_lines ||
            (f->stop_after && fastrun_now () - start >= f->stop_after))
            end->stopped = kill (pid, SIGTERM) == 0;
    }
    if (o.in)
        fclose (o.in);
    if (o.count > o.first)
        end->line_seconds = (o.last_at - o.first_at) / (o.count - o.first);
}

int fastrun_child (const struct fastrun *f,
                   char **argv,
                   const char *output,
                   struct fastend *end,
                   struct errtext *err)
{
    static struct fastanswer a;
    struct stat before = {.st_size = 0};
    struct fastend seen = {.line_seconds = NAN};
    int answer[2];
    ssize_t n;
    pid_t pid;

    if (pipe2 (answer, O_CLOEXEC) < 0)
        return errf (err, "what-if: pipe: %s", strerror (errno));
    if (stat (output, &before) < 0 && f->stop_at)
        close (open (output, O_WRONLY | O_CREAT | O_CLOEXEC, 0666));
    pid = fork ();
    if (pid == 0)
        child_run (f, argv, output, answer[1]);
    close (answer[1]);
    if (pid > 0 && f->stop_at)
        child_watch (f, output, before.st_size, answer[0], pid, &seen);
    do
        n = read (answer[0], &a, sizeof (a));
    while (n < 0 && errno == EINTR);
    close (answer[0]);
    while (pid > 0 && waitpid (pid, NULL, 0) < 0 && errno == EINTR)
        ;
    if (pid < 0 || n != sizeof (a))
        return errf (err, "what-if: a run was lost: see %s", output);
    *end = a.end;
    end->stopped = seen.stopped;
    end->line_seconds = seen.line_seconds;
    if (err)
        *err = a.err;
    return a.rc;
}
