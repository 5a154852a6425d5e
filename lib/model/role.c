/* SPDX-License-Identifier: MIT
 *
 * role.c - category and name of a region -> its role in the metrics
 *
 * In:  names from the traces, rows of roles.def
 * Out: enum role, to tally.c
 */
#include "config.h"

#include "lib/model/role.h"

#include <stddef.h>

#include "lib/model/pattern.h"

static const struct {
    enum role role;
    const char *categories, *names;
} rows[] = {
#define ROLE(NAME, CATEGORIES, NAMES, HELP) {ROLE_##NAME, CATEGORIES, NAMES},
#include "lib/model/roles.def"
#undef ROLE
};

static const struct {
    enum role_sample sample;
    const char *categories, *names;
} samples[] = {
#define ROLE(NAME, CATEGORIES, NAMES, HELP)
#define ROLE_SAMPLE(NAME, CATEGORIES, NAMES) \
    {ROLE_SAMPLE_##NAME, CATEGORIES, NAMES},
#include "lib/model/roles.def"
#undef ROLE_SAMPLE
#undef ROLE
};

enum role_sample role_sample_of (const char *category, const char *name)
{
    for (size_t i = 0; i < sizeof (samples) / sizeof (samples[0]); i++)
        if (pattern_match (samples[i].categories, category) &&
            pattern_match (samples[i].names, name))
            return samples[i].sample;
    return ROLE_SAMPLE_NONE;
}

enum role role_of (const char *category, const char *name)
{
    for (size_t i = 0; i < sizeof (rows) / sizeof (rows[0]); i++)
        if (pattern_match (rows[i].categories, category) &&
            pattern_match (rows[i].names, name))
            return rows[i].role;
    return ROLE_NONE;
}

const char *role_word (enum role role)
{
    static const char *const words[ROLE_COUNT] = {
        "-",       "loader", "stall",      "checkpoint", "compute",
        "barrier", "epoch",  "collective", "body"};

    return words[role];
}
