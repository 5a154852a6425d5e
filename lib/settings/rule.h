/* SPDX-License-Identifier: MIT
 *
 * rule.h - which jobs a site traces when they say nothing
 */
#ifndef DFT_CORE_RULE_H
#define DFT_CORE_RULE_H

#include <stddef.h>
#include <stdint.h>

#include "lib/base/errtext.h"
#include "lib/settings/jobdir.h"

enum { RULE_TEXT_MAX = 256 };

struct rule_range {
    uint64_t from, to; /* both included */
};

typedef char rule_NAMES[RULE_TEXT_MAX]; /* "" fits all */
typedef struct rule_range rule_RANGE;
typedef uint64_t rule_COUNT;
typedef unsigned rule_LAYERS;

struct rule {
#define RULE_KEY(FIELD, KIND, HELP) rule_##KIND FIELD;
#include "lib/settings/rules.def"
#undef RULE_KEY
};

/* A rule that fits every job and traces nothing. */
void rule_init (struct rule *r);

/* "partition=gpu nodes=4- layers=posix" into r. -1 and err, which names the
 * word. */
int rule_parse (struct rule *r, const char *text, struct errtext *err);

/* All conditions but `sample` hold. */
int rule_fits (const struct rule *r, const struct jobinfo *job);

/* This job is one of those in N: the same answer on every node, for each
 * step and component of a job. 0 and 1 mean every job. */
int rule_samples (uint64_t sample, uint64_t job_id);

/* The table, for help; NULL after the last one. */
struct rule_info {
    const char *word, *kind, *help;
};
const struct rule_info *rule_info (size_t index);

#endif
