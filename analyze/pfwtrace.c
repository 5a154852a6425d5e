/* SPDX-License-Identifier: MIT
 *
 * pfwtrace.c - lines of a DFTracer trace -> blocks of a trace of ours
 *
 * In:  lines, from pfwread.c
 * Out: processes and events in a file, to pfwopen.c
 *
 * A process is a process id on a host. What lines of metadata say of it
 * arrives at any time, so its block is written last, into space that was
 * left for it.
 */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/pfwtrace.h"
#include "analyze/pfwwrite.h"
#include "lib/core/layers.h"
#include "lib/util/strmap.h"

enum {
    NS_PER_US = 1000,
    US_MAX_DAYS = 365 * 300, /* times beyond are no times */
    STRINGS_MAX = 12000      /* of SHARD_PROCESS_BYTES */
};

#define US_MAX ((uint64_t)US_MAX_DAYS * 86400 * 1000000)

struct proc {
    struct shard_process p;
    uint64_t offset, first;   /* of its block; ns of its first event */
    uint32_t host, exe, argv; /* names; 0 not known */
};

struct convert {
    struct pfw_account *account;
    struct pfw_names *names;
    struct pfw_writer *writer;
    struct strmap *pids; /* pid and host -> number */
    struct proc *proc;
    size_t procs, room;
    /* of the previous line */
    uint64_t pid;
    struct pfw_thread *thread;
    uint32_t last_proc, last_tid;
    char host[64];
    size_t host_length;
};

/* --- processes -------------------------------------------------------- */

static int64_t new_proc (struct convert *c, uint64_t pid)
{
    size_t room = c->room ? 2 * c->room : 8;
    struct proc *p = c->proc;

    if (c->procs == c->room) {
        if (!(p = reallocarray (p, room, sizeof (*p))))
            return -1;
        c->proc = p;
        c->room = room;
    }
    p = &c->proc[c->procs];
    memset (p, 0, sizeof (*p));
    p->p = (struct shard_process){.version = SHARD_VERSION,
                                  .pid = (uint32_t)pid,
                                  .rank = -1,
                                  .local_rank = -1,
                                  .array_task_id = -1,
                                  .step_id = -1,
                                  .tick_hz = 1000000000u,
                                  .clock = SHARD_CLOCK_MONOTONIC};
    p->first = UINT64_MAX;
    c->procs++;
    return pfw_writer_process (c->writer, &p->offset);
}

static int64_t find_proc (struct convert *c,
                          const struct pfw_line *l,
                          const struct pfw_text *host)
{
    char key[sizeof (l->pid) + sizeof (c->host)];
    int isnew;
    int64_t at, number;

    memcpy (key, &l->pid, sizeof (l->pid));
    memcpy (key + sizeof (l->pid), host->p, host->n);
    at = strmap_intern (c->pids, key, sizeof (l->pid) + host->n, &isnew);
    if (at < 0 || (isnew && (number = new_proc (c, l->pid)) < 0))
        return -1;
    if (isnew)
        c->proc[number].host =
            host->p == l->hostname.p && host->n
                ? pfw_names_text (c->names, SHARD_NAME_FILE, host)
            : host->n ? pfw_names_hash (c->names, host)
                      : 0;
    else
        number = (int64_t)(uintptr_t)strmap_value (c->pids, (size_t)at);
    strmap_set (c->pids, (size_t)at, (void *)(uintptr_t)number);
    return number;
}

/* The host as the line gives it; without one, that of the line before when
 * the process is the same. */
static struct pfw_text host_of (const struct convert *c,
                                const struct pfw_line *l)
{
    struct pfw_text host = l->hhash.p ? l->hhash : l->hostname;

    if (!host.p && l->pid == c->pid && c->thread) {
        host.p = c->host;
        host.n = (uint32_t)c->host_length;
    } else if (!host.p)
        host.p = "";
    if (host.n > sizeof (c->host))
        host.n = sizeof (c->host);
    return host;
}

/* Sets c->last_proc and c->thread. 0, or -1 (ENOMEM). */
static int find_thread (struct convert *c, const struct pfw_line *l)
{
    struct pfw_text host = host_of (c, l);
    int64_t proc;

    if (c->thread && l->pid == c->pid && (uint32_t)l->tid == c->last_tid &&
        host.n == c->host_length && memcmp (host.p, c->host, host.n) == 0)
        return 0;
    if ((proc = find_proc (c, l, &host)) < 0)
        return -1;
    c->pid = l->pid;
    c->last_proc = (uint32_t)proc;
    c->last_tid = (uint32_t)l->tid;
    c->host_length = host.n;
    memmove (c->host, host.p, host.n);
    c->thread = pfw_writer_thread (c->writer, c->last_proc, c->last_tid);
    return c->thread ? 0 : -1;
}

/* --- metadata --------------------------------------------------------- */

