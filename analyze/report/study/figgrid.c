/* SPDX-License-Identifier: MIT
 *
 * figgrid.c - a metric of a sweep as panels x rows x columns of cells
 *
 * In:  points, roles of their axes
 * Out: cells in the order in which figures want them
 */
#include "config.h"

#include "analyze/report/study/figgrid.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/util/fsutil.h"

static const char *figgrid_keep (struct figgrid *g, char *text)
{
    if (text)
        g->text[g->texts++] = text;
    return text ? text : "";
}

static int figgrid_allocate (struct figgrid *g)
{
    g->cell = calloc (g->cells, sizeof (*g->cell));
    g->point = calloc (g->cells, sizeof (*g->point));
    g->x = calloc (g->nx, sizeof (*g->x));
    g->y = calloc (g->ny, sizeof (*g->y));
    g->inner = calloc (g->cells, sizeof (*g->inner));
    g->y_words = calloc (g->ny, sizeof (*g->y_words));
    g->group = calloc (g->panels * g->ny, sizeof (*g->group));
    g->panel = calloc (g->panels, sizeof (*g->panel));
    g->text = calloc (g->panels * (g->ny + 1) + g->ny, sizeof (*g->text));
    return g->cell && g->point && g->x && g->y && g->inner && g->y_words &&
                   g->group && g->panel && g->text
               ? 0
               : -1;
}

static void figgrid_name_rows (struct figgrid *g, const struct axis *y)
{
    for (size_t i = 0; i < g->ny; i++) {
        g->y[i] = y ? y->level[i] : "";
        g->y_words[i] =
            y ? figgrid_keep (
                    g, y->numeric ? text_format ("%s %s", y->name, y->level[i])
                                  : strdup (y->level[i]))
              : "";
    }
    g->y_name = y ? y->name : NULL;
}

static void figgrid_name_panels (struct figgrid *g,
                                 const struct sweepdata *d,
                                 const struct axis_roles *roles)
{
    char buf[256];

    for (size_t p = 0; p < g->panels; p++) {
        const char *name = figgrid_keep (
            g,
            strdup (roles_panel_name (roles, d->axis, p, buf, sizeof (buf))));

        g->panel[p] = name;
        for (size_t i = 0; i < g->ny; i++)
            g->group[p * g->ny + i] =
                !name[0] ? g->y_words[i]
                : !g->y_words[i][0]
                    ? name
                    : figgrid_keep (
                          g, text_format ("%s, %s", name, g->y_words[i]));
    }
    g->group_name = g->panels > 1 || g->ny > 1 ? "configuration" : NULL;
}

static void figgrid_fill (struct figgrid *g,
                          const struct sweepdata *d,
                          const struct axis_roles *roles,
                          const char *metric)
{
    size_t level[AXES_MAX] = {0};

    for (size_t i = 0; i < g->cells; i++) {
        struct cell *c = &g->cell[i];

        if (roles->x >= 0)
            level[roles->x] = i % g->nx;
        if (roles->y >= 0)
            level[roles->y] = i / g->nx % g->ny;
        roles_panel (roles, d->axis, i / g->nx / g->ny, level);
        g->inner[i] = g->x[i % g->nx];
        g->point[i] = sweepdata_at (d, level);
        if (g->point[i] >= 0) {
            *c = sweepdata_cell (d, (size_t)g->point[i], metric);
        } else {
            c->v = c->lo = c->hi = NAN;
            c->absent = 1;
        }
    }
}

struct figgrid *figgrid_create (const struct sweepdata *d,
                                const struct axis_roles *roles,
                                const char *metric)
{
    struct figgrid *g = calloc (1, sizeof (*g));
    const struct axis *x = roles->x >= 0 ? &d->axis[roles->x] : NULL;
    const struct axis *y = roles->y >= 0 ? &d->axis[roles->y] : NULL;

    if (!g)
        return NULL;
    g->nx = x && x->levels ? x->levels : 1;
    g->ny = y && y->levels ? y->levels : 1;
    g->panels = roles->panels;
    g->cells = g->nx * g->ny * g->panels;
    if (figgrid_allocate (g) < 0) {
        figgrid_destroy (g);
        errno = ENOMEM;
        return NULL;
    }
    for (size_t i = 0; i < g->nx; i++)
        g->x[i] = x && x->levels ? x->level[i] : "";
    g->x_name = x ? x->name : NULL;
    figgrid_name_rows (g, y);
    figgrid_name_panels (g, d, roles);
    figgrid_fill (g, d, roles, metric);
    return g;
}

void figgrid_destroy (struct figgrid *g)
{
    int saved = errno;

    if (!g)
        return;
    for (size_t i = 0; i < g->texts; i++)
        free (g->text[i]);
    free (g->text);
    free (g->cell);
    free (g->point);
    free (g->x);
    free (g->y);
    free (g->inner);
    free (g->y_words);
    free (g->group);
    free (g->panel);
    free (g);
    errno = saved;
}
