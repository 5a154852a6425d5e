/* SPDX-License-Identifier: MIT
 *
 * untracedlist.c - lines `untraced` of shards/processes.HOST -> rows
 *
 * Caveat: anybody may have written the lines.
 */
#include "config.h"

#include <dirent.h>

#include "lib/base/array.h"
#include "lib/base/text.h"
#include "lib/format/calls.h"
#include "lib/format/event.h"
#include "lib/format/proclines.h"
#include "lib/format/tracefile.h"
#include "lib/format/untracedlist.h"

enum {
    LINES_MAX = 200000, /* rows; more are counted as cut */
    SLACK_S = 60,       /* between a line and the start of its process */
    PROLOG_S = 3600     /* if the plugin wrote it before a TaskProlog */
};

#define SLACK_NS  ((uint64_t)SLACK_S * 1000000000u)
#define PROLOG_NS ((uint64_t)PROLOG_S * 1000000000u)

/* --- rows --------------------------------------------------------------- */

int untracedlist_add (struct untraced *u, const struct untraced_program *row)
{
    struct untraced_program p = *row;

    u->lines += p.count;
    if (u->count >= LINES_MAX) {
        u->cut = 1;
        return 0;
    }
    if (TRY_GROW (u->item, u->room, u->count + 1) < 0)
        return -1;
    p.host = strdup (row->host);
    p.exe = strdup (row->exe);
    p.reason = strdup (row->reason);
    u->item[u->count++] = p;
    if (!p.host || !p.exe || !p.reason)
        return -1;
    u->item[u->count - 1].exe_length = strlen (p.exe);
    u->item[u->count - 1].kind = programkind_of_reason (p.reason);
    return 0;
}

static void untracedlist_free (struct untraced_program *p)
{
    free (p->host);
    free (p->exe);
    free (p->reason);
}

void untracedlist_clear (struct untraced *u)
{
    for (size_t i = 0; i < u->count; i++)
        untracedlist_free (&u->item[i]);
    free (u->item);
    ZERO (u);
}

static int untracedlist_order (const void *a, const void *b)
{
    const struct untraced_program *x = a, *y = b;
    int order = strcmp (x->host, y->host);

    if (!order)
        order = ORDER (x->pid, y->pid);
    return order ? order : ORDER (x->time, y->time);
}

static int untracedlist_take (const struct procrecord *r, void *cookie)
{
    const struct untraced_program row = {.host = (char *)(uintptr_t)r->host,
                                         .exe = (char *)(uintptr_t)r->exe,
                                         .reason = (char *)(uintptr_t)r->reason,
                                         .pid = r->pid,
                                         .child = r->child,
                                         .time = r->end,
                                         .count = 1};

    return untracedlist_add (cookie, &row);
}

int untracedlist_read (struct untraced *u, const char *job_dir)
{
    struct proclines p = {
        .kinds = PROCRECORD_UNTRACED, .f = untracedlist_take, .cookie = u};
    int rc = proclines_read (&p, job_dir);

    u->files = p.files;
    u->cut |= p.cut;
    if (rc == 0 && u->count)
        SORT (u->item, u->count, untracedlist_order);
    return rc;
}

/* --- traced after all ---------------------------------------------------- */

/* Reasons that a line has before exec, and not in the program itself. */
static int untracedlist_of_exec (enum program_kind kind)
{
    return kind != PROGRAM_UNKNOWN && kind != PROGRAM_GO &&
           kind != PROGRAM_NOT_KNOWN && kind != PROGRAM_OWN_REQUEST &&
           kind != PROGRAM_EXCLUDED;
}

static const char *untracedlist_base (const char *path)
{
    const char *slash = strrchr (path, '/');

    return slash ? slash + 1 : path;
}

/* A static program has become another one, which was traced; a loader, which is
 * static, too, has only loaded it. */
static int untracedlist_became (const struct untraced_program *p,
                                const struct untraced_seen *who)
{
    return p->kind == PROGRAM_STATIC && *who->exe &&
           !strstr (untracedlist_base (p->exe), ".so") &&
           strcmp (untracedlist_base (p->exe), untracedlist_base (who->exe)) !=
               0;
}

