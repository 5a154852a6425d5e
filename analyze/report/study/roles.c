/* SPDX-License-Identifier: MIT
 *
 * roles.c - which axis of a sweep is x, which are rows, which are panels
 *
 * In:  axes with their levels
 * Out: roles, to the figures of a sweep; pure
 */
#include "config.h"

#include "analyze/report/study/roles.h"
#include "lib/base/array.h"

/* The axis of the n at which[] that makes the best panels. */
static size_t
roles_for_panels (const struct axis *axis, const int *which, size_t n)
{
    size_t best = 0;

    for (size_t i = 1; i < n; i++) {
        const struct axis *a = &axis[which[i]], *b = &axis[which[best]];

        if (a->numeric != b->numeric ? !a->numeric : a->levels <= b->levels)
            best = i;
    }
    return best;
}

/* Panels of the axes left until `most` of them are. */
static size_t roles_take_panels (struct axis_roles *r,
                                 const struct axis *axis,
                                 int *left,
                                 size_t n,
                                 size_t most)
{
    while (n > most) {
        size_t at = roles_for_panels (axis, left, n);

        r->panel[r->panel_axes++] = left[at];
        r->panels *= axis[left[at]].levels;
        memmove (left + at, left + at + 1, (n - at - 1) * sizeof (left[0]));
        n--;
    }
    return n;
}

void roles_choose_for (
    struct axis_roles *r, const struct axis *axis, size_t axes, int x, int y)
{
    int left[AXES_MAX];
    size_t n = 0, asked = (size_t)(x >= 0) + (size_t)(y >= 0);

    roles_choose (r, axis, axes);
    if (!asked)
        return;
    r->panels = 1;
    r->panel_axes = 0;
    for (size_t i = 0; i < axes && i < AXES_MAX; i++)
        if (axis[i].levels > 1 && (int)i != x && (int)i != y)
            left[n++] = (int)i;
    n = roles_take_panels (r, axis, left, n, 2 - asked);
    r->x = x >= 0 ? x : n ? left[0] : NO_AXIS;
    r->y = y >= 0 ? y : n ? left[0] : NO_AXIS;
}

void roles_choose (struct axis_roles *r, const struct axis *axis, size_t axes)
{
    int left[AXES_MAX];
    size_t n = 0;

    ZERO (r);
    r->x = r->y = NO_AXIS;
    r->panels = 1;
    for (size_t i = 0; i < axes && i < AXES_MAX; i++)
        if (axis[i].levels > 1)
            left[n++] = (int)i;
    if (n == 0 && axes > 0)
        left[n++] = 0;
    n = roles_take_panels (r, axis, left, n, 2);
    if (n > 0)
        r->x = left[n - 1];
    if (n == 2) {
        const struct axis *a = &axis[left[0]], *b = &axis[left[1]];
        int first =
            a->numeric != b->numeric ? a->numeric : a->levels > b->levels;

        r->x = left[!first];
        r->y = left[first];
    }
}

void roles_panel (const struct axis_roles *r,
                  const struct axis *axis,
                  size_t panel,
                  size_t level[AXES_MAX])
{
    for (size_t i = r->panel_axes; i-- > 0;) {
        size_t n = axis[r->panel[i]].levels;

        level[r->panel[i]] = panel % n;
        panel /= n;
    }
}

char *roles_panel_name (const struct axis_roles *r,
                        const struct axis *axis,
                        size_t panel,
                        char *buf,
                        size_t room)
{
    size_t level[AXES_MAX] = {0}, at = 0;

    buf[0] = '\0';
    roles_panel (r, axis, panel, level);
    for (size_t i = 0; i < r->panel_axes && at < room; i++) {
        const struct axis *a = &axis[r->panel[i]];
        int n = snprintf (buf + at, room - at, "%s%s%s%s", i ? ", " : "",
                          a->numeric ? a->name : "", a->numeric ? " " : "",
                          a->level[level[r->panel[i]]]);

        if (n < 0)
            break;
        at += n;
    }
    return buf;
}