static int text_is (const struct pfw_text *t, const char *word)
{
    return t->p && t->n == strlen (word) && memcmp (t->p, word, t->n) == 0;
}

static int take_meta (struct convert *c, const struct pfw_line *l)
{
    const struct pfw_text *value = &l->meta_value;

    if (!l->meta_name.p || !value->p || !value->n)
        return 0;
    if (text_is (&l->name, "FH") || text_is (&l->name, "HH") ||
        text_is (&l->name, "SH"))
        return pfw_names_define (c->names, value, &l->meta_name);
    if (text_is (&l->name, "PR") && text_is (&l->meta_name, "rank") &&
        value->n < 10) {
        char number[10];

        if (find_thread (c, l) < 0)
            return -1;
        memcpy (number, value->p, value->n);
        number[value->n] = '\0';
        c->proc[c->last_proc].p.rank = (int32_t)strtol (number, NULL, 10);
    }
    return 0;
}

static uint32_t hash_arg (struct convert *c, const struct pfw_arg *arg)
{
    return arg->text.n ? pfw_names_hash (c->names, &arg->text) : 0;
}

/* The tracer's own "start" and "end". */
static void take_own (struct convert *c, const struct pfw_line *l)
{
    struct proc *p = &c->proc[c->last_proc];

    if (text_is (&l->name, "end"))
        p->p.end_ns = (l->ts + l->dur) * NS_PER_US;
    for (int i = 0; i < l->nargs; i++)
        if (text_is (&l->arg[i].key, "ppid") && l->arg[i].type == PFW_INT)
            p->p.ppid = (uint32_t)l->arg[i].i;
        else if (text_is (&l->arg[i].key, "exec_hash"))
            p->exe = hash_arg (c, &l->arg[i]);
        else if (text_is (&l->arg[i].key, "cmd_hash"))
            p->argv = hash_arg (c, &l->arg[i]);
        else if (text_is (&l->arg[i].key, "job_id") && l->arg[i].i > 0)
            p->p.job_id = (uint64_t)l->arg[i].i;
}

/* --- events ----------------------------------------------------------- */

static void
put_call (struct convert *c, const struct pfw_line *l, struct pfw_event *ev)
{
    const struct call_info *info = &call_table[ev->call];
    int items = info->category == CALL_CATEGORY_STDIO &&
                l->has & PFW_HAS_SIZE && l->has & PFW_HAS_COUNT && l->size > 0;
    int64_t size = l->has & PFW_HAS_COUNT  ? l->count
                   : l->has & PFW_HAS_SIZE ? l->size
                   : l->ret > 0            ? l->ret
                                           : 0;

    ev->ret = l->ret;
    if (items &&
        (__builtin_mul_overflow (size, l->size, &size) ||
         (ev->ret > 0 && __builtin_mul_overflow (ev->ret, l->size, &ev->ret))))
        size = ev->ret = 0;
    ev->size = size > 0 && info->fields & F_SIZE ? (uint64_t)size : 0;
    ev->offset = l->has & PFW_HAS_OFFSET ? l->offset : -1;
    if (ev->offset < -1)
        ev->offset = -1;
    ev->flags = (uint64_t)l->flags;
    ev->fd = l->has & PFW_HAS_FD        ? (int32_t)l->fd
             : info->ret == CALL_RET_FD ? (int32_t)l->ret
                                        : -1;
    if (!(l->has & PFW_HAS_RET) && info->ret == CALL_RET_FD)
        ev->ret = ev->fd;
    ev->err = (int32_t)l->err;
    ev->name = l->fhash.n ? pfw_names_hash (c->names, &l->fhash)
               : l->fname.n
                   ? pfw_names_text (c->names, SHARD_NAME_FILE, &l->fname)
                   : 0;
}

static int
put_args (struct convert *c, const struct pfw_line *l, struct event_arg *args)
{
    for (int i = 0; i < l->nargs; i++) {
        const struct pfw_arg *from = &l->arg[i];
        struct event_arg *to = &args[i];

        memset (to, 0, sizeof (*to));
        to->key = pfw_names_text (c->names, SHARD_NAME_KEY, &from->key);
        to->type = from->type == PFW_INT      ? EVENT_ARG_INT
                   : from->type == PFW_DOUBLE ? EVENT_ARG_DOUBLE
                                              : EVENT_ARG_TEXT;
        to->i = from->i;
        to->d = from->d;
        if (to->type == EVENT_ARG_TEXT)
            to->text = pfw_names_text (c->names, SHARD_NAME_TEXT, &from->text);
        if (!to->key || (to->type == EVENT_ARG_TEXT && !to->text))
            return -1;
    }
    return l->nargs;
}

static unsigned layer_of (const struct pfw_name *op)
{
    return strcasecmp (op->text, "POSIX") == 0   ? LAYER_POSIX
           : strcasecmp (op->text, "STDIO") == 0 ? LAYER_STDIO
                                                 : LAYER_APP;
}

