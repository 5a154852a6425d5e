/* SPDX-License-Identifier: MIT
 *
 * counted.c - the kernel's count of this process, sums -> a line
 *
 * Caveat: in a child of vfork nothing of this is called. A process that has
 *         nothing to say (a child of fork that did nothing) says nothing, and
 *         asks nothing.
 */
#include "config.h"

#include <dirent.h>

#include "lib/base/clock.h"
#include "lib/base/highfd.h"
#include "lib/base/sys.h"
#include "lib/settings/nodename.h"
#include "preload/counted.h"
#include "preload/files.h"
#include "preload/libcio.h"
#include "preload/record/procinfo.h"
#include "preload/record/recorder.h"
#include "preload/record/shardfile.h"
#include "preload/record/shardlive.h"
#include "preload/record/shardpath.h"
#include "preload/waits.h"

enum { SHORT_NS = 2000000 };

static SYS_STATE struct {
    const struct settings *settings; /* NULL: there are no lines */
    int asks;                        /* the kernel, for its count */
    int image; /* a program began in this process, not in a parent */
    struct kernelio all, own; /* then */
    struct sys_moved moved;   /* then */
    struct kernelio ended;    /* what its ended threads had; once it waits */
    uint32_t ends;            /* of threads */
    uint32_t waits;           /* it has waited for a child */
} counted;

/* This thread's part of counted.ended. */
static _Thread_local struct kernelio counted_this
    __attribute__ ((tls_model ("initial-exec")));

/* --- the line --------------------------------------------------------------
 */

static void put_head (struct procline *l, const char *how)
{
    procline_begin (l, "traced", (uint64_t)recorder_pid ());
    procline_number (l, (uint64_t)sys_call (SYS_getppid));
    procline_number (l, (uint64_t)sys_call (SYS_getsid, 0));
    procline_number (l, recorder_start_real ());
    procline_number (l, clock_ns (CLOCK_REALTIME));
    procline_word (l, how);
}

static uint64_t counted_ns (const struct timeval *t)
{
    return (uint64_t)t->tv_sec * CLOCK_NS_PER_S + (uint64_t)t->tv_usec * 1000;
}

static void put_sums (struct procline *l)
{
    static const char words[LEFTOUTS][12] = {
#define LEFTOUT(WORD, TITLE, HELP) #WORD,
#include "lib/format/leftout.def"
#undef LEFTOUT
    };

    for (int i = 0; i < LEFTOUTS; i++)
        if (sums[i].read || sums[i].written || sums[i].calls)
            procline_sums (l, words[i],
                           (uint64_t[]){sums[i].read, sums[i].written,
                                        sums[i].calls, sums[i].ns});
    if (sums_aio.read || sums_aio.written)
        procline_pair (l, "aio", sums_aio.read, sums_aio.written);
}

/* Processors of this process. */
struct counted_times {
    uint64_t cpu[2];  /* ns of all its threads, in user and kernel mode */
    uint64_t main[3]; /* waits_main */
    int has_cpu, has_runq;
};

/* A short process that computed for as long as it was there has not waited for
 * a CPU; but it may have while its program was loaded, which is only in what it
 * computed. */
static int counted_may_have_waited (const struct counted_times *t)
{
    uint64_t age = clock_ns (CLOCK_REALTIME) - recorder_start_real ();

    return !t->has_cpu || age > SHORT_NS || age > t->cpu[0] + t->cpu[1];
}

static void counted_look (struct counted_times *t)
{
    struct rusage u;

    *t = (struct counted_times){.has_cpu = 0};
    if (!waits_wanted)
        return;
    if (sys_call (SYS_getrusage, RUSAGE_SELF, &u) == 0) {
        t->has_cpu = 1;
        t->cpu[0] = counted_ns (&u.ru_utime);
        t->cpu[1] = counted_ns (&u.ru_stime);
    }
    t->has_runq = counted_may_have_waited (t) && waits_main (t->main) == 0;
}

static void put_times (struct procline *l, const struct counted_times *t)
{
    if (t->has_cpu)
        procline_pair (l, "cpu", t->cpu[0], t->cpu[1]);
    if (t->has_runq)
        procline_pair (l, "runq", t->main[1], t->main[2]);
    if (sums_gpus)
        procline_pair (l, "gpu", sums_gpus, 0);
}

/* The bytes of the line itself are added by who reads it. */
static void put_count (struct procline *l,
                       const struct kernelio *all,
                       const struct kernelio *own,
                       uint64_t late)
{
    procline_pair (l, "all", all->read, all->written + late);
    if (own->known)
        procline_pair (l, "own", own->read, own->written + late);
    if (counted.image) {
        procline_pair (l, "start", counted.all.read, counted.all.written);
        if (counted.own.known)
            procline_pair (l, "startown", counted.own.read,
                           counted.own.written);
    }
    put_sums (l);
}