static int untracedlist_is_it (const struct untraced_program *p,
                               const struct untraced_seen *who)
{
    uint64_t from = p->time - (p->child || !p->pid ? SLACK_NS : 0);
    int prolog = p->kind == PROGRAM_ENVIRONMENT && p->pid && !p->child;
    uint64_t to = p->time + (prolog ? PROLOG_NS : SLACK_NS);

    if (p->traced || !p->time || strcmp (p->host, who->host) != 0)
        return 0;
    if (!p->pid && strcmp (p->exe, who->exe) != 0)
        return 0;
    if (who->start >= from && who->start < to)
        return !untracedlist_became (p, who);
    /* it went on: exec had failed */
    return p->pid && !p->child && !who->exec && who->start < p->time &&
           who->end > p->time && untracedlist_of_exec (p->kind);
}

/* The first row of a host and pid, or where it would be. */
static size_t
untracedlist_find (const struct untraced *u, const char *host, uint32_t pid)
{
    size_t low = 0, high = u->count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int order = strcmp (u->item[middle].host, host);

        if (!order)
            order = u->item[middle].pid < pid ? -1 : 1;
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static int untracedlist_mark (struct untraced *u,
                              const struct untraced_seen *who,
                              uint32_t pid)
{
    for (size_t i = untracedlist_find (u, who->host, pid);
         i < u->count && u->item[i].pid == pid &&
         strcmp (u->item[i].host, who->host) == 0;
         i++)
        if (untracedlist_is_it (&u->item[i], who)) {
            u->item[i].traced = 1;
            return 1;
        }
    return 0;
}

void untracedlist_seen (struct untraced *u, const struct untraced_seen *who)
{
    if (who->pid && !untracedlist_mark (u, who, who->pid) && *who->exe)
        untracedlist_mark (u, who, 0);
}

static int untracedlist_by_name (const void *a, const void *b)
{
    const struct untraced_program *x = a, *y = b;
    int order = strcmp (x->host, y->host);

    if (!order)
        order = strcmp (x->exe, y->exe);
    if (!order)
        order = strcmp (x->reason, y->reason);
    return order ? order : untracedlist_order (a, b);
}

void untracedlist_settle (struct untraced *u)
{
    size_t used = 0;

    for (size_t i = 0; i < u->count; i++)
        if (u->item[i].traced) {
            u->traced += u->item[i].count;
            untracedlist_free (&u->item[i]);
        } else
            u->item[used++] = u->item[i];
    u->count = used;
    if (used)
        SORT (u->item, used, untracedlist_by_name);
}

void untracedlist_fold (struct untraced *u)
{
    size_t used = 0;

    for (size_t i = 0; i < u->count; i++) {
        struct untraced_program *p = &u->item[i];
        struct untraced_program *last = used ? &u->item[used - 1] : NULL;

        if (last && !strcmp (last->host, p->host) &&
            !strcmp (last->exe, p->exe) && !strcmp (last->reason, p->reason)) {
            last->count += p->count;
            untracedlist_free (p);
        } else
            u->item[used++] = *p;
    }
    u->count = used;
}

/* The user wanted it so. */
static int untracedlist_is_wish (const struct untraced_program *p)
{
    return programkind_is_wish (p->kind);
}

uint64_t untracedlist_sum (const struct untraced *u)
{
    uint64_t sum = 0;

    for (size_t i = 0; i < u->count; i++)
        sum += u->item[i].count;
    return sum;
}

uint64_t untracedlist_wishes (const struct untraced *u)
{
    uint64_t sum = 0;

    for (size_t i = 0; i < u->count; i++)
        if (untracedlist_is_wish (&u->item[i]))
            sum += u->item[i].count;
    return sum;
}

/* ---- shards of a job directory -> rows of the list that go ---- */

enum { LOOK_DIRECTORY = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC };

/* shards/ of a job directory; -1: there is none. */
static int untracedlook_open (const char *job_dir)
{
    int dirfd = job_dir ? open (job_dir, LOOK_DIRECTORY) : -1;
    int fd = dirfd < 0 ? -1 : openat (dirfd, "shards", LOOK_DIRECTORY);

    if (dirfd >= 0)
        close (dirfd);
    return fd;
}

static void untracedlook_process (struct untraced *u,
                                  const struct trace_process *who)
{
    const uint64_t end = who->p.end_ns, begin = who->p.start_ns;
    const struct untraced_seen seen = {
        .host = who->text[SHARD_STRING_HOST],
        .exe = who->text[SHARD_STRING_EXE],
        .pid = who->p.pid,
        .start = who->p.start_real,
        .end = end > begin ? who->p.start_real + (end - begin) : 0,
        .exec = who->p.exec_ns != 0};

    untracedlist_seen (u, &seen);
}

static void untracedlook_file (struct untraced *u, int dirfd, const char *name)
{
    struct errtext err;
    struct tracefile *f = tracefile_openat (dirfd, name, &err);

    for (size_t i = 0; f && i < tracefile_processes (f); i++)
        untracedlook_process (u, tracefile_process (f, i));
    tracefile_close (f);
}

/* Processes without a trace. */
static int untracedlook_quiet (const struct procrecord *r, void *cookie)
{
    const struct untraced_seen seen = {.host = r->host,
                                       .exe = r->exe,
                                       .pid = r->pid,
                                       .start = r->start,
                                       .end = r->end,
                                       .exec = r->exec};

    if (r->quiet)
        untracedlist_seen (cookie, &seen);
    return 0;
}

void untracedlist_see_quiet (struct untraced *u, const char *job_dir)
{
    struct proclines p = {
        .kinds = PROCRECORD_TRACED, .f = untracedlook_quiet, .cookie = u};

    if (u->count)
        proclines_read (&p, job_dir);
}

static int untracedlook_is_shard (const char *name)
{
    size_t n = strlen (name);

    return n > 4 && strcmp (name + n - 4, ".dft") == 0;
}

void untracedlist_look (struct untraced *u, const char *job_dir)
{
    int fd = u->count ? untracedlook_open (job_dir) : -1;
    DIR *d = fd < 0 ? NULL : fdopendir (fd);
    const struct dirent *e;

    untracedlist_see_quiet (u, job_dir);
    while (d && (e = readdir (d)))
        if (untracedlook_is_shard (e->d_name))
            untracedlook_file (u, fd, e->d_name);
    if (d)
        closedir (d);
    else if (fd >= 0)
        close (fd);
    untracedlist_settle (u);
}

/* ---- processes that were not traced -> words for one line ---- */

enum { NAME_MAX_SHOWN = 32, GROUP_TEXT = 128 };

/* Rows of one name and reason. */
struct untraced_group {
    const char *name;
    const struct untraced_program *first;
    uint64_t count;
};

static const char *untracedwords_name (const struct untraced_program *p)
{
    const char *slash = strrchr (p->exe, '/');

    return slash && slash[1] ? slash + 1 : p->exe;
}

static int untracedwords_by_name (const void *a, const void *b)
{
    const struct untraced_group *x = a, *y = b;
    return strcmp (x->name, y->name)
               ?: strcmp (x->first->reason, y->first->reason);
}

/* The user's own wishes last. */
static int untracedwords_by_count (const void *a, const void *b)
{
    const struct untraced_group *x = a, *y = b;
    int wish =
        untracedlist_is_wish (x->first) - untracedlist_is_wish (y->first);

    if (wish)
        return wish;
    return ORDER (y->count, x->count) ?: untracedwords_by_name (a, b);
}

/* malloc'd; NULL: none, or no memory. */
static struct untraced_group *untracedwords_groups (const struct untraced *u,
                                                    size_t *groups)
{
    struct untraced_group *g = TRY_ZEROED (g, u->count + 1);
    size_t used = 0;

    for (size_t i = 0; g && i < u->count; i++)
        g[i] = (struct untraced_group){untracedwords_name (&u->item[i]),
                                       &u->item[i], u->item[i].count};
    if (!g || !u->count) {
        free (g);
        *groups = 0;
        return NULL;
    }
    SORT (g, u->count, untracedwords_by_name);
    for (size_t i = 0; i < u->count; i++)
        if (used && untracedwords_by_name (&g[used - 1], &g[i]) == 0)
            g[used - 1].count += g[i].count;
        else
            g[used++] = g[i];
    SORT (g, used, untracedwords_by_count);
    *groups = used;
    return g;
}

/* "settings", of "settings: DFTRACE_CHUNK: …". */
static void untracedwords_group (char text[GROUP_TEXT],
                                 const struct untraced_group *g)
{
    int length = (int)strcspn (g->first->reason, ":");
    char raw[GROUP_TEXT];

    FORMAT (raw, "%" PRIu64 " × %.*s (%.*s)", g->count, NAME_MAX_SHOWN, g->name,
            MIN (length, NAME_MAX_SHOWN), g->first->reason);
    escape_text (text, GROUP_TEXT, raw, ESCAPE_LINES);
}

static int untracedwords_places (const char *text)
{
    int places = 0;

    for (; *text; text++)
        places += ((unsigned char)*text & 0xc0) != 0x80;
    return places;
}

/* Add a part to a list of these where there is room for it. */
static int untracedwords_put (
    char *text, size_t size, int places, int first, const char *part)
{
    enum { MORE = 3 }; /* ", …" */
    size_t used = strlen (text);

    if (used + strlen (part) + sizeof (", …") > size ||
        untracedwords_places (text) + untracedwords_places (part) + 2 + MORE >
            places)
        return 0;
    snprintf (text + used, size - used, "%s%s", first ? " " : ", ", part);
    return 1;
}

char *untracedlist_words (const struct untraced *u,
                          uint64_t more,
                          char *text,
                          size_t size,
                          int places)
{
    uint64_t sum = untracedlist_sum (u) + more;
    struct untraced_group *g;
    size_t groups, shown = 0;
    char part[GROUP_TEXT];
    int whole;

    text[0] = '\0';
    if (!sum && !u->cut)
        return text;
    g = untracedwords_groups (u, &groups);
    snprintf (text, size, "%" PRIu64 "%s %s:", sum, u->cut ? " or more" : "",
              sum == 1 && !u->cut ? "process" : "processes");
    while (shown < groups) {
        untracedwords_group (part, &g[shown]);
        if (!untracedwords_put (text, size, places, !shown, part))
            break;
        shown++;
    }
    FORMAT (part, "%" PRIu64 " × not known", more);
    whole = shown == groups &&
            (!more || untracedwords_put (text, size, places, !shown, part));
    if (whole && u->cut)
        whole = untracedwords_put (text, size, places, !shown && !more,
                                   "more were not listed");
    if (!whole && size > strlen (text) + sizeof (", …"))
        strcat (text, shown ? ", …" : " …");
    free (g);
    return text;
}

/* ---- a shard -> whether it has no events but exec_untraced ---- */

enum {
    BLOCKS_MAX = 256, /* one process leaves two; more is a trace */
    EVENTS_MAX = 256,
    SHARD_BYTES_MAX = 1 << 26
};

static int untracedshard_is_small (int fd)
{
    struct stat st;

    return fstat (fd, &st) == 0 && S_ISREG (st.st_mode) &&
           st.st_size <= SHARD_BYTES_MAX;
}

static int untracedshard_chunk (const struct tracefile *f,
                                const struct trace_chunk *c)
{
    unsigned char *payload = malloc (c->present + 1u);
    ssize_t n = payload ? tracefile_read (f, c, payload) : -1;
    struct decoder d = {.p = NULL};
    struct event ev;
    uint32_t events = 0;

    if (n >= 0 && decoder_begin (&d, &c->head, payload, n) == 0)
        while (decoder_next (&d, &ev) > 0)
            events += ev.call == CALL_exec_untraced;
    decoder_end (&d);
    free (payload);
    return events == c->events;
}

static int untracedshard_all (const struct tracefile *f)
{
    const struct trace_health *h = tracefile_health (f);
    int only = h->events > 0 && h->events <= EVENTS_MAX && !h->missing &&
               !h->lost && tracefile_chunks (f) <= BLOCKS_MAX;

    for (size_t i = 0; only && i < tracefile_chunks (f); i++)
        only = untracedshard_chunk (f, tracefile_chunk (f, i));
    return only;
}

int untracedshard_only (int dirfd, const char *name)
{
    int fd =
        openat (dirfd, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    struct tracefile *f = NULL;
    struct errtext err;
    int only;

    if (fd >= 0 && !untracedshard_is_small (fd)) {
        close (fd);
        return 0;
    }
    if (fd >= 0)
        f = tracefile_openfd (fd, name, &err);
    only = f && untracedshard_all (f);
    tracefile_close (f);
    return only;
}
