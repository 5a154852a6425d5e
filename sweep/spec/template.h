/* SPDX-License-Identifier: MIT
 *
 * template.h - text with ${expr} and ${expr:%05d} in it; $$ is a dollar
 */
#pragma once

#include "sweep/spec/expr.h"

struct template;

/* Parse a scalar; without a dollar the template is the scalar's value (so plain
 * true, null and numbers keep their type). On error NULL, err, *fault as
 * expr_parse. */
struct template *template_parse (const char *text,
                                 int quoted,
                                 size_t *fault,
                                 struct errtext *err);

int template_bind (struct template *t,
                   const char *const *names,
                   size_t *fault,
                   struct errtext *err);

/* True when one of its expressions uses the name in this place. */
int template_uses (const struct template *t, int place);

/* A template that is one ${expr} and nothing else gives the value itself;
 * every other one gives text. */
int template_eval (const struct template *t,
                   const struct value *column,
                   struct value *out,
                   struct errtext *err);
