/* SPDX-License-Identifier: MIT
 *
 * template.h - text with ${expr} and ${expr:%05d} in it; $$ is a dollar
 */
#pragma once

#include "sweep/spec/expr.h"

struct template;

/* Parse a scalar; without a dollar the template is the scalar's value (so plain
 * numbers stay numbers). */
struct template *
template_parse (const char *text, int quoted, const struct mistakes *m);

void template_bind (struct template *t,
                    const char *const *names,
                    const struct mistakes *m);

/* True when one of its expressions uses the name in this place. */
int template_uses (const struct template *t, int place);

/* A template that is one ${expr} and nothing else gives the value itself;
 * any other gives text. */
struct value template_eval (const struct template *t,
                            const struct value *column,
                            const struct mistakes *m);
