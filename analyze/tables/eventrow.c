/* SPDX-License-Identifier: MIT
 *
 * eventrow.c - an event that is kept -> a row of --view event
 *
 * In:  events, from eventtable.c
 * Out: rows of a table
 */
#include "config.h"

#include "analyze/tables/eventrow.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "analyze/scan/where.h"
#include "analyze/trace/batch.h"
#include "lib/base/programkind.h"

void eventrow_columns (struct textable *t)
{
    textable_column (t, "time_s", "time", "s", 1);
    textable_column (t, "dur_us", "dur", "us", 1);
    textable_column (t, "host", "host", "", 0);
    textable_column (t, "rank", "rank", "", 1);
    textable_column (t, "pid", "pid", "", 1);
    textable_column (t, "tid", "tid", "", 1);
    textable_column (t, "step", "step", "", 1);
    textable_column (t, "cat", "cat", "", 0);
    textable_column (t, "name", "name", "", 0);
    textable_column (t, "size", "size", "B", 1);
    textable_column (t, "bytes", "bytes", "B", 1);
    textable_column (t, "offset", "offset", "B", 1);
    textable_column (t, "errno", "errno", "", 0);
    textable_column (t, "file", "file", "", 0);
    textable_column (t, "args", "args", "", 0);
}

static void eventrow_number (struct textable *t, int has, int64_t x)
{
    if (!has)
        textable_na (t);
    else if (x < 0)
        textable_double (t, (double)x, 0);
    else
        textable_uint (t, (uint64_t)x);
}

/* Arguments of a region; of a program that could not be followed, why. */
static void
eventrow_args (const struct eventrow *e, const struct dict *d, FILE *f)
{
    if (e->call == CALL_exec_untraced && e->flags < PROGRAM_KINDS)
        (void)fprintf (f, "reason=%s",
                       programkind_reason ((enum program_kind)e->flags));
    for (uint32_t i = 0; i < e->args; i++) {
        const struct batch_arg *a = &e->arg[i];
        const struct dict_entry *key = dict_entry (d, a->key), *text;

        (void)fprintf (f, "%s%s=", i ? " " : "", key ? key->text : "");
        if (a->type == EVENT_ARG_INT)
            (void)fprintf (f, "%" PRId64, a->i);
        else if (a->type == EVENT_ARG_DOUBLE)
            (void)fprintf (f, "%.9g", a->d);
        else if ((text = dict_entry (d, a->text)))
            (void)fputs (text->text, f);
    }
}

int eventrow_put (struct textable *t,
                  const struct eventrow *e,
                  const struct dict *dict,
                  uint64_t start)
{
    const struct call_info *info = &call_table[e->call];
    uint32_t names[1] = {e->name}, second[1] = {e->name2};
    uint16_t call[1] = {e->call};
    const struct batch one = {.call = call, .name = names, .name2 = second};
    struct evname n = evname_of (dict, &one, 0);
    char buf[32], *args = NULL;
    size_t length;
    FILE *f = open_memstream (&args, &length);

    if (!f)
        return -1;
    eventrow_args (e, dict, f);
    if (fclose (f) != 0) {
        free (args);
        return -1;
    }
    textable_row (t);
    textable_double (t, (double)(int64_t)(e->start - start) / 1e9, 6);
    textable_double (t, (double)(e->end - e->start) / 1e3, 2);
    textable_text (t, e->who->text[SHARD_STRING_HOST]);
    eventrow_number (t, e->rank >= 0, e->rank);
    textable_uint (t, e->who->p.pid);
    textable_uint (t, e->tid);
    eventrow_number (t, e->step >= 0, e->step);
    textable_text (t, n.category);
    textable_text (t, n.name);
    eventrow_number (t, info->fields & F_SIZE, (int64_t)e->size);
    eventrow_number (t, e->has_bytes, (int64_t)e->bytes);
    eventrow_number (t, info->fields & F_OFFSET && e->offset >= 0, e->offset);
    textable_text (t, e->error ? where_errno_name (e->error, buf) : "");
    textable_text (t, n.file);
    textable_text (t, args);
    free (args);
    return 0;
}
