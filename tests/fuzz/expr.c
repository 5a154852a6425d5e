/* SPDX-License-Identifier: MIT
 *
 * expr.c - any bytes as a template and as an expression: no crash, no
 *          undefined arithmetic, an error always has a text and a place
 *
 * make fuzz-expr FUZZ_SECONDS=60
 */
#include "config.h"

#include <setjmp.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "sweep/spec/template.h"

int LLVMFuzzerTestOneInput (const uint8_t *data, size_t size);

static const char *const names[] = {"seq", "gbs", "access", "none", NULL};

static jmp_buf failed;

/* A mistake has a text, and lies in that of the input. */
static void fuzz_mistake (void *input, size_t offset, const char *problem)
{
    if (!*problem || offset > strlen (input))
        abort ();
    longjmp (failed, 1);
}

static void eval_both (char *text, const struct value *column)
{
    const struct mistakes m = {fuzz_mistake, text, 0};
    struct value v;

    if (!setjmp (failed)) {
        struct expr *e = expr_parse (text, NULL, &m);

        expr_bind (e, names, &m);
        v = expr_eval (e, column, &m);
        (void)value_show (&v);
    }
    if (!setjmp (failed)) {
        struct template *t = template_parse (text, 0, &m);

        template_bind (t, names, &m);
        v = template_eval (t, column, &m);
        (void)value_text (&v);
    }
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
