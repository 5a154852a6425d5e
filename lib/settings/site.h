/* SPDX-License-Identifier: MIT
 *
 * site.h - plugstack.conf line and dftrace.conf -> the site's settings
 *
 * For slurmstepd, sbatch and the tools; memory is the caller's.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "lib/base/text.h"
#include "lib/settings/jobdir.h"
#include "lib/settings/settings.h"

/* -- which jobs a site traces when they say nothing -- */

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
#include "lib/settings/settings.def"
#undef RULE_KEY
};

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

/* -- plugstack.conf line and dftrace.conf -> the site's settings -- */

#define SITE_CONF      DFT_SYSCONFDIR "/dftrace/dftrace.conf"
#define SITE_STATE_DIR "/run/dftrace" /* where nothing else is said */

enum { SITE_RULES_MAX = 64, SITE_ERRORS_MAX = 8 };

struct site {
    struct settings settings;
#define SITE_KEY(FIELD, TYPE, DEFAULT, HELP) setting_##TYPE FIELD;
#include "lib/settings/settings.def"
#undef SITE_KEY
    struct rule rule[SITE_RULES_MAX];
    int rules;
    int read; /* the file was there */
    struct errtext error[SITE_ERRORS_MAX];
    int errors; /* found; at most SITE_ERRORS_MAX have a text */
};

/* Defaults, then the file (conf=, else SITE_CONF if it is there), then the
 * words of the line. What is bad is left at its default and put into error.
 * preload, python, state_dir, command and recorder are never empty. */
void site_load (struct site *site, int count, char *const *words);

/* Layers of a job that says nothing: those of the first rule that fits, else
 * `layers`; LAYER_NONE or LAYER_OFF for none. */
unsigned site_layers (const struct site *site, const struct jobinfo *job);

/* How many jobs that say nothing this one stands for, if it is traced: the
 * `sample` of the rule that decides, or of the site; at least 1. */
uint64_t site_weight (const struct site *site, const struct jobinfo *job);

/* The table, for help; NULL after the last one. value is the default. */
struct site_info {
    const char *key, *type, *value, *help;
};
const struct site_info *site_info (size_t index);

/* The site's key that begins most like the n letters of word; of equals the
 * first, "log_root" when no key has the first letter. */
const char *site_key_nearest (const char *word, size_t n);
