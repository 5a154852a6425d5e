/* SPDX-License-Identifier: MIT
 *
 * live.c - shards of running jobs -> what each process did since the last look
 *
 * In:  DIR/shards, growing; what shows that a job or a process has ended
 * Out: each event once, to sums.c; processes, to show.c
 * Caveat: a chunk is decoded from its start at every look, because records
 *         count from one another; what was seen is stepped over.
 */
#include "config.h"

#include <dirent.h>

#include "analyze/top/live.h"
#include "analyze/trace/find.h"
#include "lib/base/array.h"
#include "lib/base/clock.h"
#include "lib/format/proclines.h"
#include "lib/settings/nodename.h"
#include "lib/settings/settings.h"
#include "lib/util/fsutil.h"
#include "lib/util/strmap.h"
#include "lib/util/xalloc.h"

/* Why a job has ended. */
enum evidence {
    EVIDENCE_NONE,    /* it may be running */
    EVIDENCE_COMMAND, /* its command has ended; what that started may run */
    EVIDENCE_ALL,     /* each node of it has done its epilog */
    EVIDENCE_NOBODY   /* nobody would say so: it has no job.json */
};

struct live_job {
    const char *dir, *label;
    int shards;           /* descriptor of DIR/shards */
    struct strmap *shard; /* name -> struct shard */
    struct dict *dict;    /* of all names, for as long as it is followed */
    struct batch_reader *reader;
    int looks;
    int over;               /* merged, all that it had has been seen */
    enum evidence evidence; /* that it has ended, at the last look */
};

struct shard {
    struct strmap *process; /* number in the shard -> struct live_process */
    struct strmap *seen;    /* offset of a chunk -> number of events read */
    int ended;              /* all there will be has been read */
};

/* ---- job directory, /proc -> whether a job or a process has ended ---- */

enum { EVIDENCE_BYTES = 1 << 20 /* of a file */ };

static int evidence_has (const char *dir, const char *name)
{
    char *path = path_join (dir, name);
    int has = access (path, F_OK) == 0;

    free (path);
    return has;
}

static int evidence_is_command (const struct procrecord *r, void *unused)
{
    return strcmp (r->who, PROCLINE_RUN) == 0;
}

/* The evidence for the job in that directory. */
static enum evidence evidence_of_job (const struct live_job *job)
{
    static const char started[] = "started.";
    struct proclines command = {.kinds = PROCRECORD_ENDED,
                                .f = evidence_is_command};
    char *path = path_join (job->dir, "shards");
    DIR *dir = opendir (path);
    size_t nodes = 0, done = 0;
    const struct dirent *e;

    while (dir && (e = readdir (dir)))
        if (strncmp (e->d_name, started, sizeof (started) - 1) == 0) {
            char *node =
                xasprintf ("node.%s.json", e->d_name + sizeof (started) - 1);

            nodes++;
            done += evidence_has (job->dir, node);
            free (node);
        }
    if (dir)
        closedir (dir);
    free (path);
    if (nodes && nodes == done)
        return EVIDENCE_ALL;
    if (!nodes && proclines_read (&command, job->dir) > 0)
        return EVIDENCE_COMMAND;
    return evidence_has (job->dir, "job.json") ? EVIDENCE_NONE
                                               : EVIDENCE_NOBODY;
}

/* Return CLOCK_REALTIME at which the process of that number began; 0 if there
 * is none, or it has ended and its parent has not waited for it. The state is
 * that of the main thread, which may end before others. */
static uint64_t evidence_began (uint32_t pid)
{
    char *path = xasprintf ("/proc/%u/stat", pid);
    char *text = read_file (path, EVIDENCE_BYTES, NULL, NULL);
    const char *at = text ? strrchr (text, ')') : NULL;
    struct timespec real, boot;
    uint64_t threads, ticks;
    char state;
    int runs =
        at &&
        sscanf (at,
                ") %c %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s "
                "%*s %*s %" SCNu64 " %*s %" SCNu64,
                &state, &threads, &ticks) == 3 &&
        (state != 'Z' || threads > 1);

    free (text);
    free (path);
    if (!runs)
        return 0;
    clock_gettime (CLOCK_REALTIME, &real);
    clock_gettime (CLOCK_BOOTTIME, &boot);
    return (uint64_t)(real.tv_sec - boot.tv_sec) * CLOCK_NS_PER_S +
           ticks * (CLOCK_NS_PER_S / (uint64_t)sysconf (_SC_CLK_TCK));
}

