/* SPDX-License-Identifier: MIT
 *
 * help_site.c - what a site may configure, in words
 *
 * In:  settings.def, site.def, rules.def, optionkeys.def, layers.def
 * Out: help, the commented dftrace.conf, dftrace.conf(5), dftrace-spank(8)
 */
#include "config.h"

#include <stdio.h>
#include <string.h>

#include "cli/help_site.h"
#include "cli/troff.h"
#include "lib/format/layers.h"
#include "lib/settings/rule.h"
#include "lib/settings/settings.h"
#include "lib/settings/site.h"
#include "lib/settings/tracespec.h"

enum { COLUMNS = 78 };

typedef void (*key_f) (const char *key, const char *value, const char *help);

/* Every key that a site may say but `rule` and `conf`. */
static void each_key (key_f f)
{
    const struct site_info *own;

    for (int id = 0; id < SETTING_COUNT_ALL; id++) {
        const struct setting_info *s = setting_info ((enum setting_id)id);

        if (*s->key)
            f (s->key, s->value, s->help);
    }
    for (size_t i = 0; (own = site_info (i)); i++)
        if (strcmp (own->key, "conf") != 0)
            f (own->key, own->value, own->help);
}

/* Words in lines of COLUMNS, each behind prefix. */
static void help_site_put_wrapped (const char *prefix, const char *text)
{
    size_t column = 0;

    for (text += strspn (text, " "); *text; text += strspn (text, " ")) {
        size_t n = strcspn (text, " ");

        if (column && column + 1 + n > COLUMNS) {
            (void)putchar ('\n');
            column = 0;
        }
        (void)printf ("%s%.*s", column ? " " : prefix, (int)n, text);
        column += n + (column ? 1 : strlen (prefix));
        text += n;
    }
    (void)putchar ('\n');
}

/* --- help site, help option ---------------------------------------------- */

static void
help_site_put_key (const char *key, const char *value, const char *help)
{
    (void)printf ("%s=%s\n", key, value);
    help_site_put_wrapped ("    ", help);
}

static void put_rules (key_f f)
{
    const struct rule_info *r;

    for (size_t i = 0; (r = rule_info (i)); i++)
        f (r->word, "", r->help);
}

static void put_rule_word (const char *key, const char *value, const char *help)
{
    (void)printf ("  %s=%s %s\n", key, value, help);
}

void help_site (void)
{
    (void)puts ("Keys of the plugstack.conf line and of " SITE_CONF
                ",\nwith their defaults:\n");
    each_key (help_site_put_key);
    (void)puts ("\nrule=  (in the file, any number of times; the first that "
                "fits a job that says\nnothing decides, `default` when none "
                "does). Its words:");
    put_rules (put_rule_word);
}

void help_option (void)
{
    (void)puts ("--dftrace=LAYER[,LAYER...][,KEY=VALUE...] of sbatch, srun, "
                "salloc.\n\nKeys:");
    for (int k = 0; k < OPTION_KEY_COUNT; k++) {
        (void)printf ("%s=\n", option_key_word ((enum option_key)k));
        help_site_put_wrapped (
            "    ",
            setting_info (option_key_setting ((enum option_key)k))->help);
    }
}

/* --- dftrace.conf --------------------------------------------------------- */

static void put_conf (const char *key, const char *value, const char *help)
{
    (void)putchar ('\n');
    help_site_put_wrapped ("# ", help);
    (void)printf ("#%s = %s\n", key, value);
}

static void put_conf_rule (const char *key, const char *value, const char *help)
{
    (void)value;
    (void)printf ("#   %-10s %s\n", key, help);
}

void help_conf (void)
{
    (void)puts ("# " SITE_CONF
                " - see dftrace.conf(5)\n#\n# KEY = VALUE; a # behind a blank "
                "begins a comment. What is commented out here\n# is the "
                "default. Words of the plugstack.conf line win. slurmd logs "
                "what it does\n# not understand when it starts; so does "
                "`dftrace doctor`.");
    each_key (put_conf);
    (void)putchar ('\n');
    help_site_put_wrapped (
        "# ", "Which jobs are traced that do not say --dftrace: the "
              "first rule whose words all fit decides. Words:");
    put_rules (put_conf_rule);
    (void)puts ("#rule = partition=debug layers=off\n"
                "#rule = account=ml,bio* nodes=4- sample=10 layers=posix,app");
}

static void put_man_key (const char *key, const char *value, const char *help)
{
    char term[64];

    (void)snprintf (term, sizeof (term), "%s =", key);
    put_item (term, help);
    if (*value) {
        (void)fputs ("Default ", stdout);
        put_troff (value);
        (void)puts (".");
    }
}

