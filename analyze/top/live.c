/* SPDX-License-Identifier: MIT
 *
 * live.c - new events -> what each process did since the last look
 *
 * In:  events, from follow.c
 * Out: sums and last actions, to show.c
 */
#include "config.h"

#include "analyze/top/follow.h"
#include "analyze/trace/find.h"
#include "analyze/top/show.h"
#include "lib/base/array.h"
#include "lib/format/calls.h"
#include "lib/util/fsutil.h"
#include "lib/util/xalloc.h"

struct live_job {
    char *dir, *label; /* owned */
    struct follower *follow;
    size_t *process; /* number in follow -> in live; owned */
    size_t processes, process_room;
    int over;               /* merged, all that it had has been seen */
    enum evidence evidence; /* that it has ended, at the last look */
};

struct live {
    char *path; /* owned */
    struct live_job *job;
    size_t jobs, job_room;
    struct live_process *process; /* owned */
    size_t processes, room;
    struct live_sums total;
    double past[2][LIVE_PAST]; /* a ring */
    size_t looks;
    uint64_t before_ns, now_ns; /* of the looks; 0 none */
    uint64_t busy_ns; /* the first look, or the last with something live */
};

/* Context of the sink. */
struct looking {
    struct live *live;
    struct live_job *job;
};

/* --- jobs ----------------------------------------------------------------- */

static int live_known (const struct live *l, const char *dir)
{
    for (size_t i = 0; i < l->jobs; i++)
        if (strcmp (l->job[i].dir, dir) == 0)
            return 1;
    return 0;
}

static int live_is_merged (const struct live_job *job)
{
    char *path = path_join (job->dir, "trace.dft");
    int yes = access (path, F_OK) == 0;

    free (path);
    return yes;
}

static int
live_add_job (struct live *l, const struct job *found, struct errtext *err)
{
    struct follower *follow = follow_create (found->dir, err);
    struct live_job *job;

    if (!follow)
        return -1;
    job = APPEND (l->job, l->jobs, l->job_room);
    job->dir = xstrdup (found->dir);
    job->label = xstrdup (found->label);
    job->follow = follow;
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
    struct live *l = ZEROED (l, 1);

    l->path = xstrdup (path);
    if (live_find_jobs (l, err) == 0) {
        if (l->jobs)
            return l;
        errf (err, "%s: no job here has begun to write a trace", path);
    }
    live_destroy (l);
    return NULL;
}

void live_destroy (struct live *l)
{
    if (!l)
        return;
    for (size_t i = 0; i < l->jobs; i++) {
        follow_destroy (l->job[i].follow);
        free (l->job[i].dir);
        free (l->job[i].label);
        free (l->job[i].process);
    }
    for (size_t i = 0; i < l->processes; i++) {
        free (l->process[i].host);
        free (l->process[i].command);
    }
    free (l->job);
    free (l->process);
    free (l->path);
    free (l);
}

/* --- processes ------------------------------------------------------------ */

/* "python3 train.py" of "/usr/bin/python3 0x1f train.py 0x1f ...". */
static char *live_command_of (const struct trace_process *who)
{
    const char *argv = who->text[SHARD_STRING_ARGV];
    const char *exe = who->text[SHARD_STRING_EXE];
    const char *base = strrchr (*exe ? exe : argv, '/');
    const char *rest = strchr (argv, 0x1f);
    char *text;

    base = base ? base + 1 : *exe ? exe : argv;
    text = xasprintf ("%.*s%s", (int)strcspn (base, "\x1f"), base,
                      rest ? rest : "");
    for (char *p = text; *p; p++)
        if ((unsigned char)*p < 0x20)
            *p = ' ';
    return text;
}

static void live_add_process (struct looking *at,
                              size_t number,
                              const struct trace_process *who)
{
    struct live_job *job = at->job;
    struct live *l = at->live;
    struct live_process *p = APPEND (l->process, l->processes, l->room);

    GROW (job->process, job->process_room, number + 1);
    job->process[number] = at->live->processes - 1;
    job->processes = number + 1;
    p->job = job->label;
    p->pid = who->p.pid;
    p->rank = who->p.rank;
    p->host = xstrdup (who->text[SHARD_STRING_HOST]);
    p->command = live_command_of (who);
}

static struct live_process *live_process_at (const struct looking *at,
                                             size_t number)
{
    return &at->live->process[at->job->process[number]];
}

