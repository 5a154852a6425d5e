/* SPDX-License-Identifier: MIT
 *
 * main.c - the dftrace command: verb -> function
 */
#include "config.h"

#include "analyze/facts/failure.h"
#include "cli/cmd.h"
#include "lib/base/array.h"
#include "spank/epilog/user_side.h"
#include "spank/epilog/verb.h"
#include "lib/util/log.h"
#include "lib/util/optparse.h"

static const struct verb verbs[] = {
#define VERB(WORD, FUNCTION, SHOWN, HELP) {WORD, FUNCTION, SHOWN, HELP},
#include "cli/verbs.def"
#undef VERB
    {NULL, NULL, 0, NULL},
};

const struct verb *verb_table (void)
{
    return verbs;
}

const struct verb *verb_find (const char *word)
{
    for (const struct verb *v = verbs; v->word; v++)
        if (strcmp (v->word, word) == 0)
            return v;
    return NULL;
}

void verb_print_all (FILE *out)
{
    fputs ("Usage: dftrace VERB [OPTION...] ...\n"
           "Trace the I/O and the steps of a job; analyze the traces; "
           "run parameter sweeps.\n\n",
           out);
    for (const struct verb *v = verbs; v->word; v++)
        if (v->shown)
            fprintf (out, "  %-10s %s\n", v->word, v->help);
    fputs ("\n`dftrace VERB --help` tells more, with examples.\n"
           "`dftrace --version` prints the version.\n",
           out);
}

static int main_unknown_verb (const char *word)
{
    const char *words[ITEMS (verbs)];
    const char *near;
    size_t n = 0;

    for (const struct verb *v = verbs; v->word; v++)
        if (v->shown)
            words[n++] = v->word;
    words[n] = NULL;
    near = nearest_word (word, words);
    if (near)
        log_error ("%s: no such verb: did you mean `dftrace %s`?", word, near);
    else
        log_error ("%s: no such verb: `dftrace help` lists them", word);
    return EXIT_USAGE;
}

static int main_run_verb (int argc, char **argv)
{
    const struct verb *v = verb_find (argv[0]);

    return v ? flush_output (v->run (argc, argv)) : main_unknown_verb (argv[0]);
}

int main (int argc, char **argv)
{
    verb_runner (main_run_verb);
    user_side_at_end (endfile_write_throttled);
    if (argc < 2) {
        verb_print_all (stderr);
        return EXIT_USAGE;
    }
    if (strcmp (argv[1], "--version") == 0) {
        puts (PACKAGE_STRING);
        return flush_output (EXIT_OK);
    }
    if (strcmp (argv[1], "--help") == 0 || strcmp (argv[1], "-h") == 0) {
        verb_print_all (stdout);
        return flush_output (EXIT_OK);
    }
    return main_run_verb (argc - 1, argv + 1);
}
