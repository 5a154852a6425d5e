/* SPDX-License-Identifier: MIT
 *
 * rule.c - a line of the site's configuration -> does it fit this job?
 *
 * In:  "partition=gpu nodes=4- sample=10 layers=posix"; what Slurm says
 * Out: yes or no
 */
#include "config.h"

#include <errno.h>
#include <fnmatch.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "lib/format/layers.h"
#include "lib/base/parse.h"
#include "lib/settings/rule.h"

static const struct rule_info table[] = {
#define RULE_KEY(FIELD, KIND, HELP) {#FIELD, #KIND, HELP},
#include "lib/settings/rules.def"
#undef RULE_KEY
};

#define RULE_KEY(FIELD, KIND, HELP) " " #FIELD
static const char known[] =
#include "lib/settings/rules.def"
    ;
#undef RULE_KEY

const struct rule_info *rule_info (size_t index)
{
    return index < sizeof (table) / sizeof (table[0]) ? &table[index] : NULL;
}

void rule_init (struct rule *r)
{
    memset (r, 0, sizeof (*r));
    r->nodes.to = r->tasks.to = UINT64_MAX;
    r->sample = 1;
    r->layers = LAYER_OFF;
}

/* -- words: value is NUL-terminated and never longer than RULE_TEXT_MAX - 1 */

static int take_NAMES (rule_NAMES *out, const char *value, struct errtext *err)
{
    if (!*value)
        return errf (err, "no name");
    memcpy (*out, value, strlen (value) + 1);
    return 0;
}

static int take_RANGE (rule_RANGE *out, const char *value, struct errtext *err)
{
    char from[RULE_TEXT_MAX];
    const char *to = strchr (value, '-');
    size_t n = to ? (size_t)(to - value) : strlen (value);
    struct rule_range r = {0, UINT64_MAX};

    memcpy (from, value, n);
    from[n] = '\0';
    if ((n && parse_u64 (from, &r.from) < 0) || (!n && (!to || !to[1])) ||
        (to && to[1] && parse_u64 (to + 1, &r.to) < 0) || r.from > r.to)
        return errf (err, "%s: not a range (4, 4-, -16, 4-16)", value);
    if (!to)
        r.to = r.from;
    *out = r;
    return 0;
}

static int take_COUNT (rule_COUNT *out, const char *value, struct errtext *err)
{
    if (parse_u64 (value, out) < 0)
        return errf (err, "%s: not a number", value);
    return 0;
}

static int
take_LAYERS (rule_LAYERS *out, const char *value, struct errtext *err)
{
    return layers_parse (value, out, err);
}

static int take_word (struct rule *r,
                      const char *key,
                      const char *value,
                      struct errtext *err)
{
#define RULE_KEY(FIELD, KIND, HELP) \
    if (strcmp (key, #FIELD) == 0)  \
        return take_##KIND (&r->FIELD, value, err);
#include "lib/settings/rules.def"
#undef RULE_KEY
    return errf (err, "unknown word: known words:%s", known);
}

int rule_parse (struct rule *r, const char *text, struct errtext *err)
{
    static const char blank[] = " \t";
    struct errtext why;

    rule_init (r);
    for (text += strspn (text, blank); *text; text += strspn (text, blank)) {
        char word[RULE_TEXT_MAX];
        size_t n = strcspn (text, blank);
        char *equals;

        errno = EINVAL;
        if (n >= sizeof (word))
            return errf (err, "rule: %.32s...: longer than %d bytes", text,
                         RULE_TEXT_MAX - 1);
        memcpy (word, text, n);
        word[n] = '\0';
        text += n;
        equals = strchr (word, '=');
        if (!equals)
            return errf (err, "rule: %s: not WORD=VALUE", word);
        *equals = '\0';
        if (take_word (r, word, equals + 1, &why) < 0)
            return errf (err, "rule: %s: %s", word, why.text);
    }
    return 0;
}

/* -- does it fit? ------------------------------------------------------ */

static int has_name (const char *list, const char *name)
{
    char one[RULE_TEXT_MAX];

    if (!*list)
        return 1;
    for (; name && *list; list += *list == ',') {
        size_t n = strcspn (list, ",");

        memcpy (one, list, n);
        one[n] = '\0';
        list += n;
        if (fnmatch (one, name, 0) == 0)
            return 1;
    }
    return 0;
}

static int has_number (struct rule_range r, uint64_t n)
{
    return n >= r.from && n <= r.to;
}

int rule_fits (const struct rule *r, const struct jobinfo *job)
{
    char uid[32];

    (void)snprintf (uid, sizeof (uid), "%lu", (unsigned long)job->uid);
    return has_name (r->partition, job->partition) &&
           has_name (r->account, job->account) &&
           (has_name (r->user, job->user) || has_name (r->user, uid)) &&
           has_number (r->nodes, job->nnodes) &&
           has_number (r->tasks, job->ntasks);
}

int rule_samples (uint64_t sample, uint64_t job_id)
{
    /* Fibonacci hashing: neighbours, as the tasks of an array are, and every
     * second job of a script spread evenly */
    static const uint64_t golden = 0x9e3779b97f4a7c15;

    return sample <= 1 || ((job_id * golden) >> 32) % sample == 0;
}