static const char see_also[] =
    ".SH SEE ALSO\n.BR dftrace (1), \" \" dftrace.conf (5), \" \" "
    "dftrace\\-trace (5), \" \" dftrace\\-spank (8)";

void help_conf_man (void)
{
    (void)puts (
        ".TH DFTRACE.CONF 5 \"\" \"" PACKAGE_STRING
        "\" \"File Formats\"\n.SH NAME\ndftrace.conf \\- how a site "
        "traces its jobs\n.SH SYNOPSIS\n.nf\n.I " SITE_CONF
        "\n.fi\n.SH DESCRIPTION\nThis file says which jobs of a site are "
        "traced, where the traces are written, and what the epilog does "
        "with them. The SPANK plugin, the node epilog and the command "
        "dftrace read it. It must be the same on every node and submit "
        "host.\n.SH EXAMPLE\n.nf\n"
        "log_root = /scratch/%u/dftrace\n"
        "rule = partition=debug layers=off\n"
        "rule = account=ml,bio* nodes=4\\- sample=10 "
        "layers=posix,app\n.fi\n.SH FORMAT\n"
        "The file has one KEY = VALUE per line; a # after a blank begins a "
        "comment.\nEvery key may also be given as KEY=VALUE on the line of "
        "the plugin in plugstack.conf, where it takes precedence; conf= on "
        "that line names another file.\nFor a key or value that is not "
        "understood the default is used; slurmd writes a line to its log, "
        "and so does\n.BR \"dftrace doctor\" .\n.SH KEYS");
    each_key (put_man_key);
    (void)puts (".TP\n.B rule =\nFor jobs that do not say \\-\\-dftrace: the "
                "words below, separated by blanks. The first rule whose words "
                "all match decides; if none matches, the key default decides. "
                "Rules cannot be given on the line in plugstack.conf.\n.RS");
    put_rules (put_man_key);
    (void)puts (".RE");
    (void)puts (see_also);
}

/* --- dftrace-spank(8) ----------------------------------------------------- */

void help_spank_man (void)
{
    (void)puts (
        ".TH DFTRACE\\-SPANK 8 \"\" \"" PACKAGE_STRING
        "\" \"System Administration\"\n.SH NAME\ndftrace\\-spank \\- the "
        "Slurm plugin of dftrace\n.SH SYNOPSIS\n.B optional dftrace.so\n"
        "[\\fIKEY\\fB=\\fIVALUE\\fR]...\n.br\n.B sbatch\n"
        "\\fB\\-\\-dftrace=\\fILAYER\\fR[,\\fILAYER\\fR]...[,\\fIKEY\\fB=\\fI"
        "VALUE\\fR]...\n"
        ".SH DESCRIPTION\nThis plugin adds the option \\-\\-dftrace to "
        "sbatch, srun and salloc, and prepares the tasks of jobs that use it: "
        "it makes the job directory and sets the environment and LD_PRELOAD, "
        "in the task itself and as its user.\nThe plugin returns success from "
        "every callback of slurmstepd. A job that cannot be traced runs "
        "untraced and says so in one line.\n.SH EXAMPLE\n.nf\n"
        "sbatch \\-\\-dftrace=posix,app job.sh\n"
        "#SBATCH \\-\\-dftrace=posix,app,dir=/scratch/%u/%x\\-%j,max=2G\n"
        "srun \\-\\-dftrace=off ./quiet\n.fi\n.SH PRECEDENCE\n"
        "Steps inherit the option of their job unless they have their own, "
        "which then replaces it as a whole. The option takes precedence over "
        "SLURM_DFTRACE, then DFTRACE_*, then the settings of the site.\n"
        ".SH LAYERS");
    for (int i = 0; i < LAYER_COUNT; i++)
        put_item (layer_word ((enum layer_index)i),
                  layer_help ((enum layer_index)i));
    (void)puts (".SH SETTINGS IN THE OPTION");
    for (int k = 0; k < OPTION_KEY_COUNT; k++) {
        char term[64];

        (void)snprintf (term, sizeof (term),
                        "%s=", option_key_word ((enum option_key)k));
        put_item (term,
                  setting_info (option_key_setting ((enum option_key)k))->help);
    }
    (void)puts (
        ".SH KEYS OF THE SITE\nSee dftrace.conf(5).\n.SH FILES\n.TP\n.I "
        "<state_dir>/<job id>.<host>\nA file of root with the user, the job "
        "directory and the staging directory of a traced job, for the "
        "epilog.\n.TP\n.I "
        "/etc/slurm/plugstack.conf.d/dftrace.conf\nThe line that begins with "
        "optional.");
    (void)puts (see_also);
}
