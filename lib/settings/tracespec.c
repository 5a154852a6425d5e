/* SPDX-License-Identifier: MIT
 *
 * tracespec.c - "posix,app,dir=/x,max=2G" -> layers and settings
 *
 * In:  the text of --dftrace= or SLURM_DFTRACE
 * Out: a set of layers, values of settings
 */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/format/layers.h"
#include "lib/settings/tracespec.h"

static const struct {
    const char *word;
    enum setting_id setting;
} table[OPTION_KEY_COUNT] = {
#define OPTION_KEY(WORD, FIELD) \
    [OPTION_KEY_##FIELD] = {WORD, SETTING_ID_##FIELD},
#include "lib/settings/optionkeys.def"
#undef OPTION_KEY
};

#define OPTION_KEY(WORD, FIELD) " " WORD "="
static const char known[] =
#include "lib/settings/optionkeys.def"
    ;
#undef OPTION_KEY

const char *option_key_word (enum option_key key)
{
    return table[key].word;
}

enum setting_id option_key_setting (enum option_key key)
{
    return table[key].setting;
}

static int find_key (const char *word, size_t length)
{
    for (int i = 0; i < OPTION_KEY_COUNT; i++)
        if (strlen (table[i].word) == length &&
            memcmp (table[i].word, word, length) == 0)
            return i;
    return -1;
}

static int
take_key (struct tracespec *spec, char *word, char *equals, struct errtext *err)
{
    int key = find_key (word, (size_t)(equals - word));

    if (key < 0) {
        errno = EINVAL;
        return errf (err, "%.*s: unknown key: known keys:%s",
                     (int)(equals - word > 64 ? 64 : equals - word), word,
                     known);
    }
    spec->value[key] = equals + 1;
    return 0;
}

/* Words without '=' are moved together to the front of layers. */
static int
tracespec_take_words (struct tracespec *spec, char *layers, struct errtext *err)
{
    char *word = spec->text, *end;
    size_t used = 0;
    int last = 0;

    for (; !last; word = end + 1) {
        char *equals;

        end = word + strcspn (word, ",");
        last = *end == '\0';
        *end = '\0';
        equals = strchr (word, '=');
        if (equals) {
            if (take_key (spec, word, equals, err) < 0)
                return -1;
            continue;
        }
        if (used)
            layers[used++] = ',';
        else if (end == word) /* so that a lone "" is not taken for none */
            return errf (err, "empty word: write LAYER[,LAYER...]"
                              "[,KEY=VALUE...]");
        memcpy (layers + used, word, (size_t)(end - word) + 1);
        used += (size_t)(end - word);
    }
    return 0;
}

static int tracespec_check (struct tracespec *spec, struct errtext *err)
{
    struct settings *scratch = malloc (sizeof (*scratch));
    int rc;

    if (!scratch)
        return errf (err, "%s", strerror (errno));
    settings_init (scratch);
    rc = tracespec_apply (spec, scratch, err);
    free (scratch);
    return rc;
}

static int tracespec_parse_text (struct tracespec *spec,
                                 const char *text,
                                 struct errtext *err)
{
    char layers[SETTING_TEXT_MAX] = "";
    unsigned set;
    size_t n;

    if (!text || !*text || strcmp (text, "(null)") == 0)
        return layers_parse (NULL, &set, err);
    n = strlen (text);
    if (n >= sizeof (spec->text)) {
        errno = ENAMETOOLONG;
        return errf (err, "longer than %zu bytes", sizeof (spec->text) - 1);
    }
    memcpy (spec->text, text, n + 1);
    errno = EINVAL;
    if (tracespec_take_words (spec, layers, err) < 0)
        return -1;
    if (*layers) {
        if (layers_parse (layers, &set, err) < 0)
            return -1;
        spec->layers = (int)set;
    }
    return tracespec_check (spec, err);
}

static void say_nothing (struct tracespec *spec)
{
    memset (spec, 0, sizeof (*spec));
    spec->layers = -1;
}

int tracespec_parse (struct tracespec *spec,
                     const char *text,
                     struct errtext *err)
{
    say_nothing (spec);
    if (tracespec_parse_text (spec, text, err) == 0)
        return 0;
    say_nothing (spec);
    return -1;
}

int tracespec_apply (const struct tracespec *spec,
                     struct settings *s,
                     struct errtext *err)
{
    struct errtext why;

    for (int i = 0; i < OPTION_KEY_COUNT; i++) {
        const char *name = setting_info (table[i].setting)->name;

        if (!spec->value[i])
            continue;
        if (!*spec->value[i]) {
            errno = EINVAL;
            return errf (err, "%s=: no value", table[i].word);
        }
        if (settings_set (s, name, spec->value[i], &why) < 0)
            return errf (err, "%s=: %s", table[i].word, why.text);
    }
    return 0;
}
