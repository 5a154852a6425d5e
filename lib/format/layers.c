/* SPDX-License-Identifier: MIT
 *
 * layers.c - "posix,app" <-> set of layers
 */
#include "config.h"

#include <errno.h>
#include <string.h>

#include "lib/format/layers.h"

static const struct {
    const char *word, *help;
} table[LAYER_COUNT] = {
#define LAYER(NAME, WORD, HELP) [LAYER_INDEX_##NAME] = {WORD, HELP},
#include "lib/format/layers.def"
#undef LAYER
};

#define LAYER(NAME, WORD, HELP) " " WORD
static const char known[] =
#include "lib/format/layers.def"
    ;
#undef LAYER

static int layers_find (const char *word, size_t length)
{
    for (int i = 0; i < LAYER_COUNT; i++)
        if (strlen (table[i].word) == length &&
            memcmp (table[i].word, word, length) == 0)
            return i;
    return -1;
}

static unsigned layers_settle (unsigned set)
{
    const unsigned traced = LAYER_POSIX | LAYER_STDIO | LAYER_APP | LAYER_MMAP |
                            LAYER_KERNEL | LAYER_NET | LAYERS_ABOVE |
                            LAYER_NOSTDIO;

    if (set & LAYER_OFF)
        return LAYER_OFF;
    if (set & LAYER_PROFILE && !(set & traced))
        set |= LAYER_POSIX | LAYER_APP;
    if (set & (LAYER_POSIX | LAYER_NOSTDIO))
        set |= LAYER_POSIX | LAYER_STDIO;
    set &= ~(unsigned)LAYER_BATCH;
    if (set & LAYER_NOSTDIO)
        set &= ~(unsigned)LAYER_STDIO;
    return set;
}

int layers_parse (const char *text, unsigned *layers, struct errtext *err)
{
    unsigned set = 0;

    if (!text || !*text || strcmp (text, "(null)") == 0) {
        errno = EINVAL;
        return errf (err, "no layer given: known layers:%s", known);
    }
    while (1) {
        size_t length = (size_t)(strchrnul (text, ',') - text);
        int i = layers_find (text, length);

        if (i < 0) {
            errno = EINVAL;
            return errf (err, "%.*s: unknown layer: known layers:%s",
                         (int)(length > 64 ? 64 : length), text, known);
        }
        set |= 1u << i;
        if (text[length] == '\0')
            break;
        text += length + 1;
    }
    if (set & LAYER_PROFILE && set & (LAYER_MMAP | LAYER_KERNEL)) {
        errno = EINVAL;
        return errf (err, "profile: cannot be had of layer %s: leave one out",
                     set & LAYER_MMAP ? "mmap" : "kernel");
    }
    *layers = layers_settle (set);
    return 0;
}

char *layers_format (unsigned layers, char *buf, size_t size)
{
    size_t used = 0;

    if (size == 0)
        return buf;
    buf[0] = '\0';
    if (layers & LAYER_POSIX && !(layers & LAYER_STDIO))
        layers |= LAYER_NOSTDIO;
    if (layers & LAYER_POSIX)
        layers &= ~(unsigned)LAYER_STDIO;
    if (layers == LAYER_NONE)
        layers = LAYER_OFF;
    for (int i = 0; i < LAYER_COUNT; i++) {
        size_t n = strlen (table[i].word);

        if (!(layers & 1u << i) || used + n + 2 > size)
            continue;
        if (used > 0)
            buf[used++] = ',';
        memcpy (buf + used, table[i].word, n + 1);
        used += n;
    }
    return buf;
}

const char *layer_word (enum layer_index index)
{
    return table[index].word;
}

const char *layer_help (enum layer_index index)
{
    return table[index].help;
}