/* A path for which there is no room is left out. */
static void put_quiet (struct procline *l)
{
    size_t n;
    const char *exe = procinfo_path (&n);

    procline_word (l, "quiet=");
    procline_digits (l, sums_files);
    if (!n || l->used + sizeof (" exe=") + 3 * n >= l->room)
        return;
    procline_word (l, "exe=");
    procline_text (l, exe, n);
}

/* --- a process -------------------------------------------------------------
 */

void counted_start (const struct settings *s)
{
    if (s->job_dir[0] != '/')
        return;
    counted.settings = s;
    if (!s->kernel_count || !(s->layers & LAYER_POSIX))
        return;
    sys_moved.pid = recorder_pid ();
    kernelio_take (&counted.all, &counted.own, &counted.ended);
    counted.image = counted.asks = counted.all.known;
    if (counted.image)
        libcio_start ();
    counted.moved = sys_moved;
}

void counted_forked (void)
{
    counted.image = 0;
    sys_moved = (struct sys_moved){.pid = sys_moved.pid ? recorder_pid () : 0};
    counted.moved = sys_moved;
    counted.ended = counted_this = (struct kernelio){0};
    counted.ends = counted.waits = 0;
    sums_forked ();
    places_forked ();
}

/* --- threads and children ----------------------------------------------------
 */

void counted_waits (void)
{
    struct kernelio ended = {.known = 1};

    if (!counted.asks || counted.waits ||
        __atomic_exchange_n (&counted.waits, 1, __ATOMIC_RELAXED))
        return;
    if (__atomic_load_n (&counted.ends, __ATOMIC_RELAXED))
        kernelio_ended (&ended);
    (void)__atomic_fetch_add (&counted.ended.read, ended.read,
                              __ATOMIC_RELAXED);
    (void)__atomic_fetch_add (&counted.ended.written, ended.written,
                              __ATOMIC_RELAXED);
    counted.ended.known = ended.known;
}

void counted_thread_ended (void)
{
    struct kernelio io;

    (void)__atomic_fetch_add (&counted.ends, 1, __ATOMIC_RELAXED);
    if (!counted.asks || !counted.waits)
        return;
    kernelio_thread (&io);
    if (!io.known)
        counted.ended.known = 0;
    (void)__atomic_fetch_add (&counted.ended.read, io.read - counted_this.read,
                              __ATOMIC_RELAXED);
    (void)__atomic_fetch_add (&counted.ended.written,
                              io.written - counted_this.written,
                              __ATOMIC_RELAXED);
    counted_this = io;
}

/* Directories are not made: nothing was recorded yet, or the job directory has
 * been removed. Where a stage is not there, the job directory is. */
struct counted_line {
    const char *how;
    uint64_t late;
    int asks, quiet;
};

/* Only where there is a file for the line: to look takes more than to write. */
static void counted_fill (struct procline *l, void *cookie)
{
    const struct counted_line *c = cookie;
    struct kernelio all = {0}, own = {0};
    struct counted_times times;

    counted_look (&times); /* its reads are in the kernel's count, too */
    if (c->asks)
        kernelio_take (&all, &own, &counted.ended);
    if (!all.known && !c->quiet)
        return;
    put_head (l, c->how);
    put_times (l, &times);
    if (all.known) {
        libcio_loaded ();
        put_count (l, &all, &own, c->late);
    }
    procline_pair (l, "tracer", sys_moved.read - counted.moved.read,
                   sys_moved.written - counted.moved.written);
    if (c->quiet)
        put_quiet (l);
    places_put (l);
    procline_end (l);
}

static __attribute__ ((noinline)) void
counted_write (const char *how, uint64_t late, int asks, int quiet)
{
    const char *job_dir = counted.settings->job_dir;
    const char *dir = shardplace_dir (counted.settings);
    struct counted_line c = {how, late, asks, quiet};
    char text[PROCLINE_TRACED_MAX];
    struct procline l = {text, sizeof (text), 0};

    if (appendline_made (dir, &l, counted_fill, &c) < 0 && dir != job_dir)
        (void)appendline_made (job_dir, &l, counted_fill, &c);
}

static int counted_has_something (void)
{
    return counted.asks &&
           (counted.image || recorder_has_file () || sums_any ());
}

int counted_quiet (void)
{
    const struct shard_process *p = shardlive ();

    return !recorder_has_file () && !recorder_left && !p->lost_space &&
           !p->lost_busy && !p->untraced;
}

