/* SPDX-License-Identifier: MIT
 *
 * settings.c - defaults, site keys, environment -> struct settings
 */
#include "config.h"

#include "lib/base/array.h"
#include "lib/format/calls.h"
#include "lib/settings/detail.h"
#include "lib/base/text.h"
#include "lib/settings/settings.h"

static const struct setting_info table[SETTING_COUNT_ALL] = {
#define SETTING(FIELD, TYPE, DEFAULT, ENV, FALLBACK, WHO, HELP) \
    [SETTING_ID_##FIELD] = {#FIELD, #TYPE, DEFAULT, ENV, FALLBACK, HELP, WHO},
#include "lib/settings/settings.def"
#undef SETTING
};

/* Names of the settings in one block without pointers, which the loader would
 * have to relocate in each program that starts. */
static const struct texts {
#define SETTING(FIELD, TYPE, DEFAULT, ENV, FALLBACK, WHO, HELP)        \
    char FIELD##_default[sizeof (DEFAULT)], FIELD##_env[sizeof (ENV)], \
        FIELD##_fallback[sizeof (FALLBACK)];
#include "lib/settings/settings.def"
#undef SETTING
} texts = {
#define SETTING(FIELD, TYPE, DEFAULT, ENV, FALLBACK, WHO, HELP) \
    .FIELD##_default = DEFAULT, .FIELD##_env = ENV,             \
    .FIELD##_fallback = FALLBACK,
#include "lib/settings/settings.def"
#undef SETTING
};

static const struct {
    uint16_t value, env, fallback;
} places[SETTING_COUNT_ALL] = {
#define SETTING(FIELD, TYPE, DEFAULT, ENV, FALLBACK, WHO, HELP) \
    {offsetof (struct texts, FIELD##_default),                  \
     offsetof (struct texts, FIELD##_env),                      \
     offsetof (struct texts, FIELD##_fallback)},
#include "lib/settings/settings.def"
#undef SETTING
};

static const char *text_at (uint16_t place)
{
    return (const char *)&texts + place;
}

static int take_text (char *out,
                      size_t size,
                      const char *value,
                      const char *what,
                      struct errtext *err)
{
    size_t n = strlen (value);

    if (n >= size) {
        errno = ENAMETOOLONG;
        return errf (err, "%s: longer than %d bytes", what, (int)size - 1);
    }
    memcpy (out, value, n + 1);
    return 0;
}

/* One take_TYPE for every type that a row of settings.def may name. */
#define TAKE_PARSED(TYPE, PARSE, WORD)                                   \
    static int take_##TYPE (setting_##TYPE *out, const char *value,      \
                            const char *what, struct errtext *err)       \
    {                                                                    \
        if (PARSE (value, out) < 0)                                      \
            return errf (err, "%s: not a " WORD ": %.64s", what, value); \
        return 0;                                                        \
    }
TAKE_PARSED (BOOL, parse_bool, "yes or no")
TAKE_PARSED (SIZE, parse_size, "size (64K, 1G)")
TAKE_PARSED (DURATION, parse_duration, "duration (500ms, 20s, 2m)")

static int take_LAYERS (setting_LAYERS *out,
                        const char *value,
                        const char *what,
                        struct errtext *err)
{
    struct errtext why;

    if (*value == '\0') {
        *out = LAYER_NONE;
        return 0;
    }
    if (layers_parse (value, out, &why) < 0)
        return errf (err, "%s: %s", what, why.text);
    return 0;
}

static const char follow_words[][12] = {"no", "environment", "all"};

static int take_FOLLOW (setting_FOLLOW *out,
                        const char *value,
                        const char *what,
                        struct errtext *err)
{
    for (unsigned i = 0; i <= FOLLOW_ALL; i++)
        if (strcmp (value, follow_words[i]) == 0) {
            *out = i;
            return 0;
        }
    errno = EINVAL;
    return errf (err, "%s: not all, environment or no: %.64s", what, value);
}

#define TAKE_TEXT(TYPE)                                             \
    static int take_##TYPE (setting_##TYPE *out, const char *value, \
                            const char *what, struct errtext *err)  \
    {                                                               \
        return take_text (*out, sizeof (*out), value, what, err);   \
    }
TAKE_TEXT (PATH)
TAKE_TEXT (LIST)
TAKE_TEXT (TEXT)
TAKE_TEXT (NODE)

static int take_CALLS (setting_CALLS *out,
                       const char *value,
                       const char *what,
                       struct errtext *err)
{
    if (calls_check (value, err) < 0)
        return -1;
    return take_text (*out, sizeof (*out), value, what, err);
}

static int take_DETAIL (setting_DETAIL *out,
                        const char *value,
                        const char *what,
                        struct errtext *err)
{
    return detail_check (value, err) < 0
               ? -1
               : take_text (*out, sizeof (*out), value, what, err);
}

static int settings_take (struct settings *s,
                          enum setting_id id,
                          const char *value,
                          const char *what,
                          struct errtext *err)
{
    switch (id) {
#define SETTING(FIELD, TYPE, DEFAULT, ENV, FALLBACK, WHO, HELP) \
    case SETTING_ID_##FIELD:                                    \
        return take_##TYPE (&s->FIELD, value, what, err);
#include "lib/settings/settings.def"
#undef SETTING
    case SETTING_COUNT_ALL:
        break;
    }
    errno = EINVAL;
    return errf (err, "%s: no such setting", what);
}

static int give (struct settings *s,
                 enum setting_id id,
                 const char *value,
                 const char *what,
                 struct errtext *err)
{
    if (settings_take (s, id, value, what, err) < 0)
        return -1;
    s->given |= (uint64_t)1 << id;
    return 0;
}

static void init (struct settings *s, int all)
{
#define SETTING(FIELD, TYPE, DEFAULT, ENV, FALLBACK, WHO, HELP)      \
    if (DEFAULT[0] && (all || sizeof (s->FIELD) < SETTING_TEXT_MAX)) \
        (void)take_##TYPE (&s->FIELD, DEFAULT, #FIELD, NULL);
#include "lib/settings/settings.def"
#undef SETTING
}

void settings_init_numbers (struct settings *s)
{
    init (s, 0);
}

void settings_init (struct settings *s)
{
    ZERO (s);
    init (s, 1);
}

const char *
settings_text (const struct settings *s, enum setting_id id, const char *field)
{
    return s->given >> id & 1 ? field : text_at (places[id].value);
}

enum setting_id setting_find (const char *name, size_t n, enum setting_who who)
{
    int id = 0;

    while (id < SETTING_COUNT_ALL &&
           (!(table[id].who & who) || strlen (table[id].name) != n ||
            memcmp (table[id].name, name, n) != 0))
        id++;
    return id;
}

int settings_set (struct settings *s,
                  const char *name,
                  const char *value,
                  struct errtext *err)
{
    for (int id = 0; id < SETTING_COUNT_ALL; id++)
        if (strcmp (table[id].name, name) == 0)
            return give (s, id, value, name, err);
    errno = ENOENT;
    return errf (err, "%.64s: no such setting", name);
}

int settings_set_key (struct settings *s,
                      const char *assignment,
                      struct errtext *err)
{
    size_t length = strcspn (assignment, "=");
    enum setting_id id = setting_find (assignment, length, BY_SITE);

    if (assignment[length] != '=') {
        errno = EINVAL;
        return errf (err, "%.64s: not KEY=VALUE", assignment);
    }
    if (id != SETTING_COUNT_ALL)
        return give (s, id, assignment + length + 1, table[id].name, err);
    errno = ENOENT;
    return errf (err, "%.*s: unknown key", (int)(length > 64 ? 64 : length),
                 assignment);
}

void settings_overlay (struct settings *to, const struct settings *from)
{
#define SETTING(FIELD, TYPE, DEFAULT, ENV, FALLBACK, WHO, HELP) \
    if (from->given >> SETTING_ID_##FIELD & 1)                  \
        memcpy (&to->FIELD, &from->FIELD, sizeof (to->FIELD));
#include "lib/settings/settings.def"
#undef SETTING
    to->given |= from->given;
}

int settings_from (struct settings *s,
                   settings_lookup_f lookup,
                   void *cookie,
                   struct errtext *err)
{
    int rc = 0;

    for (int id = 0; id < SETTING_COUNT_ALL; id++) {
        const char *name = text_at (places[id].env);
        const char *value = lookup (cookie, name);

        if (!value && *text_at (places[id].fallback)) {
            name = text_at (places[id].fallback);
            value = lookup (cookie, name);
            /* DFTracer's word for all but what it leaves out itself */
            if (value && strcmp (value, "all") == 0)
                value = "";
        }
        if (value && give (s, id, value, name, rc == 0 ? err : NULL) < 0)
            rc = -1;
    }
    return rc;
}

static const char *told = ""; /* settings_tell */

void settings_tell (const char *variables)
{
    told = variables;
}

static const char *lookup_told (const char *name)
{
    size_t n = strlen (name);

    for (const char *t = told; *t; t += strlen (t) + 1)
        if (strncmp (t, name, n) == 0 && t[n] == '=')
            return t + n + 1;
    return NULL;
}

/* As getenv, without a page of libc that few programs need at their start. */
const char *settings_given (const char *name)
{
    size_t n = strlen (name);

    for (char **e = environ; e && *e; e++)
        if ((*e)[0] == name[0] && strncmp (*e, name, n) == 0 && (*e)[n] == '=')
            return *e + n + 1;
    return NULL;
}

const char *settings_environ (void *cookie, const char *name)
{
    const char *value = settings_given (name);

    return value ? value : lookup_told (name);
}

/* Beginnings of all names that are looked up at a start: ours, those of Slurm,
 * of other batch systems and of the launchers of MPI and PyTorch. A name that
 * begins otherwise is not found. */
static const char heads[][18] = {"DFTRACE",
                                 "SLURM_",
                                 "SLURMD_NODENAME",
                                 "OMPI_COMM_WORLD_",
                                 "PMI",
                                 "MPI_LOCAL",
                                 "RANK",
                                 "LOCAL_RANK",
                                 "FLUX_",
                                 "WORLD_SIZE",
                                 "JSM_NAMESPACE_",
                                 "PALS_",
                                 "PBS_",
                                 "LSB_"};

static int settings_may_want (const char *name)
{
    for (size_t i = 0; i < ITEMS (heads); i++) {
        unsigned n = 0;

        while (heads[i][n] && heads[i][n] == name[n])
            n++;
        if (!heads[i][n])
            return 1;
    }
    return 0;
}

/* 0: it is none, or longer than all of ours. */
static uint8_t settings_name_length (const char *entry)
{
    const char *end = strchr (entry, '=');

    return end && end - entry <= UINT8_MAX ? (uint8_t)(end - entry) : 0;
}

void settings_pass (struct settings_pass *p)
{
    uint32_t letters = 0; /* that a name begins with: bits, modulo 32 */

    for (size_t i = 0; i < ITEMS (heads); i++)
        letters |= (uint32_t)1 << heads[i][0] % 32;
    p->count = 0;
    p->lengths = 0;
    for (char **e = environ; e && *e; e++) {
        if (!(letters >> **e % 32U & 1) || !settings_may_want (*e))
            continue;
        if (p->count < SETTINGS_PASS_MAX) {
            uint8_t n = settings_name_length (*e);

            p->list[p->count] = *e;
            p->length[p->count] = n;
            p->lengths |= (uint64_t)1 << n % 64;
        }
        p->count++;
    }
}

const char *settings_passed (void *cookie, const char *name)
{
    const struct settings_pass *p = cookie;
    size_t n = strlen (name);

    for (unsigned i = 0;
         p->lengths >> n % 64 & 1 && i < p->count && i < SETTINGS_PASS_MAX; i++)
        if (p->length[i] == n && memcmp (p->list[i], name, n) == 0)
            return p->list[i] + n + 1;
    if (p->count > SETTINGS_PASS_MAX)
        return settings_environ (NULL, name);
    return *told ? lookup_told (name) : NULL;
}

int settings_from_env (struct settings *s, struct errtext *err)
{
    struct settings_pass p;

    settings_pass (&p);
    return settings_from (s, settings_passed, &p, err);
}

/* Text of one value in buf (of SETTING_TEXT_MAX bytes). */
static const char *show_BOOL (const setting_BOOL *v, char *buf)
{
    return *v ? "1" : "0";
}

static const char *show_SIZE (const setting_SIZE *v, char *buf)
{
    return parse_text (*v, "", buf);
}

static const char *show_DURATION (const setting_DURATION *v, char *buf)
{
    uint64_t us = *v / 1000;

    return us % 1000 ? parse_text (us, "us", buf)
                     : parse_text (us / 1000, "ms", buf);
}

static const char *show_LAYERS (const setting_LAYERS *v, char *buf)
{
    return layers_format (*v, buf, SETTING_TEXT_MAX);
}

static const char *show_FOLLOW (const setting_FOLLOW *v, char *buf)
{
    return follow_words[*v];
}

#define SHOW_TEXT(TYPE)                                                 \
    static const char *show_##TYPE (const setting_##TYPE *v, char *buf) \
    {                                                                   \
        (void)buf;                                                      \
        return *v;                                                      \
    }
SHOW_TEXT (PATH)
SHOW_TEXT (LIST)
SHOW_TEXT (CALLS)
SHOW_TEXT (TEXT)
SHOW_TEXT (NODE)
SHOW_TEXT (DETAIL)

void settings_export (const struct settings *s,
                      settings_emit_f emit,
                      void *cookie)
{
    char buf[SETTING_TEXT_MAX];

#define SETTING(FIELD, TYPE, DEFAULT, ENV, FALLBACK, WHO, HELP) \
    if (s->given >> SETTING_ID_##FIELD & 1)                     \
        emit (cookie, ENV, show_##TYPE (&s->FIELD, buf));
#include "lib/settings/settings.def"
#undef SETTING
}

const struct setting_info *setting_info (enum setting_id id)
{
    return &table[id];
}