static void live_see_process (void *arg,
                              size_t number,
                              const struct trace_process *who,
                              const struct doing *doing,
                              int fresh)
{
    struct looking *at = arg;
    struct live_process *p;

    if (fresh)
        live_add_process (at, number, who);
    p = live_process_at (at, number);
    p->ended = evidence_of_process (who);
    p->lost = who->p.lost_busy + who->p.lost_space;
    liveevent_doing (p, p->ended ? NULL : doing);
}

static void live_see_events (void *arg,
                             const struct dict *dict,
                             const struct batch *b,
                             size_t first)
{
    struct looking *at = arg;
    const struct live_interval i = {at->live->before_ns, at->live->now_ns};
    struct live_process *p = live_process_at (at, b->process);

    for (size_t k = first; k < b->count; k++)
        live_event (p, &i, dict, b, k);
}

static void
live_see_counted (void *arg, size_t number, const struct counted *more)
{
    struct live_process *p = live_process_at (arg, number);

    p->now.events += more->events;
    p->now.counted += more->events;
    p->now.calls += more->calls;
    p->now.io_ns += more->io_ns;
    p->now.stall_ns += more->stall_ns;
    for (int w = 0; w < 2; w++)
        p->now.bytes[w] += more->bytes[w];
    if (more->last_ns <= p->last_ns)
        return;
    p->last_ns = more->last_ns;
    memcpy (p->last, more->last, sizeof (p->last));
    memcpy (p->file, more->file, sizeof (p->file));
}

/* --- a look ------------------------------------------------------------ */

static void live_begin_interval (struct live *l, uint64_t now_ns)
{
    l->before_ns = l->now_ns;
    l->now_ns = now_ns;
    for (size_t i = 0; i < l->processes; i++) {
        ZERO (&l->process[i].now);
        l->process[i].slowest[0] = '\0';
    }
}

static void live_end_interval (struct live *l)
{
    double seconds = live_seconds (l);

    ZERO (&l->total);
    for (size_t i = 0; i < l->processes; i++) {
        struct live_process *p = &l->process[i];

        p->total += p->now.events;
        if (!p->ended || p->now.events)
            l->busy_ns = l->now_ns;
        l->total.events += p->now.events;
        l->total.calls += p->now.calls;
        l->total.counted += p->now.counted;
        l->total.io_ns += p->now.io_ns;
        l->total.stall_ns += p->now.stall_ns;
        for (int w = 0; w < 2; w++)
            l->total.bytes[w] += p->now.bytes[w];
        if (p->now.slowest_ns > l->total.slowest_ns)
            l->total.slowest_ns = p->now.slowest_ns;
    }
    if (seconds > 0) {
        for (int w = 0; w < 2; w++)
            l->past[w][l->looks % LIVE_PAST] =
                (double)l->total.bytes[w] / seconds;
        l->looks++;
    }
}

void live_look (struct live *l, uint64_t now_ns)
{
    struct errtext ignored; /* a sweep whose jobs have not begun */

    live_begin_interval (l, now_ns);
    live_find_jobs (l, &ignored);
    for (size_t i = 0; i < l->jobs; i++) {
        struct looking at = {l, &l->job[i]};
        const struct follow_sink sink = {&at, live_see_process, live_see_events,
                                         live_see_counted};
        int merged = live_is_merged (&l->job[i]);

        if (l->job[i].over)
            continue;
        l->job[i].evidence = evidence_of_job (l->job[i].dir);
        follow_look (l->job[i].follow, &sink);
        l->job[i].over = merged;
    }
    if (!l->busy_ns)
        l->busy_ns = now_ns;
    live_end_interval (l);
}

/* --- answers ----------------------------------------------------------- */

size_t live_jobs (const struct live *l)
{
    return l->jobs;
}

size_t live_processes (const struct live *l)
{
    return l->processes;
}

const struct live_process *live_process (const struct live *l, size_t i)
{
    return &l->process[i];
}

const struct live_sums *live_total (const struct live *l)
{
    return &l->total;
}

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
        past[i] = l->past[write != 0][(l->looks - n + i) % LIVE_PAST];
    return n;
}

static int live_all_ended (const struct live *l, const struct live_job *job)
{
    for (size_t i = 0; i < job->processes; i++)
        if (!l->process[job->process[i]].ended)
            return 0;
    return 1;
}