/* The counts of a child of fork may be those of an ancestor. */
int counted_lost (void)
{
    const struct shard_process *p = shardlive ();

    return !recorder_has_file () && p->lost_space && !p->pid;
}

void counted_exit (uint64_t late, int quiet)
{
    int saved_errno = errno, asks = counted_has_something ();

    if (counted.settings && (asks || quiet))
        counted_write ("exit", late, asks, quiet);
    errno = saved_errno;
}

void counted_exec (void)
{
    int saved_errno = errno;

    if (counted_has_something ())
        counted_write ("exec", 0, 1, 0);
    errno = saved_errno;
}

/* ---- bytes of calls that are not recorded -> sums by reason ---- */

SYS_STATE struct sums sums[LEFTOUTS];
SYS_NEAR unsigned sums_gpus;
SYS_STATE struct sums sums_aio;
SYS_STATE unsigned sums_files;

void sums_dropped (const struct record *r)
{
    const struct call_info *info = &call_table[r->call];
    int sides = CALL_SIDES (r->call, info->category, info->class);

    if (sides & CALL_READS)
        sums_add_read (LEFTOUT_call, r->ret);
    if (sides & CALL_WRITES)
        sums_add_written (LEFTOUT_call, r->ret);
}

int sums_stream (struct file f, const struct record *r, int64_t in, int64_t out)
{
    int ignored = f.state == FILE_IGNORED;
    enum leftout why = ignored ? (enum leftout)f.class : LEFTOUT_call;

    if (!ignored && !filter_drops (r))
        return 0;
    sums_add_read (why, in);
    sums_add_written (why, out);
    return ignored;
}

void sums_forked (void)
{
    memset (sums, 0, sizeof (sums));
    memset (&sums_aio, 0, sizeof (sums_aio));
    sums_files = 0;
    if (sums_gpus)
        sums_gpus = 0;
}

int sums_any (void)
{
    for (int i = 0; i < LEFTOUTS; i++)
        if (sums[i].read || sums[i].written)
            return 1;
    return sums_aio.read || sums_aio.written;
}

/* ---- /proc/self/io -> two numbers ---- */

enum {
    ROOM = 512,
    TID_MAX = 24,       /* bytes of a number's digits */
    THREADS_MAX = 4096, /* of more nothing is known */
    NAMES = 2048        /* bytes of names at once */
};

/* The number behind a name at the start of a line; -1: there is none. By hand:
 * a function of libc that nobody else calls is one or two page faults. */
static int kernelio_number (const char *text, const char *name, uint64_t *value)
{
    const char *at = text, *of = name;

    for (; *of; at++)
        if (*at == *of)
            of++;
        else { /* the next line */
            while (*at && *at != '\n')
                at++;
            if (!*at)
                return -1;
            of = name;
        }
    if (*at < '0' || *at > '9')
        return -1;
    for (*value = 0; *at >= '0' && *at <= '9'; at++)
        *value = *value * 10 + (uint64_t)(*at - '0');
    return 0;
}

/* Returns the bytes that were read for that. */
static uint64_t kernelio_read (const char *path, struct kernelio *io)
{
    char text[ROOM];
    int fd = highfd_brief (AT_FDCWD, path, O_RDONLY, 0);
    ssize_t n = fd < 0 ? -1 : sys_call (SYS_read, fd, text, sizeof (text) - 1);

    if (fd >= 0)
        (void)sys_close (fd);
    (void)sys_count_own (&sys_moved.read, n);
    io->known = 0;
    if (n <= 0)
        return 0;
    text[n] = '\0';
    io->known = kernelio_number (text, "rchar: ", &io->read) == 0 &&
                kernelio_number (text, "wchar: ", &io->written) == 0;
    return (uint64_t)n;
}

/* Children that never ran have no page fault either. */
static int kernelio_has_reaped (void)
{
    struct rusage u;

    return sys_call (SYS_getrusage, RUSAGE_CHILDREN, &u) < 0 || u.ru_minflt ||
           u.ru_majflt || u.ru_maxrss;
}

static uint64_t kernelio_this_thread (struct kernelio *io)
{
    uint64_t n = kernelio_read ("/proc/thread-self/io", io);

    io->read += n;
    return n;
}

uint64_t kernelio_now (struct kernelio *io)
{
    uint64_t n;

    if (!highfd_one_thread ())
        return kernelio_this_thread (io);
    n = kernelio_read ("/proc/self/io", io);
    io->read += n;
    return n;
}

/* --- all threads -----------------------------------------------------------
 */

