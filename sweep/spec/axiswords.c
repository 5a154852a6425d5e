/* SPDX-License-Identifier: MIT
 *
 * axiswords.c - "access=mmap:direct", "data=mock", "seq,gbs" -> axes, values
 */
#include "config.h"

#include <errno.h>
#include <string.h>

#include "lib/util/optparse.h"
#include "sweep/results/compare.h"

static int
axis_named (const struct sweepdir *d, const char *name, struct errtext *err)
{
    const struct spec *s = d->spec;
    const char **names = arena_array (d->arena, s->axes + 1, sizeof (*names));
    const char *near;

    for (size_t i = 0; i < s->axes; i++) {
        names[i] = s->column[i];
        if (!strcmp (names[i], name))
            return (int)i;
    }
    near = nearest_word (name, names);
    errno = EINVAL;
    return errf (err, "%s: no such axis%s%s%s", name,
                 near ? ": did you mean \"" : "", near ? near : "",
                 near ? "\"?" : "");
}

static int value_named (const struct sweepdir *d,
                        int axis,
                        const char *text,
                        struct value *out,
                        struct errtext *err)
{
    for (int as_number = 0; as_number <= 1; as_number++)
        for (size_t i = 0; i < d->grid->count; i++) {
            *out = d->grid->point[i].column[axis];
            if (value_is_called (d->arena, out, text, as_number))
                return 0;
        }
    errno = EINVAL;
    return errf (err, "%s: no point has %s=%s", text, d->spec->column[axis],
                 text);
}

int compare_parse (const struct sweepdir *d,
                   const char *text,
                   struct compare *out,
                   struct errtext *err)
{
    const char *equals = strchr (text, '=');
    const char *colon = equals ? strchr (equals, ':') : NULL;
    struct arena *a = d->arena;

    errno = EINVAL;
    if (!colon)
        return errf (err, "%s: AXIS=VALUE:VALUE should be here", text);
    out->axis =
        axis_named (d, arena_copy (a, text, (size_t)(equals - text)), err);
    if (out->axis < 0 ||
        value_named (d, out->axis,
                     arena_copy (a, equals + 1, (size_t)(colon - equals - 1)),
                     &out->left, err) < 0)
        return -1;
    return value_named (d, out->axis, colon + 1, &out->right, err);
}

int group_parse (const struct sweepdir *d,
                 const char *text,
                 int **axis,
                 size_t *count,
                 struct errtext *err)
{
    *axis = arena_array (d->arena, strlen (text) + 1, sizeof (**axis));
    *count = 0;
    while (*text) {
        const char *name = arena_copy (d->arena, text, strcspn (text, ","));
        int found = axis_named (d, name, err);

        if (found < 0)
            return -1;
        (*axis)[(*count)++] = found;
        text += strlen (name);
        text += *text == ',';
    }
    return 0;
}

int baseline_parse (const struct sweepdir *d,
                    const char *text,
                    struct compare *out,
                    struct errtext *err)
{
    const char *equals = strchr (text, '=');

    errno = EINVAL;
    if (!equals)
        return errf (err, "%s: AXIS=VALUE should be here", text);
    out->axis = axis_named (
        d, arena_copy (d->arena, text, (size_t)(equals - text)), err);
    if (out->axis < 0)
        return -1;
    return value_named (d, out->axis, equals + 1, &out->left, err);
}
