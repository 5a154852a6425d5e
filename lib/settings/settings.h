/* SPDX-License-Identifier: MIT
 *
 * settings.h - one struct of knobs from defaults, site keys and environment
 *
 * The only code that reads DFTRACE_* and DFTRACER_* variables. No allocation;
 * safe inside a traced process before main ().
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "lib/base/text.h"

enum { SETTING_TEXT_MAX = 4096 }; /* of all texts, with the NUL */

typedef int setting_BOOL;
typedef uint64_t setting_SIZE;     /* bytes */
typedef uint64_t setting_DURATION; /* nanoseconds */
typedef unsigned setting_LAYERS;   /* set of enum layer */
typedef unsigned setting_FOLLOW;   /* enum follow */
typedef char setting_PATH[SETTING_TEXT_MAX];
typedef char setting_LIST[SETTING_TEXT_MAX];
typedef char setting_CALLS[SETTING_TEXT_MAX];
typedef char setting_TEXT[SETTING_TEXT_MAX];
typedef setting_TEXT setting_FINISH;           /* one of four words */
typedef char setting_DETAIL[SETTING_TEXT_MAX]; /* detail.h */
typedef char setting_NODE[384];                /* nodename.h */

/* Programs that a traced one starts. */
enum follow { FOLLOW_NO, FOLLOW_ENVIRONMENT, FOLLOW_ALL };

/* Sources that may give a setting, and its scope. */
enum setting_who {
    BY_OPTION = 1, /* --dftrace=FIELD=VALUE */
    BY_SITE = 2,   /* plugstack.conf, the site's file */
    BY_USER = 4,   /* a variable in the environment of a job */
    OF_JOB = 8,    /* one job: a job that it submits does not inherit it */
    OF_NODE = 16   /* the node: not handed to tasks */
};

enum setting_id {
#define SETTING(FIELD, TYPE, DEFAULT, ENV, FALLBACK, WHO, HELP) \
    SETTING_ID_##FIELD,
#include "lib/settings/settings.def"
#undef SETTING
    SETTING_COUNT_ALL
};

/* Which types are long texts: those stand behind all others, so that who leaves
 * them alone touches one page. */
#define SETTING_FIRST_BOOL(FIELD)     setting_BOOL FIELD;
#define SETTING_FIRST_SIZE(FIELD)     setting_SIZE FIELD;
#define SETTING_FIRST_DURATION(FIELD) setting_DURATION FIELD;
#define SETTING_FIRST_LAYERS(FIELD)   setting_LAYERS FIELD;
#define SETTING_FIRST_FOLLOW(FIELD)   setting_FOLLOW FIELD;
#define SETTING_FIRST_NODE(FIELD)     setting_NODE FIELD;
#define SETTING_FIRST_PATH(FIELD)
#define SETTING_FIRST_LIST(FIELD)
#define SETTING_FIRST_CALLS(FIELD)
#define SETTING_FIRST_TEXT(FIELD)
#define SETTING_FIRST_DETAIL(FIELD)
#define SETTING_LAST_BOOL(FIELD)
#define SETTING_LAST_SIZE(FIELD)
#define SETTING_LAST_DURATION(FIELD)
#define SETTING_LAST_LAYERS(FIELD)
#define SETTING_LAST_FOLLOW(FIELD)
#define SETTING_LAST_NODE(FIELD)
#define SETTING_LAST_PATH(FIELD)   setting_PATH FIELD;
#define SETTING_LAST_LIST(FIELD)   setting_LIST FIELD;
#define SETTING_LAST_CALLS(FIELD)  setting_CALLS FIELD;
#define SETTING_LAST_TEXT(FIELD)   setting_TEXT FIELD;
#define SETTING_LAST_DETAIL(FIELD) setting_DETAIL FIELD;

#define SETTING_BIT(FIELD) ((uint64_t)1 << SETTING_ID_##FIELD)

