/* SPDX-License-Identifier: MIT
 *
 * showjson.c - what processes do now -> a line of JSON
 *
 * In:  struct live, after a look
 * Out: one line, for programs
 */
#include "config.h"

#include "lib/model/view.h"
#include "lib/util/json.h"
#include "analyze/top/show.h"

#define SHOWJSON_NAME(NAME) top_column_table[TOP_##NAME].name

static void showjson_json_sums (struct json *j, const struct live_sums *s)
{
    json_uint (j, SHOWJSON_NAME (events), s->events);
    json_uint (j, SHOWJSON_NAME (call_count), s->calls);
    json_uint (j, SHOWJSON_NAME (read_bytes), s->bytes[0]);
    json_uint (j, SHOWJSON_NAME (write_bytes), s->bytes[1]);
    json_double (j, SHOWJSON_NAME (io_sum_s), (double)s->io_ns / 1e9);
    json_double (j, SHOWJSON_NAME (stall_sum_s), (double)s->stall_ns / 1e9);
    if (s->counted)
        json_null (j, SHOWJSON_NAME (max_us));
    else
        json_double (j, SHOWJSON_NAME (max_us), (double)s->slowest_ns / 1e3);
}

static void showjson_json_process (struct json *j, const struct live_process *p)
{
    json_open (j, NULL, '{');
    json_text (j, SHOWJSON_NAME (job), p->job);
    json_text (j, SHOWJSON_NAME (host), p->host);
    json_uint (j, SHOWJSON_NAME (pid), p->pid);
    if (p->rank >= 0)
        json_int (j, SHOWJSON_NAME (rank), p->rank);
    else
        json_null (j, SHOWJSON_NAME (rank));
    json_text (j, SHOWJSON_NAME (command), p->command);
    json_bool (j, SHOWJSON_NAME (ended), p->ended);
    json_uint (j, SHOWJSON_NAME (lost_events), p->lost);
    json_uint (j, SHOWJSON_NAME (events_since_first_seen), p->total);
    if (p->last_ns)
        json_double (j, SHOWJSON_NAME (last_event_s), (double)p->last_ns / 1e9);
    else
        json_null (j, SHOWJSON_NAME (last_event_s));
    json_text (j, SHOWJSON_NAME (name), *p->last ? p->last : NULL);
    json_text (j, SHOWJSON_NAME (file), *p->file ? p->file : NULL);
    json_text (j, SHOWJSON_NAME (doing), *p->doing ? p->doing : NULL);
    json_text (j, SHOWJSON_NAME (doing_file),
               *p->doing_file ? p->doing_file : NULL);
    if (p->doing_ns)
        json_double (j, SHOWJSON_NAME (doing_since_s),
                     (double)p->doing_ns / 1e9);
    else
        json_null (j, SHOWJSON_NAME (doing_since_s));
    showjson_json_sums (j, &p->now);
    json_close (j, '}');
}

void show_json (const struct live *l, const struct page *page, FILE *out)
{
    struct json j;

    json_init (&j, out, 1);
    json_open (&j, NULL, '{');
    json_text (&j, "format", "dftrace-top");
    json_int (&j, "version", 2);
    json_double (&j, SHOWJSON_NAME (now_s), (double)page->now_ns / 1e9);
    json_double (&j, SHOWJSON_NAME (interval_s), live_seconds (l));
    json_open (&j, "total", '{');
    showjson_json_sums (&j, live_total (l));
    json_close (&j, '}');
    json_open (&j, "processes", '[');
    for (size_t i = 0; i < live_processes (l); i++)
        showjson_json_process (&j, live_process (l, i));
    json_close (&j, ']');
    json_close (&j, '}');
}
