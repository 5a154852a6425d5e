/* SPDX-License-Identifier: MIT
 *
 * style.h - the look of a page: colours for light, dark and paper; sorting
 */
#ifndef DFT_CHART_STYLE_H
#define DFT_CHART_STYLE_H

enum {
    STYLE_SERIES = 8, /* classes c0…c7: colours of categories */
    STYLE_HEAT = 12   /* classes h0…h11: from little to much; t0… on them */
};

extern const char style_sheet[];
extern const char style_svg[]; /* of a drawing that is no part of a page */
extern const char style_script[];

#endif
