/* SPDX-License-Identifier: MIT
 *
 * screenfindings.h - what could be saved, on the first screen (for screen.c)
 */
#ifndef DFT_ANALYZE_SCREENFINDINGS_H
#define DFT_ANALYZE_SCREENFINDINGS_H

#include "analyze/tables/screenline.h"
#include "analyze/tables/views.h"

/* Add what there is room for before the last line of the screen. */
void screen_put_findings (struct screen *s, const struct result *r);

#endif
