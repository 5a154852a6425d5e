/* SPDX-License-Identifier: MIT
 *
 * showjson.c - what processes do now -> a line of JSON
 *
 * In:  struct live, after a look
 * Out: one line, for programs
 */
#include "config.h"

#include "lib/util/json.h"
#include "top/show.h"

static void showjson_json_sums (struct json *j, const struct live_sums *s)
{
    json_uint (j, "events", s->events);
    json_uint (j, "calls", s->calls);
    json_uint (j, "read_bytes", s->bytes[0]);
    json_uint (j, "write_bytes", s->bytes[1]);
    json_double (j, "io_s", (double)s->io_ns / 1e9);
    json_double (j, "stall_s", (double)s->stall_ns / 1e9);
    json_double (j, "slowest_s", (double)s->slowest_ns / 1e9);
}

static void showjson_json_process (struct json *j, const struct live_process *p)
{
    json_open (j, NULL, '{');
    json_text (j, "job", p->job);
    json_text (j, "host", p->host);
    json_uint (j, "pid", p->pid);
    if (p->rank >= 0)
        json_int (j, "rank", p->rank);
    else
        json_null (j, "rank");
    json_text (j, "command", p->command);
    json_bool (j, "ended", p->ended);
    json_uint (j, "lost", p->lost);
    json_uint (j, "events_since_first_seen", p->total);
    if (p->last_ns)
        json_double (j, "last_event_s", (double)p->last_ns / 1e9);
    else
        json_null (j, "last_event_s");
    json_text (j, "last", *p->last ? p->last : NULL);
    json_text (j, "file", *p->file ? p->file : NULL);
    showjson_json_sums (j, &p->now);
    json_close (j, '}');
}

void show_json (const struct live *l, const struct page *page, FILE *out)
{
    struct json j;

    json_init (&j, out, 1);
    json_open (&j, NULL, '{');
    json_text (&j, "format", "dftrace-top");
    json_int (&j, "version", 1);
    json_double (&j, "time_s", (double)page->now_ns / 1e9);
    json_double (&j, "seconds", live_seconds (l));
    json_open (&j, "total", '{');
    showjson_json_sums (&j, live_total (l));
    json_close (&j, '}');
    json_open (&j, "processes", '[');
    for (size_t i = 0; i < live_processes (l); i++)
        showjson_json_process (&j, live_process (l, i));
    json_close (&j, ']');
    json_close (&j, '}');
}