struct kernelio_threads {
    struct kernelio sum;
    uint64_t asked; /* bytes that were read for that */
    pid_t self;
    int count;
};

/* A thread that has just ended is among the ended ones. */
static void kernelio_add_thread (struct kernelio_threads *t, const char *tid)
{
    static const char head[] = "/proc/self/task/", tail[] = "/io";
    char path[sizeof (head) + TID_MAX + sizeof (tail)];
    struct kernelio io = {0};
    size_t n = strnlen (tid, TID_MAX);
    pid_t number = 0;

    for (const char *p = tid; *p >= '0' && *p <= '9'; p++)
        number = number * 10 + (*p - '0');
    if (number == 0 || number == t->self)
        return;
    memcpy (path, head, sizeof (head) - 1);
    memcpy (path + sizeof (head) - 1, tid, n);
    memcpy (path + sizeof (head) - 1 + n, tail, sizeof (tail));
    t->asked += kernelio_read (path, &io);
    t->sum.known &= io.known || errno == ENOENT || errno == ESRCH;
    t->sum.known &= ++t->count < THREADS_MAX;
    t->sum.read += io.read;
    t->sum.written += io.written;
}

/* This thread is the last one, as it is the one that reads the files of the
 * others. */
static __attribute__ ((noinline)) void
kernelio_threads (struct kernelio_threads *t)
{
    enum { FLAGS = O_RDONLY | O_DIRECTORY };
    char names[NAMES] __attribute__ ((aligned (8)));
    int dir = highfd_brief (AT_FDCWD, "/proc/self/task", FLAGS, 0);
    struct kernelio own;
    long n = -1;

    t->self = (pid_t)sys_call (SYS_gettid);
    t->sum.known = dir >= 0;
    while (t->sum.known &&
           (n = sys_call (SYS_getdents64, dir, names, sizeof (names))) > 0)
        for (long at = 0; at < n;) {
            const struct dirent64 *d = (const void *)(names + at);

            kernelio_add_thread (t, d->d_name);
            at += d->d_reclen;
        }
    if (dir >= 0)
        (void)sys_close (dir);
    t->asked += kernelio_this_thread (&own);
    t->sum.known &= n == 0 && own.known;
    t->sum.read += own.read;
    t->sum.written += own.written;
}

void kernelio_thread (struct kernelio *io)
{
    int saved_errno = errno;

    (void)kernelio_this_thread (io);
    errno = saved_errno;
}

void kernelio_ended (struct kernelio *ended)
{
    int saved_errno = errno;
    struct kernelio_threads t = {0};

    ended->known = 0;
    if (!kernelio_has_reaped ()) {
        uint64_t n = kernelio_read ("/proc/self/io", ended);

        kernelio_threads (&t);
        ended->known &= t.sum.known;
        ended->read += n + t.asked - t.sum.read;
        ended->written -= t.sum.written;
    }
    errno = saved_errno;
}

void kernelio_take (struct kernelio *all,
                    struct kernelio *own,
                    const struct kernelio *ended)
{
    int saved_errno = errno;
    struct kernelio_threads t = {0};

    t.asked = kernelio_read ("/proc/self/io", all);
    all->read += t.asked;
    t.asked = 0;
    *own = *all;
    if (all->known && kernelio_has_reaped ()) {
        own->known = 0;
        if (highfd_one_thread ())
            t.asked = kernelio_this_thread (own);
        else if (ended->known) {
            kernelio_threads (&t);
            *own = t.sum;
            own->read += ended->read;
            own->written += ended->written;
        }
        all->read += t.asked;
    }
    errno = saved_errno;
}

/* ---- a line of this process -> DIR/shards/processes.HOST ---- */

enum {
    FLAGS = O_WRONLY | O_APPEND | O_NOFOLLOW | O_NONBLOCK,
    PART_BYTES = 8,
    NAME_MAX_BYTES = sizeof (PROCLINE_FILE) + NODENAME_MAX + PART_BYTES,
    DIR_SHORT = 512 /* bytes of a path that the stack has room for */
};

struct appendline_work {
    struct procline *l;
    unsigned how;
    int limited;             /* by RLIMIT_FSIZE: so many files */
    appendline_fill_f *fill; /* NULL: it is filled */
    void *cookie;
};

static const char shards_name[] = "/shards";

/* DIR/shards at path; returns its length. */
static size_t appendline_place (char *path, const char *dir, size_t n)
{
    memcpy (path, dir, n);
    memcpy (path + n, shards_name, sizeof (shards_name));
    return n + sizeof (shards_name) - 1;
}

