/* SPDX-License-Identifier: MIT
 *
 * tracespec.c - "posix,app,job_dir=/x,max_bytes=2G" -> layers and settings
 *
 * In:  the text of --dftrace= or SLURM_DFTRACE
 * Out: a set of layers, values of settings
 */
#include "config.h"

#include "lib/format/calls.h"
#include "lib/settings/plan.h"

static int unknown_key (const char *word, size_t n, struct errtext *err)
{
    char known[512];
    size_t used = 0;

    for (int id = 0; id < SETTING_COUNT_ALL && used < sizeof (known); id++)
        if (setting_info (id)->who & BY_OPTION)
            used += snprintf (known + used, sizeof (known) - used,
                              " %s=", setting_info (id)->name);
    errno = EINVAL;
    return errf (err, "%.*s: unknown key: known keys:%s",
                 (int)(n > 64 ? 64 : n), word, known);
}

/* KEY=VALUE, of which the key has n letters. */
static int
take_key (struct tracespec *spec, char *word, size_t n, struct errtext *err)
{
    const char *value = word + n + 1;
    struct errtext why;

    if (setting_find (word, n, BY_OPTION) == SETTING_COUNT_ALL)
        return unknown_key (word, n, err);
    word[n] = '\0';
    if (!*value) {
        errno = EINVAL;
        return errf (err, "%s=: no value", word);
    }
    if (settings_set (&spec->settings, word, value, &why) < 0)
        return errf (err, "%s=: %s", word, why.text);
    return 0;
}

/* Words without '=' are moved together to the front of layers. */
static int tracespec_take_words (struct tracespec *spec,
                                 char *text,
                                 char *layers,
                                 struct errtext *err)
{
    char *word = text, *end;
    size_t used = 0;
    int last = 0;

    for (; !last; word = end + 1) {
        char *equals;

        end = word + strcspn (word, ",");
        last = *end == '\0';
        *end = '\0';
        equals = strchr (word, '=');
        if (equals) {
            if (take_key (spec, word, equals - word, err) < 0)
                return -1;
            continue;
        }
        if (used)
            layers[used++] = ',';
        else if (end == word) /* so that a lone "" is not taken for none */
            return errf (err, "empty word: write LAYER[,LAYER...]"
                              "[,KEY=VALUE...]");
        memcpy (layers + used, word, (size_t)(end - word) + 1);
        used += end - word;
    }
    return 0;
}

static int tracespec_parse_text (struct tracespec *spec,
                                 const char *text,
                                 struct errtext *err)
{
    char words[SETTING_TEXT_MAX], layers[SETTING_TEXT_MAX] = "";
    unsigned set;
    size_t n;

    if (!text || !*text || strcmp (text, "(null)") == 0)
        return layers_parse (NULL, &set, err);
    n = strlen (text);
    if (n >= sizeof (words)) {
        errno = ENAMETOOLONG;
        return errf (err, "longer than %zu bytes", sizeof (words) - 1);
    }
    memcpy (words, text, n + 1);
    errno = EINVAL;
    if (tracespec_take_words (spec, words, layers, err) < 0)
        return -1;
    if (*layers) {
        if (layers_parse (layers, &set, err) < 0)
            return -1;
        spec->layers = (int)set;
    }
    return 0;
}

static void say_nothing (struct tracespec *spec)
{
    spec->settings.given = 0;
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