/* The process has ended: it said so, or it was on this host and is gone. */
static int evidence_of_process (const struct trace_process *who)
{
    char node[NODENAME_MAX];
    uint64_t began;

    if (who->p.end_ns || who->p.exec_ns)
        return 1;
    if (strcmp (nodename_find (settings_environ, NULL, node),
                who->text[SHARD_STRING_HOST]) != 0 ||
        access ("/proc/self/stat", R_OK) < 0)
        return 0;
    began = evidence_began (who->p.pid);
    /* a later one has the same number; clocks may have been set a little */
    return !began || began > who->p.start_real + 2 * (uint64_t)CLOCK_NS_PER_S;
}

/* --- jobs ----------------------------------------------------------------- */

static int live_known (const struct live *l, const char *dir)
{
    for (size_t i = 0; i < l->jobs; i++)
        if (strcmp (l->job[i].dir, dir) == 0)
            return 1;
    return 0;
}

static int
live_add_job (struct live *l, const struct job *found, struct errtext *err)
{
    char *path = path_join (found->dir, "shards");
    int fd = open (path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    struct live_job *job;

    if (fd < 0)
        errf (err, "%s: %s: no job that is or was traced", path,
              strerror (errno));
    free (path);
    if (fd < 0)
        return -1;
    l->job = arena_grow (l->job, l->jobs, sizeof (*l->job));
    job = &l->job[l->jobs++];
    *job = (struct live_job){.dir = arena_text (found->dir),
                             .label = arena_text (found->label),
                             .shards = fd,
                             .shard = strmap_create (),
                             .dict = dict_create (NULL)};
    job->reader = batch_reader_create (job->dict);
    return 0;
}

/* Jobs that are new since the last time. A job of a sweep without shards is
 * one that has not started. */
static int live_find_jobs (struct live *l, struct errtext *err)
{
    struct joblist found = {0};
    int rc = joblist_add (&found, l->path, err);

    for (size_t i = 0; rc == 0 && i < found.count; i++) {
        if (!found.item[i].dir)
            rc = errf (err,
                       "%s: not a job directory: dftrace stat looks at "
                       "a single trace",
                       l->path);
        else if (!live_known (l, found.item[i].dir) &&
                 live_add_job (l, &found.item[i], err) < 0 && found.count == 1)
            rc = -1;
    }
    joblist_clear (&found);
    return rc;
}

struct live *live_create (const char *path, struct errtext *err)
{
    struct live *l = arena_alloc (sizeof (*l));

    l->path = path;
    if (live_find_jobs (l, err) < 0)
        return NULL;
    if (l->jobs)
        return l;
    errf (err, "%s: no job here has begun to write a trace", path);
    return NULL;
}

/* --- processes ------------------------------------------------------------ */

/* "python3 train.py" of "/usr/bin/python3 0x1f train.py 0x1f ...". */
static const char *live_command_of (const struct trace_process *who)
{
    const char *argv = who->text[SHARD_STRING_ARGV];
    const char *exe = who->text[SHARD_STRING_EXE];
    const char *base = strrchr (*exe ? exe : argv, '/');
    const char *rest = strchr (argv, 0x1f);
    char *text;

    base = base ? base + 1 : *exe ? exe : argv;
    text = arena_format ("%.*s%s", (int)strcspn (base, "\x1f"), base,
                         rest ? rest : "");
    for (char *p = text; *p; p++)
        if ((unsigned char)*p < 0x20)
            *p = ' ';
    return text;
}

/* The process of a number in a shard. who: of which it is; it is added when it
 * is seen first. */
static struct live_process *live_process_of (struct live *l,
                                             const struct live_job *job,
                                             struct shard *s,
                                             const struct trace_process *who)
{
    const char *key = (const char *)&who->number;
    int fresh;
    size_t at = strmap_intern (s->process, key, sizeof (who->number), &fresh);
    struct live_process *p;

    if (!fresh)
        return strmap_value (s->process, at);
    p = arena_alloc (sizeof (*p));
    p->job = job->label;
    p->pid = who->p.pid;
    p->rank = who->p.rank;
    p->host = arena_text (who->text[SHARD_STRING_HOST]);
    p->command = live_command_of (who);
    strmap_set (s->process, at, p);
    l->process = arena_grow (l->process, l->processes, sizeof (*l->process));
    return l->process[l->processes++] = p;
}

/* The call that process i of a shard is in; none if it has ended. */
static void
live_doing (struct live_process *p, const struct tracefile *t, size_t i)
{
    struct doing d = {.host = NULL};
    int in = !tracefile_process (t, i)->p.end_ns && doing_find (&d, t, i) > 0 &&
             !p->ended;

    p->doing_ns = in ? d.since : 0;
    live_text (p->doing, in ? d.call : "");
    live_text (p->doing_file, in ? d.file : "");
    doing_clear (&d);
}

/* Count the events of a chunk that are new. */
static void live_chunk (struct live *l,
                        struct live_job *job,
                        struct shard *s,
                        const struct tracefile *t,
                        const struct trace_chunk *c)
{
    const struct part part = {.file = t,
                              .who = tracefile_process (t, c->head.proc)};
    struct live_process *p = live_process_of (l, job, s, part.who);
    size_t at = strmap_intern (s->seen, (const char *)&c->offset,
                               sizeof (c->offset), NULL);
    uint64_t seen = (uintptr_t)strmap_value (s->seen, at);
    const struct batch *b;

    if (job->looks == 0)
        seen = c->events;
    if (c->events > seen && batch_reader_chunk (job->reader, &part, 0, c) == 0)
        while (batch_reader_next (job->reader, &b) > 0) {
            uint64_t before = batch_reader_events (job->reader) - b->count;

            seen = MAX (seen, before);
            for (; seen < before + b->count; seen++)
                live_event (l, p, job->dict, b, seen - before);
        }
    strmap_set (s->seen, at, (void *)(uintptr_t)seen);
}

static void live_profiles (struct live *l,
                           struct live_job *job,
                           struct shard *s,
                           const struct tracefile *t)
{
    size_t n = tracefile_processes (t);
    struct live_counted *now = ZEROED (now, n);

    live_count (now, t);
    for (size_t i = 0; i < n; i++)
        live_add_counted (live_process_of (l, job, s, tracefile_process (t, i)),
                          &now[i], job->looks == 0);
    free (now);
}

static void live_shard (struct live *l,
                        struct live_job *job,
                        struct shard *s,
                        const struct tracefile *t)
{
    int live = tracefile_is_shared (t);

    for (size_t i = 0; i < tracefile_processes (t); i++) {
        const struct trace_process *who = tracefile_process (t, i);
        struct live_process *p = live_process_of (l, job, s, who);

        p->ended = evidence_of_process (who);
        p->lost = who->p.lost_busy + who->p.lost_space;
        live_doing (p, t, i);
        live |= who->p.end_ns == 0;
    }
    for (size_t i = 0; i < tracefile_chunks (t); i++)
        live_chunk (l, job, s, t, tracefile_chunk (t, i));
    if (tracefile_profiles (t))
        live_profiles (l, job, s, t);
    s->ended = !live;
}

static struct shard *live_shard_of (struct live_job *job, const char *name)
{
    int fresh;
    size_t at = strmap_intern (job->shard, name, strlen (name), &fresh);
    struct shard *s = strmap_value (job->shard, at);

    if (fresh) {
        s = arena_alloc (sizeof (*s));
        s->process = strmap_create ();
        s->seen = strmap_create ();
        strmap_set (job->shard, at, s);
    }
    return s;
}

static int live_is_shard (const struct dirent *d)
{
    size_t n = strlen (d->d_name);

    return d->d_name[0] != '.' && n > 4 &&
           strcmp (d->d_name + n - 4, ".dft") == 0;
}

static void live_shards (struct live *l, struct live_job *job)
{
    struct dirent **names = NULL;
    int n = scandirat (job->shards, ".", &names, live_is_shard, versionsort);

    for (int i = 0; i < n; i++) {
        struct shard *s = live_shard_of (job, names[i]->d_name);
        struct errtext ignored;
        struct tracefile *t =
            s->ended
                ? NULL
                : tracefile_openat (job->shards, names[i]->d_name, &ignored);

        if (t && tracefile_processes (t) > 0)
            live_shard (l, job, s, t);
        tracefile_close (t);
        free (names[i]);
    }
    free (names);
    job->looks++;
}

/* --- a look ------------------------------------------------------------ */

static void live_end_interval (struct live *l)
{
    double seconds = live_seconds (l);

    ZERO (&l->total);
    l->slowest_ns = 0;
    for (size_t i = 0; i < l->processes; i++) {
        struct live_process *p = l->process[i];

        p->total += p->now[LIVE_EVENTS];
        if (!p->ended || p->now[LIVE_EVENTS])
            l->busy_ns = l->now_ns;
        for (int k = 0; k < LIVE_SUMS; k++)
            l->total[k] += p->now[k];
        l->slowest_ns = MAX (l->slowest_ns, p->slowest_ns);
    }
    if (seconds > 0) {
        for (int w = 0; w < 2; w++)
            l->past[w][l->looks % LIVE_PAST] =
                (double)l->total[LIVE_READ + w] / seconds;
        l->looks++;
    }
}

void live_look (struct live *l, uint64_t now_ns)
{
    struct errtext ignored; /* a sweep whose jobs have not begun */

    l->before_ns = l->now_ns;
    l->now_ns = now_ns;
    for (size_t i = 0; i < l->processes; i++) {
        ZERO (&l->process[i]->now);
        l->process[i]->slowest_ns = 0;
        l->process[i]->slowest[0] = '\0';
    }
    live_find_jobs (l, &ignored);
    for (size_t i = 0; i < l->jobs; i++) {
        struct live_job *job = &l->job[i];
        int merged = evidence_has (job->dir, "trace.dft");

        if (job->over)
            continue;
        job->evidence = evidence_of_job (job);
        live_shards (l, job);
        job->over = merged;
    }
    if (!l->busy_ns)
        l->busy_ns = now_ns;
    live_end_interval (l);
}

/* --- answers ----------------------------------------------------------- */

double live_seconds (const struct live *l)
{
    return l->before_ns && l->now_ns > l->before_ns
               ? (l->now_ns - l->before_ns) / 1e9
               : 0;
}

size_t live_past (const struct live *l, int write, double past[LIVE_PAST])
{
    size_t n = MIN (l->looks, LIVE_PAST);

    for (size_t i = 0; i < n; i++)
        past[i] = l->past[write][(l->looks - n + i) % LIVE_PAST];
    return n;
}

static int live_job_over (const struct live *l, const struct live_job *job)
{
    if (job->over || job->evidence == EVIDENCE_ALL)
        return 1;
    if (job->evidence == EVIDENCE_NONE)
        return 0;
    for (size_t i = 0; i < l->processes; i++)
        if (l->process[i]->job == job->label && !l->process[i]->ended)
            return 0;
    return job->evidence == EVIDENCE_COMMAND ||
           (l->processes > 0 && l->now_ns - l->busy_ns >= LIVE_QUIET_NS);
}

int live_over (const struct live *l)
{
    for (size_t i = 0; i < l->jobs; i++)
        if (!live_job_over (l, &l->job[i]))
            return 0;
    return 1;
}
