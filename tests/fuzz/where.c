/* SPDX-License-Identifier: MIT
 *
 * where.c - any bytes as conditions, keys and measures: no crash, a mistake
 * always has a text, and after it the condition is as before
 *
 * make fuzz-where FUZZ_SECONDS=60
 */
#include "config.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/query/show.h"

int LLVMFuzzerTestOneInput (const uint8_t *data, size_t size);

static void add_both (struct where *w, const char *text)
{
    struct errtext err = {""};
    int nodes = w->nodes, terms = w->terms;

    if (where_add (w, text, &err) == 0) {
        if (w->terms != terms + 1 || w->root >= w->nodes)
            abort ();
    } else if (!err.text[0] || w->nodes != nodes || w->terms != terms)
        abort ();
}

int LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
    struct where w = {.terms = 0};
    struct query q = {.keys = 0};
    struct show show;
    struct errtext err = {""};
    char *text = malloc (size + 1);

    if (!text)
        return 0;
    memcpy (text, data, size);
    text[size] = '\0';
    add_both (&w, text);
    add_both (&w, "dur > 1ms");
    add_both (&w, text);
    if (query_parse_keys (&q, text, &err) < 0 && !err.text[0])
        abort ();
    if (show_parse (&show, &q, text, &err) < 0 && !err.text[0])
        abort ();
    where_clear (&w);
    free (text);
    return 0;
}
