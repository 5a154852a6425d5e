/* SPDX-License-Identifier: MIT
 *
 * options.c - command line and environment -> struct options
 */
#include "config.h"

#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "etc/examples/minigpt/options.h"

enum type { TEXT, COUNT, SIZE };

struct row {
    const char *name, *env, *value, *arg, *help;
    enum type type;
    size_t at; /* of the field */
};

static const struct row rows[] = {
#define OPTION(FIELD, TYPE, NAME, ENV, DEFAULT, ARG, HELP) \
    {NAME, ENV, DEFAULT, ARG, HELP, TYPE, offsetof (struct options, FIELD)},
#include "etc/examples/minigpt/options.def"
#undef OPTION
};

enum { ROWS = sizeof (rows) / sizeof (*rows), HELP = 1000 };

static int parse_number (const char *text, int suffix, uint64_t *out)
{
    static const char units[] = "KMG";
    const char *unit;
    char *end;
    unsigned long long n;

    errno = 0;
    n = strtoull (text, &end, 10);
    if (errno || end == text || *text == '-' || *text == '+')
        return -1;
    if (suffix && *end && (unit = strchr (units, *end))) {
        int shift = 10 * (int)(unit - units + 1);

        if (n > UINT64_MAX >> shift)
            return -1;
        n <<= shift;
        end++;
    }
    if (*end)
        return -1;
    *out = n;
    return 0;
}

static int set (struct options *o,
                const struct row *r,
                const char *name,
                const char *value,
                struct failure *f)
{
    void *field = (char *)o + r->at;

    if (r->type == TEXT) {
        *(const char **)field = value;
        return 0;
    }
    if (parse_number (value, r->type == SIZE, field) < 0)
        return failf (f, "%s: %s: not a number", name, value);
    return 0;
}

static int from_environment (struct options *o, struct failure *f)
{
    for (int i = 0; i < ROWS; i++) {
        const char *value = getenv (rows[i].env);

        if (value && *value && set (o, &rows[i], rows[i].env, value, f) < 0)
            return -1;
    }
    return 0;
}

static int
from_words (struct options *o, int argc, char **argv, struct failure *f)
{
    struct option words[ROWS + 2] = {{.name = NULL}};
    int c;

    for (int i = 0; i < ROWS; i++)
        words[i] = (struct option){rows[i].name, required_argument, NULL, i};
    words[ROWS] = (struct option){"help", no_argument, NULL, HELP};
    opterr = 0;
    while ((c = getopt_long (argc, argv, "h", words, NULL)) >= 0) {
        if (c == HELP || c == 'h')
            return 1;
        if (c >= ROWS)
            return failf (f, "%s: not understood: see --help",
                          argv[optind - 1]);
        if (set (o, &rows[c], rows[c].name, optarg, f) < 0)
            return -1;
    }
    if (optind < argc)
        return failf (f, "%s: not understood: see --help", argv[optind]);
    return 0;
}

static int check (const struct options *o, struct failure *f)
{
    uint64_t share = o->micro_batch * o->world;

    if (strcmp (o->access, "mmap") != 0 && strcmp (o->access, "direct") != 0 &&
        strcmp (o->access, "mock") != 0)
        return failf (f, "--access: %s: mmap, direct or mock", o->access);
    if (!o->data[0] && strcmp (o->access, "mock") != 0)
        return failf (f, "--data: missing: see --help");
    if (o->sequence == 0 || o->sequence > 1 << 20)
        return failf (f, "--seq: 1 to 1048576");
    if (o->micro_batch == 0 || o->micro_batch > 1 << 16 || o->world == 0 ||
        o->world > 1 << 16 || o->rank >= o->world)
        return failf (f, "--micro-batch, --rank, --world: out of range");
    if (o->global_batch == 0 || o->global_batch % share != 0 ||
        o->global_batch > 1 << 24)
        return failf (f,
                      "--global-batch: not a multiple of %llu (micro batch "
                      "times ranks)",
                      (unsigned long long)share);
    if (o->steps == 0 || o->steps > 1 << 24 || o->save_every == 0)
        return failf (f, "--steps, --save-every: out of range");
    if (o->workers > 256)
        return failf (f, "--workers: at most 256");
    if (o->seed > UINT32_MAX)
        return failf (f, "--seed: at most 4294967295");
    return 0;
}

int options_parse (struct options *o, int argc, char **argv, struct failure *f)
{
    int rc;

    for (int i = 0; i < ROWS; i++)
        if (set (o, &rows[i], rows[i].name, rows[i].value, f) < 0)
            return -1;
    if (from_environment (o, f) < 0)
        return -1;
    if ((rc = from_words (o, argc, argv, f)) != 0)
        return rc;
    return check (o, f);
}

void options_print_help (FILE *out)
{
    (void)fputs ("Usage: minigpt --data PREFIX [OPTION\u2026]\n"
                 "The input and output of a GPT training, without the GPT.\n\n",
                 out);
    for (int i = 0; i < ROWS; i++) {
        char word[64];

        (void)snprintf (word, sizeof (word), "--%s=%s", rows[i].name,
                        rows[i].arg);
        (void)fprintf (out, "  %-28s  %s\n%32s$%s%s%s\n", word, rows[i].help,
                       "", rows[i].env, rows[i].value[0] ? ", " : "",
                       rows[i].value);
    }
}
