/* SPDX-License-Identifier: MIT
 *
 * cmd_help.c - `dftrace help`: verbs, layers, settings, metrics
 *
 * Everything it prints comes from the .def tables; the manual pages and the
 * completion are made from its output.
 */
#include "config.h"

#include <stdio.h>
#include <string.h>

#include "analyze/metrics.h"
#include "cli/cmd.h"
#include "cli/verbs.h"
#include "lib/core/layers.h"
#include "lib/core/settings.h"
#include "lib/util/log.h"
#include "lib/util/optparse.h"

static const struct verb_help help = {
    .usage = "dftrace help [VERB | layers | settings | metrics]",
    .summary = "Explain a verb, the layers of --dftrace, the settings, or the metrics.",
    .example = "  $ dftrace help layers\n"
               "  $ dftrace help analyze\n",
    .exits = "0  printed\n2  no such topic\n",
};

static void print_layers (void)
{
    (void)puts ("Layers of --dftrace=LAYER[,LAYER...]:\n");
    for (int i = 0; i < LAYER_COUNT; i++)
        (void)printf ("  %-9s %s\n", layer_word ((enum layer_index)i),
                      layer_help ((enum layer_index)i));
}

static void print_setting (const struct setting_info *s)
{
    (void)printf ("%s\n    %s.\n    Type %s, default %s%s%s.\n", s->env,
                  s->help, s->type, *s->value ? "\"" : "none", s->value,
                  *s->value ? "\"" : "");
    if (*s->key)
        (void)printf ("    Site key (plugstack.conf): %s=\n", s->key);
    if (*s->fallback)
        (void)printf ("    Taken from %s when unset.\n", s->fallback);
    (void)putchar ('\n');
}

static void print_settings (void)
{
    (void)puts ("Settings, by their environment variables. Command line wins "
                "over #SBATCH,\nthat over the environment, that over the "
                "site.\n");
    for (int id = 0; id < SETTING_COUNT_ALL; id++)
        print_setting (setting_info ((enum setting_id)id));
}

static void print_metrics (void)
{
    (void)puts ("Metrics of dftrace analyze and sweep results:\n");
    for (int m = 0; m < METRIC_COUNT; m++)
        (void)printf ("%s%s%s\n    %s.\n", metric_table[m].name,
                      *metric_table[m].unit ? ", " : "", metric_table[m].unit,
                      metric_table[m].definition);
}

int cmd_help (int argc, char **argv)
{
    static const struct opt none[] = {{.name = NULL}};
    struct errtext err;
    const struct verb *v;
    int first;

    switch (optparse (none, &help, argc, argv, 0, &first, &err)) {
    case OPTPARSE_HELP:
        return EXIT_OK;
    case OPTPARSE_ERROR:
        log_error ("%s", err.text);
        return EXIT_USAGE;
    case OPTPARSE_OK:
        break;
    }
    if (first == argc) {
        verb_print_all (stdout);
        return EXIT_OK;
    }
    if (strcmp (argv[first], "layers") == 0)
        print_layers ();
    else if (strcmp (argv[first], "settings") == 0)
        print_settings ();
    else if (strcmp (argv[first], "metrics") == 0)
        print_metrics ();
    else if ((v = verb_find (argv[first])) != NULL) {
        char word[] = "--help";
        char *args[] = {argv[first], word, NULL};

        return v->run (2, args);
    } else {
        log_error ("%s: no such topic: try a verb, layers, settings or "
                   "metrics",
                   argv[first]);
        return EXIT_USAGE;
    }
    return EXIT_OK;
}
