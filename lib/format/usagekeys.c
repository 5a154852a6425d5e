/* SPDX-License-Identifier: MIT
 *
 * usagekeys.c - usage.def -> the text of each key
 */
#include "config.h"

#include "lib/format/usagekeys.h"

const char *const usage_keys[USAGE_COUNT] = {
#define USAGE(NAME, KEY, HELP) KEY,
#include "lib/format/usage.def"
#undef USAGE
};
