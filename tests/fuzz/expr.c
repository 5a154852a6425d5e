/* SPDX-License-Identifier: MIT
 *
 * expr.c - any bytes as a template and as an expression: no crash, no
 *          undefined arithmetic, an error always has a text and a place
 *
 * make fuzz-expr FUZZ_SECONDS=60
 */
#include "config.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "sweep/spec/template.h"

int LLVMFuzzerTestOneInput (const uint8_t *data, size_t size);

static const char *const names[] = {"seq", "gbs", "access", "none", NULL};

static void eval_both (const char *text, const struct value *column)
{
    struct errtext err = {""};
    size_t fault = 0;
    struct value v;
    struct expr *e = expr_parse (text, NULL, &fault, &err);
    struct template *t;

    if (!e && (!err.text[0] || fault > strlen (text)))
        abort ();
    if (e && expr_bind (e, names, &fault, &err) == 0 &&
        expr_eval (e, column, &v, &err) == 0)
        (void)value_show (&v);
    fault = 0;
    err.text[0] = '\0';
    t = template_parse (text, 0, &fault, &err);
    if (!t && (!err.text[0] || fault > strlen (text)))
        abort ();
    if (t && template_bind (t, names, &fault, &err) == 0 &&
        template_eval (t, column, &v, &err) == 0)
        (void)value_text (&v);
}

int LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
    void *mark = arena_alloc (1);
    struct value column[4];

    column[0] = value_int (2048);
    column[1] = value_decimal (0.5);
    column[2] = value_str ("mmap");
    column[3] = value_null ();
    eval_both (arena_copy ((const char *)data, size), column);
    arena_free (mark);
    return 0;
}
