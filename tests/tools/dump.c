/* SPDX-License-Identifier: MIT
 *
 * dump.c - shards -> one line per event, for the tests
 *
 * dump FILE…
 *   PID TID CALL fd=N file=PATH [file2=PATH] size=N off=N ret=N err=N flags=N
 *   start=NS dur=NS class=WORD [KEY=N of an argument]
 * and per file "#health events=… lost=… …"; counted: calls in profiles. Exit
 * status 1 when a file cannot be read as a trace.
 */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/format/profile.h"
#include "lib/format/event.h"
#include "lib/format/tracefile.h"

static void put_name (const char *key, const struct decoder *d, uint32_t id)
{
    const struct name *n = decoder_name (d, id);

    if (!n)
        return;
    printf (" %s=", key);
    for (uint32_t i = 0; i < n->length; i++) {
        unsigned char c = (unsigned char)n->text[i];

        if (c == 0)
            putchar ('|');
        else if (c <= ' ' || c > '~')
            printf ("\\x%02x", c);
        else
            putchar (c);
    }
}

static void put_event (const struct trace_process *p,
                       const struct trace_chunk *c,
                       const struct decoder *d,
                       const struct event *ev)
{
    const struct name *n = decoder_name (d, ev->file);
    uint64_t start = ev->start;

    printf ("%u %u %s", p->p.pid,
            call_is_wait (ev->call) ? wait_tid (ev->flags, c->head.tid)
                                    : c->head.tid,
            call_table[ev->call].name);
    if (call_table[ev->call].fields & F_FD)
        printf (" fd=%d", ev->fd);
    put_name ("file", d, ev->file);
    put_name ("file2", d, ev->file2);
    printf (" size=%" PRIu64 " off=%" PRId64 " ret=%" PRId64 " err=%d"
            " flags=%" PRIu64 " start=%" PRIu64 " dur=%" PRIu64 " class=%s",
            ev->size, ev->offset, ev->ret, ev->err, ev->flags, start,
            ev->end - start,
            n ? file_class_name ((enum file_class)n->class) : "none");
    for (int i = 0; i < ev->nargs && ev->args[i].type == EVENT_ARG_INT; i++) {
        n = decoder_name (d, ev->args[i].key);
        printf (" %.*s=%" PRId64, (int)n->length, n->text, ev->args[i].i);
    }
    putchar ('\n');
}

static int dump_chunk (const struct tracefile *f, const struct trace_chunk *c)
{
    const struct trace_process *p = tracefile_process (f, c->head.proc);
    unsigned char *buf = malloc (c->present ? c->present : 1);
    struct decoder d = {0};
    struct event ev;
    ssize_t n = buf ? tracefile_read (f, c, buf) : -1;
    int rc = -1;

    if (n >= 0 && decoder_begin (&d, &c->head, buf, (size_t)n) == 0)
        while ((rc = decoder_next (&d, &ev)) == 1)
            put_event (p, c, &d, &ev);
    decoder_end (&d);
    free (buf);
    return rc;
}

/* Calls in a block of a profile. */
static uint64_t dump_counted (const struct tracefile *f,
                              const struct trace_chunk *c)
{
    unsigned char *buf = malloc (c->present ? c->present : 1);
    ssize_t n = buf ? tracefile_read (f, c, buf) : -1;
    uint64_t calls = 0;
    struct profile_row row;

    for (ssize_t at = 0; at + PROFILE_ALIGN <= n;) {
        size_t left = (size_t)(n - at);

        memset (&row, 0, sizeof (row));
        memcpy (&row, buf + at, left < sizeof (row) ? left : sizeof (row));
        if (!row.head.bytes)
            break;
        calls += row.head.type == PROFILE_ROW ? row.n[PROFILE_calls] : 0;
        at += row.head.bytes * PROFILE_ALIGN;
    }
    free (buf);
    return calls;
}

static int dump_file (const char *path)
{
    struct errtext err;
    struct tracefile *f = tracefile_open (path, &err);
    const struct trace_health *h;
    uint64_t untraced = 0, rings = 0, counted = 0;
    int rc = 0;

    if (!f) {
        fprintf (stderr, "dump: %s: %s\n", path, err.text);
        return -1;
    }
    for (size_t i = 0; i < tracefile_chunks (f); i++)
        if (dump_chunk (f, tracefile_chunk (f, i)) < 0)
            rc = -1;
    for (size_t i = 0; i < tracefile_processes (f); i++) {
        untraced += tracefile_process (f, i)->p.untraced;
        rings += tracefile_process (f, i)->p.rings;
    }
    for (size_t i = 0; i < tracefile_profiles (f); i++)
        counted += dump_counted (f, tracefile_profile (f, i));
    h = tracefile_health (f);
    printf ("#health pid=%u events=%" PRIu64 " lost=%" PRIu64
            " lost_names=%" PRIu64 " missing=%" PRIu64 " cut=%" PRIu64
            " unfinished=%u untraced=%" PRIu64 " rings=%" PRIu64
            " processes=%u counted=%" PRIu64 "\n",
            tracefile_process (f, 0)->p.pid, h->events, h->lost, h->lost_names,
            h->missing, h->chunks_cut, h->unfinished, untraced, rings,
            h->processes, counted);
    tracefile_close (f);
    return rc;
}

int main (int argc, char **argv)
{
    int status = 0;

    for (int i = 1; i < argc; i++)
        if (dump_file (argv[i]) < 0)
            status = 1;
    return status;
}
