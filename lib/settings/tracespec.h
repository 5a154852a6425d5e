/* SPDX-License-Identifier: MIT
 *
 * tracespec.h - "posix,app,dir=/x,max=2G" -> layers and settings
 *
 * What --dftrace= and SLURM_DFTRACE hold.
 */
#ifndef DFT_CORE_TRACESPEC_H
#define DFT_CORE_TRACESPEC_H

#include "lib/base/text.h"
#include "lib/settings/settings.h"

enum option_key {
#define OPTION_KEY(WORD, FIELD) OPTION_KEY_##FIELD,
#include "lib/settings/optionkeys.def"
#undef OPTION_KEY
    OPTION_KEY_COUNT
};

struct tracespec {
    int layers; /* set of enum layer; -1 when no layer is named */
    const char *value[OPTION_KEY_COUNT]; /* NULL: not said; in text */
    char text[SETTING_TEXT_MAX];
};

/* Parse text into spec, which points into itself: do not copy it. Every value
 * is checked. NULL, "" and "(null)" (what Slurm makes of a missing argument)
 * are errors. -1 and err on failure, and spec says nothing then. */
int tracespec_parse (struct tracespec *spec,
                     const char *text,
                     struct errtext *err);

/* Take the settings of spec, not its layers. 0; -1 and err when one is bad,
 * which tracespec_parse has ruled out. */
int tracespec_apply (const struct tracespec *spec,
                     struct settings *s,
                     struct errtext *err);

/* The table, for help: 0 <= key < OPTION_KEY_COUNT. */
const char *option_key_word (enum option_key key);
enum setting_id option_key_setting (enum option_key key);

#endif
