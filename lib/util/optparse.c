/* SPDX-License-Identifier: MIT
 *
 * optparse.c - option table and argv -> parsed values
 */
#include "config.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/parse.h"
#include "lib/util/log.h"
#include "lib/util/optparse.h"

static const struct opt help_option = {"help", 'h', OPT_FLAG, NULL, NULL, NULL};

enum { WORD_MAX = 64 }; /* longer words have no near one */

/* --- nearest word ----------------------------------------------------- */

static int same_letter (char a, char b)
{
    return tolower ((unsigned char)a) == tolower ((unsigned char)b);
}

/* Edits (insert, delete, replace, swap of neighbours) from a to b. */
static int edit_distance (const char *a, const char *b)
{
    int row[3][WORD_MAX + 1];
    int na = (int)strlen (a), nb = (int)strlen (b);

    if (na > WORD_MAX || nb > WORD_MAX)
        return INT_MAX;
    for (int j = 0; j <= nb; j++)
        row[0][j] = j;
    for (int i = 1; i <= na; i++) {
        int *r = row[i % 3], *r1 = row[(i + 2) % 3], *r2 = row[(i + 1) % 3];

        r[0] = i;
        for (int j = 1; j <= nb; j++) {
            int best = r1[j - 1] + !same_letter (a[i - 1], b[j - 1]);

            if (r1[j] + 1 < best)
                best = r1[j] + 1;
            if (r[j - 1] + 1 < best)
                best = r[j - 1] + 1;
            if (i > 1 && j > 1 && same_letter (a[i - 1], b[j - 2]) &&
                same_letter (a[i - 2], b[j - 1]) && r2[j - 2] + 1 < best)
                best = r2[j - 2] + 1;
            r[j] = best;
        }
    }
    return row[na % 3][nb];
}

const char *nearest_word (const char *word, const char *const *list)
{
    const char *nearest = NULL;
    int best = (int)(strlen (word) / 3) + 1;

    for (; *list; list++) {
        int d = edit_distance (word, *list);

        if (d < best) {
            best = d;
            nearest = *list;
        }
    }
    return nearest;
}

/* --- finding an option ------------------------------------------------ */

static const char *nearest_option (const struct opt *opts, const char *name)
{
    const char *nearest = NULL;
    int best = (int)(strlen (name) / 3) + 1, d;

    for (const struct opt *o = opts; o->name; o++)
        if (o->help && (d = edit_distance (name, o->name)) < best) {
            best = d;
            nearest = o->name;
        }
    return nearest;
}

/* The option of "name" or "name=value": whole, or the only one that begins
 * so. */
static const struct opt *
find_long (const struct opt *opts, const char *word, struct errtext *err)
{
    size_t n = strcspn (word, "=");
    const struct opt *found = NULL, *second = NULL;
    char name[WORD_MAX + 1];
    const char *nearest;

    for (const struct opt *o = opts; n > 0; o++) {
        const struct opt *c = o->name ? o : &help_option;

        if (strncmp (c->name, word, n) == 0) {
            if (c->name[n] == '\0')
                return c;
            second = found;
            found = c;
        }
        if (!o->name)
            break;
    }
    if (second) {
        errf (err, "--%.*s: could be --%s or --%s", (int)n, word, second->name,
              found->name);
        return NULL;
    }
    if (found)
        return found;
    (void)snprintf (name, sizeof (name), "%.*s", (int)n, word);
    nearest = nearest_option (opts, name);
    errf (err, "--%.*s: no such option%s%s; see --help", (int)n, word,
          nearest ? ": did you mean --" : "", nearest ? nearest : "");
    return NULL;
}

static const struct opt *
find_letter (const struct opt *opts, char letter, struct errtext *err)
{
    for (const struct opt *o = opts; o->name; o++)
        if (o->letter && o->letter == letter)
            return o;
    if (letter == help_option.letter)
        return &help_option;
    errf (err, "-%c: no such option; see --help", letter);
    return NULL;
}

/* --- values ----------------------------------------------------------- */

static int set_int (const struct opt *o, const char *value, struct errtext *err)
{
    uint64_t n;

    if (parse_u64 (value, &n) < 0 || n > INT_MAX)
        return errf (err, "--%s: %s: not a whole number", o->name, value);
    *(int *)o->dest = (int)n;
    return 0;
}

static int
append_list (const struct opt *o, const char *value, struct errtext *err)
{
    struct opt_list *list = o->dest;

    if (list->count == OPT_LIST_MAX)
        return errf (err, "--%s: given more than %d times", o->name,
                     OPT_LIST_MAX);
    list->item[list->count++] = value;
    return 0;
}

static int
set_value (const struct opt *o, const char *value, struct errtext *err)
{
    switch (o->type) {
    case OPT_FLAG:
        *(int *)o->dest = 1;
        return 0;
    case OPT_TEXT:
        *(const char **)o->dest = value;
        return 0;
    case OPT_INT:
        return set_int (o, value, err);
    case OPT_SIZE:
        if (parse_size (value, o->dest) < 0)
            return errf (err, "--%s: %s: not a size such as 64K or 1G", o->name,
                         value);
        return 0;
    case OPT_DURATION:
        if (parse_duration (value, o->dest) < 0)
            return errf (err,
                         "--%s: %s: not a duration such as 500ms, 30s or 2h",
                         o->name, value);
        return 0;
    case OPT_LIST:
        return append_list (o, value, err);
    }
    return 0;
}

