/* SPDX-License-Identifier: MIT
 *
 * calls.c - calls.def -> table
 */
#include "config.h"

#include "lib/format/calls.h"
#include "lib/format/usagekeys.h"

const struct call_info call_table[CALL_MAX] = {
#define CALL(NUMBER, NAME, CATEGORY, CLASS, FIELDS, RET)                     \
    [NUMBER] = {#NAME, CALL_CATEGORY_##CATEGORY, CALL_CLASS_##CLASS, FIELDS, \
                CALL_RET_##RET},
#include "lib/format/calls.def"
#undef CALL
};

const char *call_category_name (enum call_category category)
{
    switch (category) {
    case CALL_CATEGORY_POSIX:
        return "POSIX";
    case CALL_CATEGORY_STDIO:
        return "STDIO";
    case CALL_CATEGORY_APP:
        return "APP";
    case CALL_CATEGORY_MMAP:
        return "MMAP";
    case CALL_CATEGORY_NET:
        return "NET";
    case CALL_CATEGORY_KERNEL:
        return "KERNEL";
    case CALL_CATEGORY_WAIT:
        return "WAIT";
    case CALL_CATEGORY_MPIIO:
        return "MPIIO";
    case CALL_CATEGORY_HDF5:
        return "HDF5";
    case CALL_CATEGORY_NETCDF:
        return "NETCDF";
    case CALL_CATEGORY_PNETCDF:
        return "PNETCDF";
    case CALL_CATEGORY_COUNT:
    case CALL_CATEGORY_NONE:
        break;
    }
    return "none";
}

const char *call_class_name (enum call_class class)
{
    switch (class) {
    case CALL_CLASS_READ:
        return "read";
    case CALL_CLASS_WRITE:
        return "write";
    case CALL_CLASS_META:
        return "meta";
    case CALL_CLASS_SYNC:
        return "sync";
    case CALL_CLASS_MAP:
        return "map";
    case CALL_CLASS_COPY:
        return "copy";
    case CALL_CLASS_ASYNC:
        return "async";
    case CALL_CLASS_APP:
        return "app";
    case CALL_CLASS_WAIT:
        return "wait";
    case CALL_CLASS_NONE:
        break;
    }
    return "none";
}

static int is_word (const char *list, size_t n, enum call call)
{
    const struct call_info *info = &call_table[call];
    const char *class = call_class_name (info->class);

    return info->name[0] && info->category != CALL_CATEGORY_APP &&
           info->category != CALL_CATEGORY_WAIT &&
           ((strlen (info->name) == n && memcmp (info->name, list, n) == 0) ||
            (strlen (class) == n && memcmp (class, list, n) == 0));
}

int calls_has (const char *list, enum call call)
{
    size_t n;

    for (; *list; list += n + (list[n] == ':')) {
        n = strcspn (list, ":");
        if (is_word (list, n, call))
            return 1;
    }
    return 0;
}

int calls_check (const char *list, struct errtext *err)
{
    size_t n;
    int call;

    for (; *list; list += n + (list[n] == ':')) {
        n = strcspn (list, ":");
        for (call = 1; call < CALL_MAX; call++)
            if (n == 0 || is_word (list, n, call))
                break;
        if (call < CALL_MAX)
            continue;
        errno = EINVAL;
        return errf (err, "%.*s: no such call", (int)(n < 64 ? n : 64), list);
    }
    return 0;
}

/* --- "posix,app" <-> set of layers --- */

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
        size_t length = strchrnul (text, ',') - text;
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

/* --- usage.def -> the text of each key --- */

const char *const usage_keys[USAGE_COUNT] = {
#define USAGE(NAME, KEY, HELP) KEY,
#include "lib/format/usage.def"
#undef USAGE
};