static int live_job_over (const struct live *l, const struct live_job *job)
{
    if (job->over || job->evidence == EVIDENCE_ALL)
        return 1;
    if (job->evidence == EVIDENCE_NONE || !live_all_ended (l, job))
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

/* ---- a new event -> sums and last action of its process ---- */

/* Only when it is another one: a program reads one file many times. */
static void liveevent_keep_text (char *to, const char *text, size_t length)
{
    if (length >= LIVE_TEXT_MAX)
        length = LIVE_TEXT_MAX - 1;
    if (strncmp (to, text, length) == 0 && to[length] == '\0')
        return;
    memcpy (to, text, length);
    to[length] = '\0';
}

/* The part of an event that lies in this interval. */
static uint64_t
liveevent_inside (const struct live_interval *i, uint64_t start, uint64_t end)
{
    if (end > i->to)
        end = i->to;
    if (i->from && start < i->from)
        start = i->from;
    return end > start ? end - start : 0;
}

static void liveevent_see_region (struct live_process *p,
                                  const struct dict_entry *e,
                                  uint64_t ns)
{
    char text[LIVE_TEXT_MAX];

    if (e->role == ROLE_STALL)
        p->now.stall_ns += ns;
    FORMAT (text, "%s%s%s", e->text, *dict_region_name (e) ? "/" : "",
            dict_region_name (e));
    liveevent_keep_text (p->last, text, strlen (text));
}

static void liveevent_see_slow (struct live_process *p,
                                const char *call,
                                const struct dict_entry *file,
                                uint64_t ns)
{
    if (ns <= p->now.slowest_ns)
        return;
    p->now.slowest_ns = ns;
    FORMAT (p->slowest, "%s %s", call, file->text);
}

static int liveevent_on_storage (const struct dict_entry *file)
{
    return file && file->class == FILE_CLASS_STORAGE;
}

/* A copy reads one file and writes another. */
static void liveevent_see_call (struct live_process *p,
                                const struct dict *dict,
                                const struct batch *b,
                                size_t at,
                                uint64_t ns)
{
    const struct call_info *info = &call_table[b->call[at]];
    const struct dict_entry *file =
        dict_entry_of (dict, b->name[at], SHARD_NAME_FILE);
    const struct dict_entry *to =
        info->class == CALL_CLASS_COPY
            ? dict_entry_of (dict, b->name2[at], SHARD_NAME_FILE)
            : file;

    p->now.calls++;
    liveevent_keep_text (p->last, info->name, strlen (info->name));
    liveevent_keep_text (p->file, file ? file->text : "",
                         file ? file->length : 0);
    if (info->category != CALL_CATEGORY_POSIX)
        return;
    if (liveevent_on_storage (file))
        p->now.bytes[0] += b->bytes_read[at];
    if (liveevent_on_storage (to))
        p->now.bytes[1] += b->bytes_written[at];
    if (!liveevent_on_storage (file) && !liveevent_on_storage (to))
        return;
    p->now.io_ns += ns;
    liveevent_see_slow (p, info->name, file ? file : to,
                        b->end[at] - b->start[at]);
}

void live_event (struct live_process *p,
                 const struct live_interval *i,
                 const struct dict *dict,
                 const struct batch *b,
                 size_t at)
{
    uint64_t ns = liveevent_inside (i, b->start[at], b->end[at]);
    const struct dict_entry *name;

    p->now.events++;
    if (b->end[at] > p->last_ns)
        p->last_ns = b->end[at];
    if (call_table[b->call[at]].category == CALL_CATEGORY_MMAP ||
        call_table[b->call[at]].category == CALL_CATEGORY_KERNEL ||
        call_table[b->call[at]].category == CALL_CATEGORY_WAIT ||
        call_category_is_above (call_table[b->call[at]].category))
        return; /* seen beside the program, or done by POSIX calls inside */
    if (call_table[b->call[at]].category != CALL_CATEGORY_APP)
        liveevent_see_call (p, dict, b, at, ns);
    else if ((name = dict_entry_of (dict, b->name[at], SHARD_NAME_EVENT)))
        liveevent_see_region (p, name, ns);
}

void liveevent_doing (struct live_process *p, const struct doing *doing)
{
    p->doing_ns = doing ? doing->since : 0;
    p->doing[0] = p->doing_file[0] = '\0';
    if (!doing)
        return;
    liveevent_keep_text (p->doing, doing->call, strlen (doing->call));
    liveevent_keep_text (p->doing_file, doing->file, strlen (doing->file));
}