struct settings {
    uint64_t given; /* SETTING_BIT: not the default */
#define SETTING(FIELD, TYPE, DEFAULT, ENV, FALLBACK, WHO, HELP) \
    SETTING_FIRST_##TYPE (FIELD)
#include "lib/settings/settings.def"
#undef SETTING
#define SETTING(FIELD, TYPE, DEFAULT, ENV, FALLBACK, WHO, HELP) \
    SETTING_LAST_##TYPE (FIELD)
#include "lib/settings/settings.def"
#undef SETTING
};

struct setting_info {
    const char *name, *type;
    const char *value; /* the default, as text */
    const char *env, *fallback, *help;
    unsigned who; /* set of enum setting_who */
};

/* All defaults. Cannot fail. */
void settings_init (struct settings *s);

/* As settings_init for zeroed memory, but without the texts, whose pages stay
 * untouched: SETTING_TEXT gives their defaults. */
void settings_init_numbers (struct settings *s);

/* A text, given or by default. */
#define SETTING_TEXT(S, FIELD) \
    settings_text ((S), SETTING_ID_##FIELD, (S)->FIELD)
const char *
settings_text (const struct settings *s, enum setting_id id, const char *field);

/* Set one by its name in settings.def. -1, s unchanged and err set when there
 * is no such name or the value is not of its type. */
int settings_set (struct settings *s,
                  const char *name,
                  const char *value,
                  struct errtext *err);

/* The setting of that name (n letters) which `who` may give;
 * SETTING_COUNT_ALL: there is none. */
enum setting_id setting_find (const char *name, size_t n, enum setting_who who);

/* Take all that is given in from. */
void settings_overlay (struct settings *to, const struct settings *from);

/* One "key=value" of a plugstack.conf line. As settings_set; ENOENT when no
 * row has the key. */
int settings_set_key (struct settings *s,
                      const char *assignment,
                      struct errtext *err);

/* Take every variable that is set from lookup (cookie, name), which returns
 * NULL for an unset one; our variable wins over the fallback. Bad values are
 * skipped, the first is reported: -1 and err, the others are still taken. */
typedef const char *(*settings_lookup_f) (void *cookie, const char *name);
int settings_from (struct settings *s,
                   settings_lookup_f lookup,
                   void *cookie,
                   struct errtext *err);

/* Variables that may be asked for, found in one go: getenv walks the whole
 * environment for each name. For settings_environ (cookie NULL) with a cookie;
 * valid until the environment changes. */
enum { SETTINGS_PASS_MAX = 128 };
struct settings_pass {
    const char *list[SETTINGS_PASS_MAX];
    uint8_t length[SETTINGS_PASS_MAX]; /* of the names */
    uint64_t lengths;                  /* that occur: bits, modulo 64 */
    unsigned count;
};
void settings_pass (struct settings_pass *p);
const char *settings_passed (void *pass, const char *name);

/* settings_from with getenv. */
int settings_from_env (struct settings *s, struct errtext *err);

/* getenv as a settings_lookup_f, for the variables of others (Slurm, MPI). */
const char *settings_environ (void *cookie, const char *name);

/* The variable in the environment that the program was given; NULL: not there.
 */
const char *settings_given (const char *name);

/* Variables that this process was told beside its environment, for both of
 * these, where the environment has them not: NAME=VALUE, each with its
 * NUL, and an empty one at the end. They must stay. Before threads. */
void settings_tell (const char *variables);

/* Call emit (cookie, variable, value) for each setting that is given. */
typedef void (*settings_emit_f) (void *cookie,
                                 const char *name,
                                 const char *value);
void settings_export (const struct settings *s,
                      settings_emit_f emit,
                      void *cookie);

/* The table, for help and manual: 0 <= id < SETTING_COUNT_ALL. */
const struct setting_info *setting_info (enum setting_id id);

/* True when path begins with an element of a colon list (whole components:
 * /usr matches /usr and /usr/x, not /usrx). An empty list matches nothing. */
int list_has_prefix (const char *list, const char *path, size_t length);