static void appendline_part (char *to, int more)
{
    struct procline number = {to, PART_BYTES, 1};

    *to = PROCLINE_PART;
    procline_digits (&number, (uint64_t)sys_getpid () % PROCLINE_PARTS);
    to[number.used] = '\0';
    if (more)
        memcpy (to, PROCLINE_MORE, sizeof (PROCLINE_MORE));
}

/* The node is the one in the shard, also where the program has changed the
 * variable since. */
static void appendline_name (char name[NAME_MAX_BYTES],
                             const struct appendline_work *w)
{
    const char *host = recorder_identity ()->host;
    const size_t n = sizeof (PROCLINE_FILE) - 1;

    memcpy (name, PROCLINE_FILE, n);
    if (*host)
        memcpy (name + n, host, strnlen (host, NODENAME_MAX - 1) + 1);
    else
        (void)nodename_find (settings_environ, NULL, name + n);
    if (w->limited)
        appendline_part (name + strnlen (name, NAME_MAX_BYTES), w->limited > 1);
}

/* A write that fails is not repeated: a part of the line may be there. One
 * beyond RLIMIT_FSIZE would end the program by a signal. */
static int
appendline_write (int fd, const struct stat *st, struct appendline_work *w)
{
    off_t full =
        w->how & APPENDLINE_RARE ? PROCLINE_FILE_MAX : PROCLINE_FILE_TRACED_MAX;

    if (!S_ISREG (st->st_mode))
        return -1;
    if (st->st_size >= full ||
        ((w->how & APPENDLINE_DOUBTFUL) && filespace_keeps (fd)))
        return 0;
    if (w->fill)
        w->fill (w->l, w->cookie);
    w->fill = NULL;
    if (!filespace_allowed ((uint64_t)st->st_size + w->l->used, 0))
        w->limited++;
    else if (w->l->used)
        (void)!sys_write (fd, w->l->text, w->l->used);
    return 0;
}

/* Most often the file is there. One of ours that has no other name may have
 * what we write, wherever it is. */
static int appendline_there (const char *dir, struct appendline_work *w)
{
    char path[DIR_SHORT + sizeof (shards_name) + NAME_MAX_BYTES];
    size_t n = strnlen (dir, DIR_SHORT);
    struct stat st;
    int fd, rc = -1;

    if (n == DIR_SHORT)
        return -1;
    n = appendline_place (path, dir, n);
    path[n] = '/';
    appendline_name (path + n + 1, w);
    fd = highfd_brief (AT_FDCWD, path, FLAGS, 0);
    if (fd < 0)
        return -1;
    if (sys_fstat (fd, &st) == 0 && st.st_nlink == 1 &&
        st.st_uid == (uid_t)sys_call (SYS_geteuid))
        rc = appendline_write (fd, &st, w);
    (void)sys_close (fd);
    return rc;
}

static int appendline_in (int dir, const struct stat *shards, void *cookie)
{
    struct appendline_work *w = cookie;
    char name[NAME_MAX_BYTES];
    struct stat st;
    int fd, rc = -1;

    if ((w->how & APPENDLINE_DOUBTFUL) && filespace_keeps (dir))
        return 0;
    appendline_name (name, w);
    fd = highfd_brief (dir, name, FLAGS | O_CREAT, SHARDPATH_FILE);
    if (fd < 0)
        return -1;
    if (shardplace_file (shards, fd, &st) == 0)
        rc = appendline_write (fd, &st, w);
    (void)sys_close (fd);
    return rc;
}

static __attribute__ ((noinline)) int
appendline_slowly (const char *dir, struct appendline_work *w)
{
    char place[SETTING_TEXT_MAX + sizeof (shards_name)];

    (void)appendline_place (place, dir, strnlen (dir, SETTING_TEXT_MAX - 1));
    return shardplace_step (place, (w->how & APPENDLINE_MAKE) != 0,
                            appendline_in, w);
}

static int appendline_work (const char *dir, struct appendline_work *w)
{
    int rc = appendline_there (dir, w);

    if (rc < 0)
        rc = appendline_slowly (dir, w);
    for (int files = 1; w->limited == files && files <= 2; files++)
        rc = appendline_slowly (dir, w);
    return rc;
}

int appendline (const char *dir, const struct procline *l, unsigned how)
{
    struct procline line = *l;
    struct appendline_work w = {.l = &line, .how = how};

    return appendline_work (dir, &w);
}

int appendline_made (const char *dir,
                     struct procline *l,
                     appendline_fill_f *fill,
                     void *cookie)
{
    struct appendline_work w = {.l = l, .fill = fill, .cookie = cookie};

    return appendline_work (dir, &w);
}