static int put_event (struct convert *c, const struct pfw_line *l)
{
    uint32_t op = pfw_names_event (c->names, &l->cat, &l->name);
    struct pfw_event ev = {.start = l->ts * NS_PER_US,
                           .end = (l->ts + l->dur) * NS_PER_US,
                           .name = op,
                           .fd = -1,
                           .offset = -1};
    struct event_arg args[PFW_ARGS_MAX];
    struct proc *p = &c->proc[c->last_proc];
    int nargs;

    if (!op)
        return -1;
    ev.call = pfw_names_get (c->names, op)->call;
    p->p.layers |= layer_of (pfw_names_get (c->names, op));
    if (ev.call != CALL_region)
        put_call (c, l, &ev);
    else if ((nargs = put_args (c, l, args)) < 0)
        return -1;
    else
        ev.nargs = (uint16_t)nargs;
    return pfw_writer_add (c->writer, c->thread, &ev, args);
}

static int take (void *cookie, const struct pfw_line *l)
{
    struct convert *c = cookie;
    struct proc *p;

    if (l->phase == PFW_PHASE_META)
        return take_meta (c, l);
    if (l->ts > US_MAX || l->dur > US_MAX) {
        c->account->bad++;
        return 0;
    }
    if (find_thread (c, l) < 0)
        return -1;
    p = &c->proc[c->last_proc];
    if (l->ts * NS_PER_US < p->first)
        p->first = l->ts * NS_PER_US;
    if (text_is (&l->cat, "dftracer") &&
        (text_is (&l->name, "start") || text_is (&l->name, "end"))) {
        take_own (c, l);
        return 0;
    }
    return put_event (c, l);
}

/* --- blocks of processes ---------------------------------------------- */

static size_t
put_string (struct convert *c, char *to, size_t at, uint32_t number, size_t max)
{
    const struct pfw_name *name = pfw_names_get (c->names, number);
    size_t n = name ? name->length : 0;

    if (n > max)
        n = max;
    if (n)
        memcpy (to + at, name->text, n);
    to[at + n] = '\0';
    return at + n + 1;
}

static int write_proc (struct convert *c, int fd, uint32_t number)
{
    struct proc *p = &c->proc[number];
    struct shard_block b = {.magic = SHARD_MAGIC,
                            .type = SHARD_BLOCK_PROCESS,
                            .flags = SHARD_SEALED,
                            .proc = number,
                            .capacity = SHARD_PROCESS_BYTES};
    struct {
        struct shard_process p;
        char strings[STRINGS_MAX];
    } payload;
    size_t n = 0;

    if (p->first == UINT64_MAX) /* only metadata */
        p->first = 0;
    p->p.start_real = p->p.start_ns = p->p.start_tick = p->first;
    if (p->p.end_ns && p->p.end_ns <= p->first)
        p->p.end_ns = p->first + 1;
    pfw_writer_sums (c->writer, number, &p->p.events_sealed, &p->p.chunks);
    n = put_string (c, payload.strings, n, p->host, 256);
    n = put_string (c, payload.strings, n, p->exe, 1024);
    n = put_string (c, payload.strings, n, 0, 0);
    n = put_string (c, payload.strings, n, 0, 0);
    n = put_string (c, payload.strings, n, p->argv, EVENT_NAME_MAX);
    p->p.strings_bytes = (uint32_t)n;
    payload.p = p->p;
    b.commit = sizeof (payload.p) + n;
    b.check = shard_block_check (&b);
    b.checksum = shard_process_sum (&payload, n);
    return pfw_write_at (fd, &b, sizeof (b), p->offset) < 0 ||
                   pfw_write_at (fd, &payload, sizeof (payload.p) + n,
                                 p->offset + sizeof (b)) < 0
               ? -1
               : 0;
}

static int finish (struct convert *c, int fd)
{
    if (pfw_writer_flush (c->writer) < 0)
        return -1;
    for (size_t i = 0; i < c->procs; i++)
        if (write_proc (c, fd, (uint32_t)i) < 0)
            return -1;
    for (size_t i = 1; i <= pfw_names_count (c->names); i++)
        c->account->unnamed +=
            pfw_names_get (c->names, (uint32_t)i)->undefined != 0;
    return 0;
}

/* --- all of it ---------------------------------------------------------- */

int pfw_convert (int from, int to, struct pfw_account *account)
{
    struct convert c = {.account = account,
                        .names = pfw_names_create (),
                        .pids = strmap_create ()};
    int rc = -1;

    if (c.names && c.pids)
        c.writer = pfw_writer_create (to, c.names);
    if (c.writer && pfw_read (from, account, take, &c) == 0)
        rc = finish (&c, to);
    pfw_writer_destroy (c.writer);
    pfw_names_destroy (c.names);
    strmap_destroy (c.pids);
    free (c.proc);
    return rc;
}