/* --- argv ------------------------------------------------------------- */

struct walk {
    const struct opt *opts;
    int argc, next; /* next: index of the next word */
    char **argv;
    int help;
    struct errtext *err;
};

/* "--name", "--name=value", "--name value". */
static int take_long (struct walk *w, const char *word)
{
    const struct opt *o = find_long (w->opts, word, w->err);
    const char *value = strchr (word, '=');

    if (!o)
        return -1;
    if (o->type == OPT_FLAG && value)
        return errf (w->err, "--%s: takes no value", o->name);
    if (o == &help_option) {
        w->help = 1;
        return 0;
    }
    if (o->type != OPT_FLAG) {
        if (value)
            value++;
        else if (w->next < w->argc)
            value = w->argv[w->next++];
        else
            return errf (w->err, "--%s: needs a value: %s", o->name, o->arg);
    }
    return set_value (o, value, w->err);
}

/* "-a", "-ab", "-ovalue", "-o value". */
static int take_letters (struct walk *w, const char *letters)
{
    for (; *letters; letters++) {
        const struct opt *o = find_letter (w->opts, *letters, w->err);

        if (!o)
            return -1;
        if (o == &help_option) {
            w->help = 1;
            continue;
        }
        if (o->type == OPT_FLAG) {
            if (set_value (o, NULL, w->err) < 0)
                return -1;
            continue;
        }
        if (letters[1])
            return set_value (o, letters + 1, w->err);
        if (w->next >= w->argc)
            return errf (w->err, "-%c: needs a value: %s", *letters, o->arg);
        return set_value (o, w->argv[w->next++], w->err);
    }
    return 0;
}

/* Options to the front of argv, operands behind them, both in their order.
 * *operands: index of the first operand. */
static int walk_words (struct walk *w, int stop_at_operand, int *operands)
{
    char **operand = calloc ((size_t)w->argc + 1, sizeof (*operand));
    int n = 0, front = 1, rc = 0;

    if (!operand)
        return errf (w->err, "not enough memory");
    while (rc == 0 && w->next < w->argc) {
        char *word = w->argv[w->next];
        int from = w->next++;

        if (strcmp (word, "--") == 0) {
            w->argv[front++] = word;
            break;
        }
        if (word[0] != '-' || word[1] == '\0') {
            operand[n++] = word;
            if (stop_at_operand)
                break;
            continue;
        }
        rc = word[1] == '-' ? take_long (w, word + 2)
                            : take_letters (w, word + 1);
        while (from < w->next)
            w->argv[front++] = w->argv[from++];
    }
    while (w->next < w->argc)
        operand[n++] = w->argv[w->next++];
    if (rc == 0) {
        *operands = front;
        for (int i = 0; i < n; i++)
            w->argv[front + i] = operand[i];
    }
    free (operand);
    return rc;
}

/* What completion and the manual are made from: not in --help. */
static int print_for_tools (const char *word,
                            const struct opt *opts,
                            const struct verb_help *help,
                            const char *verb)
{
    char page[WORD_MAX + 1];

    if (strcmp (word, "--help-words") == 0) {
        optparse_completion (stdout, opts);
        return 1;
    }
    if (strcmp (word, "--help-man") != 0)
        return 0;
    (void)snprintf (page, sizeof (page), "dftrace-%s", verb);
    optparse_man (stdout, opts, help, page);
    return 1;
}

enum optparse_result optparse (const struct opt *opts,
                               const struct verb_help *help,
                               int argc,
                               char **argv,
                               int stop_at_operand,
                               int *operands,
                               struct errtext *err)
{
    struct walk w = {
        .opts = opts, .argc = argc, .next = 1, .argv = argv, .err = err};

    if (argc == 2 && print_for_tools (argv[1], opts, help, argv[0]))
        return OPTPARSE_HELP;
    if (walk_words (&w, stop_at_operand, operands) < 0) {
        errno = EINVAL;
        return OPTPARSE_ERROR;
    }
    if (w.help) {
        optparse_print_help (stdout, opts, help);
        return OPTPARSE_HELP;
    }
    return OPTPARSE_OK;
}

int optparse_command (const struct opt *opts,
                      const struct verb_help *help,
                      int argc,
                      char **argv,
                      int stop_at_operand,
                      int *operands,
                      int *status)
{
    struct errtext err;

    switch (
        optparse (opts, help, argc, argv, stop_at_operand, operands, &err)) {
    case OPTPARSE_OK:
        return 0;
    case OPTPARSE_HELP:
        *status = EXIT_OK;
        return -1;
    case OPTPARSE_ERROR:
        break;
    }
    log_error ("%s", err.text);
    *status = EXIT_USAGE;
    return -1;
}
