/* SPDX-License-Identifier: MIT
 *
 * pointfault.c - facts of a trace -> trace points that do not work
 *
 * In:  metadata events, from scan.c and `dftrace stat`
 * Out: texts, each once
 */
#include "config.h"

#include "analyze/scan/pointfault.h"
#include "lib/base/array.h"
#include "lib/util/xalloc.h"

#include <ctype.h>

const struct pointfault_info pointfault_table[POINTFAULT_COUNT] = {
    [POINTFAULT_BAD] = {"bad_points", "bad", "lines that make no sense"},
    [POINTFAULT_UNRESOLVED] = {"unresolved_points", "unresolved",
                               "names that are not there"},
    [POINTFAULT_UNHOOKED] = {"unhooked_python", "no hook",
                             "processes of Python without any trace points"},
    [POINTFAULT_FRAMEWORK] = {"frameworks", "imported",
                              "frameworks that a process imported"},
    [POINTFAULT_SOURCE] = {"source", "line",
                           "lines that open files, start programs, connect"},
};

/* Values of the maps are counts, not pointers. */
static void
pointfault_count (struct strmap **m, const char *text, size_t n, uint64_t times)
{
    int64_t at;

    if (!*m)
        *m = strmap_create ();
    at = strmap_intern (*m, text, n, NULL);
    times += (uintptr_t)strmap_value (*m, at);
    strmap_set (*m, at, (void *)(uintptr_t)times);
}

void pointfaults_take (struct pointfaults *p,
                       const struct dict *dict,
                       const struct batch *b,
                       size_t i)
{
    for (uint32_t a = b->arg[i]; a < b->arg[i + 1]; a++) {
        const struct batch_arg *arg = &b->args[a];
        const struct dict_entry *key = dict_entry (dict, arg->key), *text;

        if (arg->type != EVENT_ARG_TEXT || !key ||
            !(text = dict_entry (dict, arg->text)))
            continue;
        for (int f = 0; f < POINTFAULT_COUNT; f++)
            if (strcmp (key->text, pointfault_table[f].key) == 0)
                pointfault_count (&p->reports[f], text->text, text->length, 1);
    }
}

void pointfaults_merge (struct pointfaults *p, const struct pointfaults *other)
{
    for (int f = 0; f < POINTFAULT_COUNT; f++) {
        const struct strmap *from = other->reports[f];

        for (size_t i = 0; from && i < strmap_count (from); i++) {
            size_t n;
            const char *text = strmap_key (from, i, &n);

            pointfault_count (&p->reports[f], text, n,
                              (uintptr_t)strmap_value (from, i));
        }
    }
}

void pointfaults_say (struct pointfaults *p,
                      enum pointfault what,
                      const char *text,
                      size_t length,
                      uint64_t times)
{
    pointfault_count (&p->reports[what], text, length, (uintptr_t)times);
}

struct report {
    const char *text;
    size_t length;
    uintptr_t times;
};

/* A text may hold any byte. */
static int by_text (const void *a, const void *b)
{
    const struct report *x = a, *y = b;
    size_t n = MIN (x->length, y->length);
    return memcmp (x->text, y->text, n) ?: ORDER (x->length, y->length);
}

static void sort_one (struct strmap **m)
{
    size_t n = strmap_count (*m);
    struct report *report = ZEROED (report, n + 1);
    struct strmap *sorted = NULL;

    for (size_t i = 0; i < n; i++) {
        report[i].text = strmap_key (*m, i, &report[i].length);
        report[i].times = (uintptr_t)strmap_value (*m, i);
    }
    SORT (report, n, by_text);
    for (size_t i = 0; i < n; i++)
        pointfault_count (&sorted, report[i].text, report[i].length,
                          report[i].times);
    free (report);
    strmap_destroy (*m);
    *m = sorted;
}

void pointfaults_sort (struct pointfaults *p)
{
    for (int f = 0; f < POINTFAULT_COUNT; f++)
        if (p->reports[f])
            sort_one (&p->reports[f]);
}

void pointfaults_clear (struct pointfaults *p)
{
    for (int f = 0; f < POINTFAULT_COUNT; f++)
        strmap_destroy (p->reports[f]);
    ZERO (p);
}

size_t pointfaults_count (const struct pointfaults *p, enum pointfault what)
{
    return p->reports[what] ? strmap_count (p->reports[what]) : 0;
}

size_t pointfaults_all (const struct pointfaults *p)
{
    size_t n = 0;

    for (int f = 0; f < POINTFAULT_FAULTS; f++)
        n += pointfaults_count (p, f);
    return n;
}

/* End of FILE:LINE: the ": " after a number, or the first ": " if the file
 * cannot be read. */
static size_t end_of_where (const char *text)
{
    const char *colon = strstr (text, ": ");

    for (const char *c = colon; c; c = strstr (c + 1, ": "))
        if (c > text && isdigit ((unsigned char)c[-1]))
            return c - text;
    return colon ? (size_t)(colon - text) : strlen (text);
}

struct pointfault_text
pointfaults_text (const struct pointfaults *p, enum pointfault what, size_t i)
{
    struct pointfault_text report = {
        .where = strmap_key (p->reports[what], i, NULL),
        .times = (uintptr_t)strmap_value (p->reports[what], i),
    };

    report.where_length = end_of_where (report.where);
    report.what = report.where + report.where_length;
    if (*report.what)
        report.what += sizeof (": ") - 1;
    return report;
}
