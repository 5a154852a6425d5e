/* SPDX-License-Identifier: MIT
 *
 * compatversion.c - the word of --compat -> a version of DFAnalyzer; its
 *                   layers
 *
 * In:  compatversion.def
 * Out: struct compat_version, struct compat_layers
 */
#include "config.h"

#include "analyze/compat/compatversion.h"

#include <string.h>

#include "analyze/compat/compat.h"

enum {
    LONGEST = COMPAT_LONGEST,
    TOTALS = COMPAT_TOTALS,
    MIDDLE = COMPAT_MIDDLE,
    TEXT_HASHES = COMPAT_TEXT_HASHES,
    DASHES = COMPAT_DASHES,
    PARTS = COMPAT_PARTS,
    MORE = COMPAT_MORE
};

static const struct compat_version versions[] = {
#define DFANALYZER(NAME, RELEASE, DLIO, AI, RULES, BYTES) \
    {NAME, RELEASE, PRESET_##DLIO, PRESET_##AI, RULES, BYTES},
#include "analyze/compat/compatversion.def"
#undef DFANALYZER
};

const char compat_version_words[] = "dfanalyzer"
#define DFANALYZER(NAME, RELEASE, DLIO, AI, RULES, BYTES) "|dfanalyzer@" NAME
#include "analyze/compat/compatversion.def"
#undef DFANALYZER
    ;

const struct compat_version *compat_version_find (const char *text)
{
    static const char tool[] = "dfanalyzer";
    const size_t n = sizeof (tool) - 1;

    if (!text || strcmp (text, tool) == 0)
        return &versions[0];
    if (strncmp (text, tool, n) != 0 || text[n] != '@')
        return NULL;
    for (size_t i = 0; i < sizeof (versions) / sizeof (versions[0]); i++)
        if (strcmp (versions[i].name, text + n + 1) == 0)
            return &versions[i];
    return NULL;
}

/* --- layers ------------------------------------------------------------- */

int compat_layers_load (struct compat_layers *l,
                        const struct compat_version *version,
                        const char *layers,
                        struct errtext *err)
{
    const enum layer_preset preset[COMPAT_PRESETS] = {version->dlio,
                                                      version->ai};
    int failed = 0;

    memset (l, 0, sizeof (*l));
    l->version = version;
    if (!layers) {
        for (; !failed && l->sets < COMPAT_PRESETS; l->sets++)
            failed = layerset_preset (&l->set[l->sets], preset[l->sets], err);
    } else {
        l->sets = 1;
        failed = strcmp (layers, "dlio") == 0
                     ? layerset_preset (&l->set[0], version->dlio, err)
                 : strcmp (layers, "ai") == 0
                     ? layerset_preset (&l->set[0], version->ai, err)
                     : layerset_file (&l->set[0], layers, err);
    }
    if (!failed)
        return 0;
    compat_layers_clear (l);
    return -1;
}

void compat_layers_clear (struct compat_layers *l)
{
    for (int i = 0; i < l->sets; i++)
        layerset_clear (&l->set[i]);
    memset (l, 0, sizeof (*l));
}
