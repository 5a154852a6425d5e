/* SPDX-License-Identifier: MIT
 *
 * roles.h - which axis of a sweep is x, which are rows, which are panels; pure
 */
#pragma once

#include "analyze/report/study/sweepdata.h"

enum { NO_AXIS = -1, PANELS_MAX = 48 };

struct axis_roles {
    int x, y;            /* index of the axis, or NO_AXIS */
    int panel[AXES_MAX]; /* the axes whose levels, combined, are panels */
    size_t panel_axes;
    size_t panels; /* combinations, at least 1 */
};

/* Axes with one level play no role, unless there is no other. One axis is x.
 * Of two, a numeric one is x, else the one with more levels,
 * else the later one; the other one is y. Of three or more, the wordy axis with
 * the fewest levels (without a wordy one, the one with the fewest) makes
 * panels, and so on until two are left. */
void roles_choose (struct axis_roles *r, const struct axis *axis, size_t axes);

/* Choose roles with a given axis for x or y (NO_AXIS: any). */
void roles_choose_for (
    struct axis_roles *r, const struct axis *axis, size_t axes, int x, int y);

/* Levels of a panel: sets level[axis] for each of its axes. */
void roles_panel (const struct axis_roles *r,
                  const struct axis *axis,
                  size_t panel,
                  size_t level[AXES_MAX]);

/* "mmap"; "mmap, workers 2". Returns buf. */
char *roles_panel_name (const struct axis_roles *r,
                        const struct axis *axis,
                        size_t panel,
                        char *buf,
                        size_t room);
