/* SPDX-License-Identifier: MIT
 *
 * leftout.h - why bytes are not recorded
 */
#ifndef DFT_CORE_LEFTOUT_H
#define DFT_CORE_LEFTOUT_H

enum leftout {
#define LEFTOUT(WORD, TITLE, HELP) LEFTOUT_##WORD,
#include "lib/format/leftout.def"
#undef LEFTOUT
    LEFTOUTS
};

#endif
